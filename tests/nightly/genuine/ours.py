"""Our sink: its stream with tables and tasks, without the worker around it."""

from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, field, replace
from itertools import count
from pathlib import Path

from bench.iceberg_sink.lake import Lake, lake_on_disk
from pyiceberg.catalog.rest import RestCatalog
from pyspark.sql import SparkSession
from tests.nightly.genuine.case import NAMESPACE, Case
from tests.nightly.genuine.outcome import Outcome, outcome_of_tables
from tests.nightly.genuine.peer import Letters, begin_tables, connector_keys, reading, tables_of
from tests.support.spark import spark_session

from frazil.cli import stack as stacks
from frazil.cli.catalog import client_properties
from frazil.cli.folder import StackFolder
from frazil.cli.ports import free_ports
from frazil.cli.stack import Stack
from frazil.contracts.assignment import Assignment
from frazil.contracts.plugins import find_plugin
from frazil.spark_sink.config import sink_config
from frazil.spark_sink.core.offset_log import BatchRange
from frazil.spark_sink.iceberg import iceberg_destination
from frazil.spark_sink.records.errors import Stage
from frazil.spark_sink.store import Records
from frazil.spark_sink.stream import Stream


@dataclass
class Ours:
    """Does cases whose topics are there, in one Spark session, with a catalog of its own."""

    spark: SparkSession
    servers: str
    lake: Lake
    catalog: RestCatalog
    letters: Letters
    folder: Path
    _numbers: Iterator[int] = field(default_factory=count)

    def refused(self, case: Case) -> list[int]:
        """List the offsets of records that become no row, though transforms take them."""
        return [one.offset for one in self.outcome(case).dead if one.stage == Stage.PUT]

    def outcome(self, case: Case) -> Outcome:
        """Write the records of a case into tables as they are to be at first."""
        begin_tables(self.catalog, case)
        dead, died = f"{case.name}-ours-dead-{next(self._numbers)}", ""
        with closing(self._stream(case, dead)) as stream:
            try:
                self._write(stream, case)
            except Exception as error:  # noqa: BLE001 (it is what is compared)
                died = repr(error)
        # A letter is sent for each table that refuses its record.
        letters = set(self.letters.read(dead))
        return outcome_of_tables(tables_of(self.catalog, case), letters, died)

    def _write(self, stream: Stream, case: Case) -> None:
        """Write all records as one batch.

        Where tables have the columns that they begin with, and no more, it is one record a batch
        until they are there: the genuine sink makes them from one record, ours from one batch.
        """
        records = Records(self.spark.range(0))
        done, count = 0, len(case.records)
        while done < count:
            waits = not case.evolves and len(tables_of(self.catalog, case)) < len(case.written)
            end = done + 1 if waits else count
            span = BatchRange({case.name: {0: done}}, {case.name: {0: end}})
            stream.fleet.write(replace(records, span=span), span)
            done = end

    def _stream(self, case: Case, dead: str) -> Stream:
        assignment = _assignment(case.name, self.servers, connector_keys(case, self.lake, dead))
        keys = find_plugin(assignment.config["connector.class"]).parse(assignment.config)
        destination = iceberg_destination(assignment, keys)
        config = sink_config(assignment, keys, commit_interval_ms=0)
        return Stream.open(self.spark, config, destination, self.folder)


def _assignment(name: str, servers: str, config: dict[str, str]) -> Assignment:
    return Assignment(
        connector=name,
        epoch=1,
        generation=1,
        worker_id="w",
        config={"name": name, **config},
        kafka={"bootstrap.servers": servers},
    )


@contextmanager
def beside(genuine: Stack, folder: Path) -> Iterator[Ours]:
    """Start a catalog and Spark beside the broker of the genuine sink; end both."""
    stack = replace(
        genuine,
        folder=StackFolder(genuine.folder.home, "ours"),
        ports=genuine.ports.model_copy(update={"catalog": free_ports().catalog}),
    )
    stack.folder.root.mkdir(parents=True)
    try:
        stack.start_catalog()
        lake = lake_on_disk(stack)
        catalog = RestCatalog("ours", **client_properties(lake.url, lake.key))
        catalog.create_namespace(NAMESPACE)
        servers = stack.ports.bootstrap_servers
        with spark_session(_spark_conf(lake)) as spark, reading(servers) as letters:
            spark.sparkContext.setLogLevel("OFF")
            yield Ours(spark, servers, lake, catalog, letters, folder)
    finally:
        stacks.stop(stack.folder)


def _spark_conf(lake: Lake) -> dict[str, str]:
    config = connector_keys(Case("any", {}, ()), lake, "dead")
    assignment = _assignment("any", "nowhere", config)
    keys = find_plugin(config["connector.class"]).parse(assignment.config)
    return iceberg_destination(assignment, keys).spark_conf

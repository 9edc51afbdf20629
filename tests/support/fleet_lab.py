"""A fleet of tables without a broker: batches are given as lists, in one Spark session for all."""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from pyspark.sql import DataFrame, SparkSession

from frazil.contracts.assignment import Assignment
from frazil.contracts.ledger import Ledger
from frazil.contracts.offsets import Offsets, Rewind
from frazil.contracts.plugins import find_plugin
from frazil.contracts.preview import Preview
from frazil.contracts.redrive import Redrive
from frazil.contracts.schema_change import SchemaRules
from frazil.spark_sink.boxes import boxes_of
from frazil.spark_sink.committer import Driver
from frazil.spark_sink.completeness import Completeness
from frazil.spark_sink.config import sink_config
from frazil.spark_sink.core.offset_log import BatchRange
from frazil.spark_sink.core.position import TopicFacts
from frazil.spark_sink.fleet import Fleet
from frazil.spark_sink.iceberg import iceberg_destination
from frazil.spark_sink.kafka import Broker
from frazil.spark_sink.outcome import Outcome
from frazil.spark_sink.preview import PreviewJob
from frazil.spark_sink.store import Records
from frazil.worker.board import StatusBoard

CLASS = "org.apache.iceberg.connect.IcebergSinkConnector"
_COLUMNS = (
    "topic string, partition int, offset long, timestamp timestamp, key binary, value binary, "
    "headers array<struct<key: string, value: binary>>"
)
_MOMENT = "2026-11-18 10:00:00"
_CATALOG = "spark.sql.catalog.lake"


def lake_conf(warehouse: Path) -> dict[str, str]:
    """Configure a catalog in a folder, and the procedures that Iceberg has for its tables."""
    return {
        _CATALOG: "org.apache.iceberg.spark.SparkCatalog",
        f"{_CATALOG}.type": "hadoop",
        f"{_CATALOG}.warehouse": warehouse.as_uri(),
        f"{_CATALOG}.cache-enabled": "false",
        "spark.sql.catalog.frazil_files": "org.apache.iceberg.spark.SparkRewriteTableCatalog",
        "spark.sql.extensions": (
            "org.apache.iceberg.spark.extensions.IcebergSparkSessionExtensions"
        ),
    }


class FakeBroker:
    """A group's offsets, and no more."""

    def __init__(self, group: Offsets | None = None) -> None:
        self.group = group or {}
        self.client_properties: dict[str, str] = {}

    def group_ledger(self) -> Ledger | None:
        if not self.group:
            return None
        return Ledger(
            connector="c", epoch=0, run="group", cluster_id="", topic_ids={}, start={},
            end=self.group,
        )  # fmt: skip


@dataclass
class FleetLab:
    """One connector, `c`, that reads one topic, `t`, of one partition unless told otherwise."""

    spark: SparkSession
    namespace: str
    folder: Path

    def start(
        self,
        epoch: int,
        keys: Mapping[str, str],
        *,
        group: Offsets | None = None,
        rewind: Rewind | None = None,
        redrive: Redrive | None = None,
        paused: Sequence[str] = (),
        rules: Mapping[str, SchemaRules] | None = None,
        topic_id: str = "id-t",
        topics: Sequence[str] = ("t",),
        newest: int = 10_000,
        connector: str = "c",
    ) -> "Run":
        config = self._config(connector, topics, keys)
        assignment = Assignment(
            connector=connector, epoch=epoch, generation=1, worker_id="w", config=config,
            kafka={"bootstrap.servers": "nowhere"}, rewind=rewind, redrive=redrive,
            paused_tables=tuple(f"{self.namespace}.{table}" for table in paused),
            schema_rules=self._rules(rules),
        )  # fmt: skip
        parsed = find_plugin(CLASS).parse(config)
        destination = iceberg_destination(assignment, parsed)
        facts = {name: TopicFacts(f"id-{name}", {0: 0}, {0: newest}) for name in topics}
        if "t" in facts:
            facts["t"] = TopicFacts(topic_id, {0: 0}, {0: newest})
        driver = Driver(sink_config(assignment, parsed, commit_interval_ms=0), "cluster", facts)
        broker: Any = FakeBroker(group)
        stores = destination.open(self.spark, broker)
        completeness = Completeness(lambda _: ())
        boxes = boxes_of(self.spark, driver, stores)
        fleet = Fleet(self.spark, driver, stores, completeness, boxes)
        position = fleet.take_position()
        return Run(self.spark, fleet, position, redriven=fleet.redrive())

    def preview(
        self,
        keys: Mapping[str, str],
        values: Sequence[Any],
        rules: Mapping[str, SchemaRules] | None = None,
    ) -> Preview:
        """Tell what would become of records, which are the newest of `t`."""
        config = self._config("c", ["t"], keys)
        assignment = Assignment(
            connector="c", epoch=1, generation=1, worker_id="w", config=config,
            kafka={"bootstrap.servers": "nowhere"}, schema_rules=self._rules(rules), preview=100,
        )  # fmt: skip
        parsed = find_plugin(CLASS).parse(config)
        destination = iceberg_destination(assignment, parsed)
        board, broker = StatusBoard(self.folder, assignment), FakeBroker()
        sink = sink_config(assignment, parsed, commit_interval_ms=0)
        stores = destination.open_preview(self.spark, cast("Broker", broker))
        records = Records(batch_of(self.spark, values))
        return PreviewJob(sink, destination, board, 100).look(stores, records)

    def _config(
        self, connector: str, topics: Sequence[str], keys: Mapping[str, str]
    ) -> dict[str, str]:
        return {
            "name": connector,
            "connector.class": CLASS,
            "topics": ",".join(topics),
            "iceberg.catalog": "lake",
            "iceberg.catalog.type": "hadoop",
            **keys,
        }

    def _rules(self, rules: Mapping[str, SchemaRules] | None) -> dict[str, SchemaRules]:
        return {f"{self.namespace}.{name}": one for name, one in (rules or {}).items()}

    def sql(self, statement: str) -> list[list[Any]]:
        text = re.sub(r"\bNS\b", f"lake.{self.namespace}", statement)
        return [list(row) for row in self.spark.sql(text).collect()]

    def ids(self, table: str) -> list[int]:
        return [row[0] for row in self.sql(f"SELECT id FROM NS.{table} ORDER BY id")]

    def columns(self, table: str) -> dict[str, str]:
        found = self.spark.table(f"lake.{self.namespace}.{table}").schema
        return {column.name: column.dataType.simpleString() for column in found.fields}

    def ledgers(self, table: str, *, of: str = "c") -> list[Ledger]:
        """List the ledgers of all snapshots, oldest first."""
        found = self.sql(f"SELECT summary FROM NS.{table}.snapshots ORDER BY committed_at")
        ledgers = [Ledger.from_summary(summary, of) for (summary,) in found]
        return [ledger for ledger in ledgers if ledger is not None]


@dataclass
class Run:
    """One driver of the connector, from the position that it took."""

    spark: SparkSession
    fleet: Fleet
    position: Offsets
    redriven: int = 0

    @property
    def at(self) -> int:
        return self.position["t"][0]

    def write(self, values: Sequence[Any], **kinds: Any) -> Outcome:
        """Write a batch of the next offsets of `t`; what is no text or bytes is put as JSON."""
        batch = self.batch(values, **kinds)
        end = {**self.position, "t": {0: self.at + len(values)}}
        outcome = self.fleet.write(Records(batch), BatchRange(self.position, end))
        self.position = end
        return outcome

    def batch(
        self,
        values: Sequence[Any],
        keys: Sequence[str | None] | None = None,
        headers: Sequence[Mapping[str, str]] | None = None,
    ) -> DataFrame:
        return batch_of(self.spark, values, keys, headers, start=self.at)


def batch_of(
    spark: SparkSession,
    values: Sequence[Any],
    keys: Sequence[str | None] | None = None,
    headers: Sequence[Mapping[str, str]] | None = None,
    *,
    start: int = 0,
) -> DataFrame:
    """Make records of `t` as Kafka's source gives them."""
    rows = [
        (
            "t",
            0,
            start + number,
            None,
            _bytes(keys[number]) if keys else None,
            _bytes(value),
            [(name, _bytes(text)) for name, text in headers[number].items()] if headers else None,
        )
        for number, value in enumerate(values)
    ]
    made = spark.createDataFrame(rows, _COLUMNS)
    return made.selectExpr(
        *("topic", "partition", "offset", f"timestamp'{_MOMENT}' AS timestamp"),
        *("key", "value", "headers"),
    )


def _bytes(value: Any) -> bytes | None:
    if value is None or isinstance(value, bytes):
        return value
    return (value if isinstance(value, str) else json.dumps(value)).encode()

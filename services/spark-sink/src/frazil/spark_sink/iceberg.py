"""The Iceberg sink: its keys, and the tables that they name."""

from dataclasses import dataclass

from pyspark.sql import SparkSession

from frazil.contracts.assignment import Assignment
from frazil.contracts.plugins import ParsedConfig
from frazil.contracts.plugins.commit_keys import COMMIT_INTERVAL_MS
from frazil.contracts.plugins.iceberg_catalog import catalog_properties
from frazil.contracts.plugins.maintenance_keys import FRESHNESS_MS
from frazil.spark_sink.catalog import catalog_conf
from frazil.spark_sink.config import sink_config
from frazil.spark_sink.job import SinkJob
from frazil.spark_sink.kafka import Broker
from frazil.spark_sink.preview import PreviewJob
from frazil.spark_sink.python_workers import start_workers
from frazil.spark_sink.tables.control_topic import ControlTopic, EventKeys, event_keys
from frazil.spark_sink.tables.predecessor import Heritage, TakeoverKeys, takeover_keys
from frazil.spark_sink.tables.preview import PreviewStores
from frazil.spark_sink.tables.settings import TableKeys
from frazil.spark_sink.tables.stores import TableStores
from frazil.worker.board import StatusBoard
from frazil.worker.connector import read_config
from frazil.worker.settings import WorkerSettings


def job(assignment: Assignment, board: StatusBoard) -> SinkJob | PreviewJob:
    keys = read_config(assignment)
    events = event_keys(assignment, keys)
    destination = iceberg_destination(assignment, keys, events)
    config = sink_config(
        assignment,
        keys,
        commit_interval_ms=keys[COMMIT_INTERVAL_MS],
        freshness_ms=keys[FRESHNESS_MS],
        maintenance=destination.budget,
        own_topics=[events.topic] if events else (),
    )
    if assignment.preview is not None:
        return PreviewJob(config, destination, board, assignment.preview)
    return SinkJob(config, destination, board)


def iceberg_destination(
    assignment: Assignment, keys: ParsedConfig, events: EventKeys | None = None
) -> "IcebergDestination":
    return IcebergDestination(
        keys=TableKeys.of(assignment.connector, keys, assignment.schema_rules, assignment.rewind),
        catalog_properties=catalog_properties(keys, WorkerSettings().aws_region),
        events=events,
        takeover=takeover_keys(assignment, keys),
    )


@dataclass(frozen=True)
class IcebergDestination:
    keys: TableKeys
    catalog_properties: dict[str, str]
    events: EventKeys | None
    takeover: TakeoverKeys | None

    @property
    def budget(self) -> float | None:
        objectives = self.keys.objectives
        return None if objectives is None else objectives.budget

    @property
    def spark_conf(self) -> dict[str, str]:
        # Fields are told apart by their case, as Iceberg and Kafka Connect do.
        conf = catalog_conf(self.keys.catalog, self.catalog_properties)
        return {"spark.sql.caseSensitive": "true", **conf}

    def open(self, spark: SparkSession, broker: Broker) -> TableStores:
        start_workers(spark, self.keys.config["tasks.max"])
        return TableStores(
            spark,
            broker,
            keys=self.keys,
            control=None if self.events is None else ControlTopic(spark, self.events),
            heritage=None if self.takeover is None else Heritage(spark, self.takeover),
        )

    def open_preview(self, spark: SparkSession, broker: Broker) -> PreviewStores:
        """Open the tables as they would be, for whoever only wants to look."""
        return PreviewStores(spark, broker, keys=self.keys, control=None)

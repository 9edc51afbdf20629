"""A few batches that nobody waits for: those that count then find all code loaded and compiled."""

import tempfile
from pathlib import Path
from typing import cast

from pyspark.sql import DataFrame, SparkSession

from frazil.contracts.assignment import Assignment
from frazil.spark_sink.boxes import boxes_of
from frazil.spark_sink.committer import Driver
from frazil.spark_sink.completeness import Completeness
from frazil.spark_sink.config import sink_config
from frazil.spark_sink.core.offset_log import BatchRange
from frazil.spark_sink.core.position import TopicFacts
from frazil.spark_sink.fleet import Fleet
from frazil.spark_sink.iceberg import iceberg_destination
from frazil.spark_sink.kafka import Broker
from frazil.spark_sink.raw import HEADERS
from frazil.spark_sink.store import Records
from frazil.worker.connector import read_config
from frazil.worker.drive import await_pause

_NAME = "warm-up"
_BATCHES = 5
_ROWS = 100
_RECORDS = (
    f"'{_NAME}' AS topic",
    "0 AS partition",
    "value AS offset",
    "timestamp",
    "CAST(NULL AS BINARY) AS key",
    f"CAST(NULL AS {HEADERS}) AS headers",
    "CAST(to_json(struct(value, timestamp, struct('x' AS text) AS nested)) AS BINARY) AS value",
)


class _NoBroker:
    """Nobody has read this before."""

    def __init__(self) -> None:
        self.client_properties: dict[str, str] = {}

    def group_ledger(self) -> None:
        return None


def warm_up(spark: SparkSession) -> None:
    """Write records that come from nowhere to a table that is gone afterwards."""
    with tempfile.TemporaryDirectory() as folder:
        fleet = _fleet(spark, Path(folder))
        position = fleet.take_position()

        def write(batch: DataFrame, _number: int) -> None:
            nonlocal position
            if position[_NAME][0] >= _BATCHES * _ROWS:
                return
            end = {_NAME: {0: position[_NAME][0] + _ROWS}}
            fleet.write(Records(batch.selectExpr(*_RECORDS)), BatchRange(position, end))
            position = end

        query = (
            spark.readStream.format("rate-micro-batch")
            .options(rowsPerBatch=_ROWS)
            .load()
            .writeStream.foreachBatch(write)
            .option("checkpointLocation", str(Path(folder, "checkpoint")))
            .start()
        )
        try:
            while position[_NAME][0] < _BATCHES * _ROWS and not query.awaitTermination(1):
                pass  # it is the stream's thread that works
        finally:
            await_pause(query)
            query.stop()
            fleet.close()


def _fleet(spark: SparkSession, folder: Path) -> Fleet:
    told = _assignment(folder)
    keys = read_config(told)
    destination = iceberg_destination(told, keys)
    for name, value in destination.spark_conf.items():
        spark.conf.set(name, value)
    driver = Driver(
        sink_config(told, keys, commit_interval_ms=0),
        cluster_id=_NAME,
        topics={_NAME: TopicFacts(_NAME, {0: 0}, {0: 0})},
    )
    stores = destination.open(spark, cast("Broker", _NoBroker()))
    return Fleet(spark, driver, stores, Completeness(lambda _: ()), boxes_of(spark, driver, stores))


def _assignment(folder: Path) -> Assignment:
    return Assignment(
        connector=_NAME,
        epoch=1,
        generation=1,
        worker_id=_NAME,
        config={
            "name": _NAME,
            "connector.class": "IcebergSinkConnector",
            "topics": _NAME,
            "iceberg.tables": "warm.up",
            "iceberg.tables.auto-create-enabled": "true",
            "iceberg.tables.evolve-schema-enabled": "true",
            "iceberg.catalog.type": "hadoop",
            "iceberg.catalog.warehouse": folder.as_uri(),
        },
        kafka={"bootstrap.servers": "nowhere:9092"},
    )

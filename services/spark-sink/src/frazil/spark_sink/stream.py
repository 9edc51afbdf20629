"""What one start of a sink's stream opens, and lets go of again."""

import shutil
import tempfile
from dataclasses import dataclass
from pathlib import Path

from pyspark.sql import SparkSession

from frazil.contracts.offsets import Offsets
from frazil.spark_sink.boxes import boxes_of
from frazil.spark_sink.committer import Driver
from frazil.spark_sink.completeness import Completeness
from frazil.spark_sink.config import SinkConfig
from frazil.spark_sink.fleet import Fleet
from frazil.spark_sink.kafka import Broker
from frazil.spark_sink.store import Destination, Stores
from frazil.worker.opening import opening


@dataclass(frozen=True)
class Stream:
    """The checkpoint is new, and disposable."""

    broker: Broker
    stores: Stores
    fleet: Fleet
    topics: frozenset[str]
    first: Offsets
    redriven: int
    checkpoint: Path

    @classmethod
    def open(
        cls, spark: SparkSession, config: SinkConfig, destination: Destination, folder: Path
    ) -> "Stream":
        with opening() as opened:
            broker = opened.keep(Broker(spark, config))
            driver = Driver(config, broker.cluster_id(), broker.topics())
            stores = destination.open(spark, broker)
            completeness, boxes = Completeness(broker.read_out), boxes_of(spark, driver, stores)
            fleet = opened.keep(Fleet(spark, driver, stores, completeness, boxes))
            return cls(
                broker=broker,
                stores=stores,
                fleet=fleet,
                topics=frozenset(driver.topics),
                first=fleet.take_position(),
                redriven=fleet.redrive(),
                checkpoint=Path(tempfile.mkdtemp(prefix="checkpoint-", dir=folder)),
            )

    def close(self) -> None:
        self.fleet.close()
        self.broker.close()
        shutil.rmtree(self.checkpoint, ignore_errors=True)

"""One Kafka transaction for each batch: its records and the position behind them, or neither."""

from functools import partial
from typing import Any

from pyspark.sql import SparkSession

from frazil.contracts.offsets import Offsets
from frazil.spark_source.config import SourceConfig
from frazil.spark_source.java_functions import JavaFunctions
from frazil.worker.bridge import jvm
from frazil.worker.errors import BadRecordError, WorkerError
from frazil.worker.jvm_errors import java_errors_as
from frazil.worker.transactions import TransactionalProducer, transaction_error


class Producer:
    """The connector's own; a newer driver's shuts it out."""

    def __init__(self, spark: SparkSession, config: SourceConfig) -> None:
        self._jvm = jvm(spark)
        self._config = config
        self._meaning = partial(producer_error, config=config)
        with java_errors_as(self._meaning):
            self._producer = TransactionalProducer(
                spark, config.kafka, name=f"frazil-{config.connector}"
            )
            self._send = JavaFunctions(spark).send_to(self._producer.java, config.topic.name)

    def send(self, texts: list[str], *, key: str, offset: str) -> Offsets:
        """Send a batch and its position; return where it ended in the topic."""
        with java_errors_as(self._meaning):
            with self._producer.transaction() as transaction:
                futures = self._lines(texts).map(self._send).toList()
                transaction.send(self._producer.record(self._config.offsets_topic, key, offset))
            last = futures[len(texts) - 1].get()
            return {str(last.topic()): {int(last.partition()): int(last.offset()) + 1}}

    def _lines(self, texts: list[str]) -> Any:
        """Hand over all texts with one call; none of them has a line end in it."""
        java = self._jvm.java.io
        return java.BufferedReader(java.StringReader("".join(f"{t}\n" for t in texts))).lines()

    def close(self) -> None:
        self._producer.close()


def producer_error(message: str, config: SourceConfig) -> WorkerError:
    """Say what to do; the client's own words follow as the cause."""
    if "RecordTooLarge" in message:
        return BadRecordError(
            f"A record is larger than the producer or topic {config.topic.name} allows. Raise "
            "`producer.override.max.request.size` and the topic's `max.message.bytes`, then "
            "restart.",
            message,
        )
    return transaction_error(
        message,
        connector=config.connector,
        epoch=config.epoch,
        servers=config.kafka["bootstrap.servers"],
    )

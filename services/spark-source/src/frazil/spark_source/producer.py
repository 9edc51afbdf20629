"""One Kafka transaction for each batch: its records and the position behind them, or neither."""

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

from pyspark.sql import SparkSession

from frazil.contracts.offsets import Offsets
from frazil.spark_source.config import SourceConfig
from frazil.spark_source.java_functions import JavaFunctions
from frazil.worker.bridge import jvm
from frazil.worker.errors import BadRecordError, SupersededError, WorkerError
from frazil.worker.jvm_errors import JAVA_ERRORS, java_message
from frazil.worker.kafka import broker_error

_SERIALIZER = "org.apache.kafka.common.serialization.StringSerializer"
_FENCED = ("ProducerFenced", "InvalidProducerEpoch", "newer producer")


class Producer:
    """Whoever was made last under a connector's name shuts out those before, in the broker."""

    def __init__(self, spark: SparkSession, config: SourceConfig) -> None:
        self._jvm = jvm(spark)
        self._config = config
        name = f"frazil-{config.connector}"
        properties = {
            **config.kafka,
            "client.id": name,
            "transactional.id": name,
            "enable.idempotence": "true",
            "acks": "all",
            "key.serializer": _SERIALIZER,
            "value.serializer": _SERIALIZER,
        }
        with self._errors():
            kafka = self._jvm.org.apache.kafka.clients.producer
            self._java = kafka.KafkaProducer(properties)
            self._java.initTransactions()
            self._send = JavaFunctions(spark).send_to(self._java, config.topic.name)

    def send(self, texts: list[str], *, key: str, offset: str) -> Offsets:
        """Send a batch and its position; return where it ended in the topic."""
        with self._errors():
            self._java.beginTransaction()
            try:
                futures = self._lines(texts).map(self._send).toList()
                self._java.send(self._record(self._config.offsets_topic, key, offset))
                self._java.commitTransaction()
            except JAVA_ERRORS:
                # So that readers of committed records need not wait for its time-out.
                with suppress(*JAVA_ERRORS):
                    self._java.abortTransaction()
                raise
            last = futures[len(texts) - 1].get()
            return {str(last.topic()): {int(last.partition()): int(last.offset()) + 1}}

    def _lines(self, texts: list[str]) -> Any:
        """Hand over all texts with one call; none of them has a line end in it."""
        java = self._jvm.java.io
        return java.BufferedReader(java.StringReader("".join(f"{t}\n" for t in texts))).lines()

    def _record(self, topic: str, key: str, value: str) -> Any:
        return self._jvm.org.apache.kafka.clients.producer.ProducerRecord(topic, key, value)

    def close(self) -> None:
        self._java.close(self._jvm.java.time.Duration.ofSeconds(5))

    @contextmanager
    def _errors(self) -> Iterator[None]:
        try:
            yield
        except JAVA_ERRORS as error:
            raise producer_error(java_message(error), self._config) from None


def producer_error(message: str, config: SourceConfig) -> WorkerError:
    """Say what to do; the client's own words follow as the cause."""
    if any(sign in message for sign in _FENCED):
        return SupersededError(
            f"A newer driver of connector {config.connector} has taken over its transactions; "
            f"this one (epoch {config.epoch}) has stopped.",
            message,
        )
    if "RecordTooLarge" in message:
        return BadRecordError(
            f"A record is larger than the producer or topic {config.topic.name} allows. Raise "
            "`producer.override.max.request.size` and the topic's `max.message.bytes`, then "
            "restart.",
            message,
        )
    return broker_error(message, config.kafka["bootstrap.servers"])

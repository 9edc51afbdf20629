"""A producer of Kafka transactions: what is sent in one is there as a whole, or not at all."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import Any

from pyspark.sql import SparkSession

from frazil.worker.bridge import jvm
from frazil.worker.errors import SupersededError, WorkerError
from frazil.worker.jvm_errors import JAVA_ERRORS
from frazil.worker.kafka import broker_error

_SERIALIZERS = "org.apache.kafka.common.serialization"
_FENCED = ("ProducerFenced", "InvalidProducerEpoch", "newer producer")
_CLOSE_SECONDS = 5


class TransactionalProducer:
    """Whoever was made last under a transactional id shuts out those before, in the broker.

    Java's errors pass: the caller says what they mean to a connector.
    """

    def __init__(
        self, spark: SparkSession, kafka: Mapping[str, str], *, name: str, values: str = "String"
    ) -> None:
        self._jvm = jvm(spark)
        clients = self._jvm.org.apache.kafka.clients.producer
        self.record = clients.ProducerRecord
        self.java = clients.KafkaProducer(
            {
                **kafka,
                "client.id": name,
                "transactional.id": name,
                "enable.idempotence": "true",
                "acks": "all",
                "key.serializer": f"{_SERIALIZERS}.StringSerializer",
                "value.serializer": f"{_SERIALIZERS}.{values}Serializer",
            }
        )
        self.java.initTransactions()

    @contextmanager
    def transaction(self) -> Iterator[Any]:
        self.java.beginTransaction()
        try:
            yield self.java
            self.java.commitTransaction()
        except JAVA_ERRORS:
            # So that readers of committed records need not wait for its time-out.
            with suppress(*JAVA_ERRORS):
                self.java.abortTransaction()
            raise

    def close(self) -> None:
        self.java.close(self._jvm.java.time.Duration.ofSeconds(_CLOSE_SECONDS))


def transaction_error(message: str, *, connector: str, epoch: int, servers: str) -> WorkerError:
    """Say what to do; the client's own words follow as the cause."""
    if any(sign in message for sign in _FENCED):
        return SupersededError(
            f"A newer driver of connector {connector} has taken over its transactions; this one "
            f"(epoch {epoch}) has stopped.",
            message,
        )
    return broker_error(message, servers)

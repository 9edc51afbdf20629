"""The broker, asked through the Kafka client that the JVM already has."""

import json
from collections.abc import Iterable, Mapping
from typing import Any

from pyspark.sql import SparkSession

from frazil.contracts.offsets import Offsets, each
from frazil.spark_sink.config import SinkConfig
from frazil.spark_sink.core.position import TopicFacts
from frazil.worker.bridge import jvm
from frazil.worker.errors import UnavailableError
from frazil.worker.jvm_errors import JAVA_ERRORS, java_message

_TIMEOUTS = {"request.timeout.ms": "5000", "default.api.timeout.ms": "10000"}


class Broker:
    """One admin client of one connector."""

    def __init__(self, spark: SparkSession, config: SinkConfig) -> None:
        self._jvm = jvm(spark)
        self._config = config
        properties = {**config.kafka, **_TIMEOUTS, "client.id": f"frazil-{config.connector}"}
        self._admin = self._jvm.org.apache.kafka.clients.admin.Admin.create(properties)

    def close(self) -> None:
        self._admin.close()

    def cluster_id(self) -> str:
        return str(self._ask(lambda: self._admin.describeCluster().clusterId().get()))

    def topics(self, names: Iterable[str]) -> dict[str, TopicFacts]:
        """Describe the topics; one that does not exist is an error that names it."""
        described = self._ask(lambda: self._admin.describeTopics(list(names)).allTopicNames().get())
        facts = {}
        for name, topic in described.items():
            partitions = [info.partition() for info in topic.partitions()]
            facts[name] = TopicFacts(
                topic_id=str(topic.topicId().toString()),
                earliest=self._ends(name, partitions, "earliest"),
                latest=self._ends(name, partitions, "latest"),
            )
        return facts

    def commit_to_group(self, offsets: Offsets) -> None:
        """Show the progress to lag tools; the position itself is the table's."""
        consumer = self._jvm.org.apache.kafka.clients.consumer
        positions = {
            self._partition(topic, partition): consumer.OffsetAndMetadata(offset)
            for topic, partition, offset in each(offsets)
        }
        group = self._config.group
        self._ask(lambda: self._admin.alterConsumerGroupOffsets(group, positions).all().get())

    def _ends(self, topic: str, partitions: list[int], which: str) -> dict[int, int]:
        spec = getattr(self._jvm.org.apache.kafka.clients.admin.OffsetSpec, which)()
        asked = {self._partition(topic, partition): spec for partition in partitions}
        found = self._ask(lambda: self._admin.listOffsets(asked).all().get())
        return {entry.partition(): int(result.offset()) for entry, result in found.items()}

    def _partition(self, topic: str, partition: int) -> Any:
        return self._jvm.org.apache.kafka.common.TopicPartition(topic, partition)

    def _ask(self, call: Any) -> Any:
        try:
            return call()
        except JAVA_ERRORS as error:
            raise broker_error(java_message(error), self._config.bootstrap_servers) from None


def broker_error(message: str, servers: str) -> UnavailableError:
    """Say what to do; the broker's own words follow as the cause."""
    if "UnknownTopicOrPartition" in message:
        return UnavailableError(
            "A topic of the connector does not exist. Create it, or correct `topics`.", message
        )
    if "Timeout" in message:
        return UnavailableError(
            f"Kafka at {servers} does not answer. Check `bootstrap.servers` and that it is up.",
            message,
        )
    return UnavailableError(f"Kafka at {servers} refused a request.", message)


def source_options(config: SinkConfig, start: Mapping[str, Mapping[int, int]]) -> dict[str, str]:
    """Options of Spark's Kafka source for a stream that begins exactly at `start`."""
    return {
        **config.consumer_options,
        "kafka.bootstrap.servers": config.bootstrap_servers,
        "subscribe": ",".join(config.topics),
        "startingOffsets": json.dumps(
            {
                topic: {str(p): offset for p, offset in found.items()}
                for topic, found in start.items()
            }
        ),
        "failOnDataLoss": "true",
        "maxOffsetsPerTrigger": str(config.max_records),
        "kafkaConsumer.pollTimeoutMs": "30000",
    }

"""The broker as a sink asks it, and the options of Spark's own Kafka source."""

import json
from collections.abc import Collection, Mapping
from functools import cached_property
from typing import Any

from pyspark.sql import SparkSession

from frazil.contracts.ledger import Ledger
from frazil.contracts.offsets import Offsets, each
from frazil.runtime.logs import get_logger
from frazil.spark_sink.config import SinkConfig
from frazil.spark_sink.core.offset_log import BatchRange
from frazil.spark_sink.core.position import TopicFacts
from frazil.spark_sink.core.watermark import MOST_WATCHED, Partition
from frazil.spark_sink.groups import Groups
from frazil.spark_sink.tasks.kafka_client import librdkafka_properties
from frazil.spark_sink.tasks.kafka_security import UntranslatableError
from frazil.worker.bridge import items, jvm
from frazil.worker.errors import BadConfigError
from frazil.worker.kafka import Admin
from frazil.worker.settings import WorkerSettings

log = get_logger(__name__)


class _Java:
    """Classes of Kafka's client: to find one by its name takes five calls."""

    def __init__(self, java: Any) -> None:
        kafka = java.org.apache.kafka
        self.spec = kafka.clients.admin.OffsetSpec
        self.position = kafka.clients.consumer.OffsetAndMetadata
        self.partition = kafka.common.TopicPartition


class Broker:
    """One admin client of one connector."""

    def __init__(self, spark: SparkSession, config: SinkConfig) -> None:
        self._spark = spark
        self._jvm = jvm(spark)
        self._java = _Java(self._jvm)
        self._partitions: dict[Partition, Any] = {}
        self._config = config
        self._admin = Admin(spark, config.kafka, config.connector)

    def close(self) -> None:
        self._admin.close()

    @cached_property
    def client_properties(self) -> dict[str, str]:
        """Return the properties by which tasks read Kafka; none if only Java's client can."""
        urls = WorkerSettings().oauthbearer_urls
        try:
            return librdkafka_properties(self._config.kafka, token_urls=urls).properties
        except UntranslatableError as error:
            log.warning("read_by_java", why=str(error))
            return {}

    def cluster_id(self) -> str:
        return str(self._admin.ask(lambda: self._admin.java.describeCluster().clusterId().get()))

    def names(self) -> set[str]:
        """Name the topics to read: those that are listed, or those that match now."""
        config = self._config
        if not config.pattern:
            return set(config.topics)
        found = self._admin.ask(lambda: list(self._admin.java.listTopics().names().get()))
        matches = self._jvm.java.util.regex.Pattern.matches
        names = {str(name) for name in found if matches(config.pattern, name)}
        for name in sorted(names & config.own_topics):
            raise BadConfigError(
                f"topics.regex matches {name}, which the sink writes itself: it would read its "
                "own dead letters or events. Correct one of them."
            )
        return names

    def topics(self) -> dict[str, TopicFacts]:
        """Describe the topics; one that is listed and does not exist is an error that names it."""
        names = sorted(self.names())
        described = self._admin.ask(
            lambda: self._admin.java.describeTopics(names).allTopicNames().get()
        )
        facts = {}
        for name in names:
            topic = described.get(name)
            partitions = [(name, info.partition()) for info in items(topic.partitions())]
            earliest, latest = (self._ends(partitions, which) for which in ("earliest", "latest"))
            facts[name] = TopicFacts(
                topic_id=str(topic.topicId().toString()),
                earliest={number: at for (_, number), at in earliest.items()},
                latest={number: at for (_, number), at in latest.items()},
            )
        return facts

    def read_out(self, end: Offsets) -> list[Partition]:
        """Name the partitions that have nothing behind these offsets; of very many none."""
        reached = {(topic, number): at for topic, number, at in each(end)}
        if len(reached) > MOST_WATCHED:
            return []
        latest = self._ends(reached, "latest")
        return [partition for partition, at in reached.items() if latest[partition] <= at]

    def commit_to_group(self, offsets: Offsets) -> None:
        """Show the progress to lag tools, and to those who have no other memory."""
        positions = self._jvm.java.util.HashMap()
        for topic, number, offset in each(offsets):
            positions.put(self._partition(topic, number), self._java.position(offset))
        self._admin.ask(
            lambda: (
                self._admin.java.alterConsumerGroupOffsets(self._config.group, positions)
                .all()
                .get()
            )
        )

    def group_ledger(self) -> Ledger | None:
        """Take the group's offsets for a ledger, where there is no other memory.

        They follow every rewind by themselves, so none is left to be applied.
        """
        end = Groups(self._spark, self._admin).offsets(self._config.group)
        if not end:
            return None
        rewind = self._config.rewind
        return Ledger(
            connector=self._config.connector,
            epoch=0,
            run="group",
            cluster_id="",
            topic_ids={},
            start={},
            end=end,
            rewind=rewind.number if rewind else 0,
        )

    def _ends(self, partitions: Collection[Partition], which: str) -> dict[Partition, int]:
        asked, spec = self._jvm.java.util.HashMap(), getattr(self._java.spec, which)()
        for partition in partitions:
            asked.put(self._partition(*partition), spec)
        found = self._admin.ask(lambda: self._admin.java.listOffsets(asked).all().get())
        return {one: int(found.get(self._partition(*one)).offset()) for one in partitions}

    def _partition(self, topic: str, number: int) -> Any:
        known = self._partitions.get((topic, number))
        if known is None:
            known = self._partitions[topic, number] = self._java.partition(topic, number)
        return known


def source_options(
    config: SinkConfig, start: Mapping[str, Mapping[int, int]], *, most: int
) -> dict[str, str]:
    """Options of Spark's Kafka source for a stream that begins exactly at `start`."""
    return {
        **config.consumer_options,
        "kafka.bootstrap.servers": config.bootstrap_servers,
        **_subscription(config),
        "startingOffsets": _in_json(start),
        "failOnDataLoss": "true",
        "maxOffsetsPerTrigger": str(most),
        "kafkaConsumer.pollTimeoutMs": "30000",
        "includeHeaders": "true",
    }


def range_options(config: SinkConfig, span: BatchRange) -> dict[str, str]:
    """Options of the same source for exactly these records, or what is left of them."""
    return {
        **config.consumer_options,
        "kafka.bootstrap.servers": config.bootstrap_servers,
        "assign": json.dumps({topic: list(found) for topic, found in span.end.items()}),
        "startingOffsets": _in_json(span.start),
        "endingOffsets": _in_json(span.end),
        "failOnDataLoss": "false",
        "includeHeaders": "true",
    }


def _in_json(offsets: Mapping[str, Mapping[int, int]]) -> str:
    found = {topic: {str(p): at for p, at in parts.items()} for topic, parts in offsets.items()}
    return json.dumps(found)


def _subscription(config: SinkConfig) -> dict[str, str]:
    if config.pattern:
        # Spark looks for the pattern anywhere in a name, Kafka Connect matches the whole.
        return {"subscribePattern": rf"\A(?:{config.pattern})\z"}
    return {"subscribe": ",".join(config.topics)}

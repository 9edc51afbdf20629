"""The offsets topic: positions of sources, keys and values as Kafka Connect writes them."""

import json
from collections.abc import Mapping
from functools import partial
from typing import Any

from pyspark.sql import SparkSession

from frazil.spark_source.config import SourceConfig
from frazil.spark_source.core.values import as_json
from frazil.spark_source.java_functions import JavaFunctions
from frazil.spark_source.reader import Offset
from frazil.worker.bridge import jvm
from frazil.worker.jvm_errors import java_errors_as
from frazil.worker.kafka import broker_error

_DESERIALIZER = "org.apache.kafka.common.serialization.StringDeserializer"
_OWN = {
    "isolation.level": "read_committed",
    "enable.auto.commit": "false",
    "max.poll.records": "10000",
    "key.deserializer": _DESERIALIZER,
    "value.deserializer": _DESERIALIZER,
}
_POLL_MS = 200


def key_of(connector: str, partition: Mapping[str, Any]) -> str:
    return as_json([connector, dict(partition)])


def read_offset(spark: SparkSession, config: SourceConfig, key: str) -> Offset | None:
    """Return the newest committed position under the key; None if there is none, or a tombstone."""
    java = jvm(spark)
    with java_errors_as(partial(broker_error, servers=config.kafka["bootstrap.servers"])):
        consumer = java.org.apache.kafka.clients.consumer.KafkaConsumer({**config.kafka, **_OWN})
        try:
            text = _newest(spark, consumer, config.offsets_topic, key)
        finally:
            consumer.close()
    offset: Offset | None = None if text is None else json.loads(text)
    return offset


def _newest(spark: SparkSession, consumer: Any, topic: str, key: str) -> str | None:
    """Go through the topic up to where it ends now; the JVM picks the records of our key."""
    java = jvm(spark)
    partition_of = java.org.apache.kafka.common.TopicPartition
    partitions = [partition_of(topic, info.partition()) for info in consumer.partitionsFor(topic)]
    consumer.assign(partitions)
    consumer.seekToBeginning(partitions)
    ends = consumer.endOffsets(partitions)
    is_ours = JavaFunctions(spark).has_key(key)
    rest, newest = partitions, None
    while rest := [one for one in rest if consumer.position(one) < ends[one]]:
        records = consumer.poll(java.java.time.Duration.ofMillis(_POLL_MS))
        stream = java.java.util.stream.StreamSupport.stream(records.spliterator(), False)
        found = stream.filter(is_ours).toList()
        if len(found):
            newest = found[len(found) - 1].value()
    return newest

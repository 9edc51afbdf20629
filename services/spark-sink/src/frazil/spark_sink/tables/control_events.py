"""The control topic of Kafka Connect's sink, read from its beginning to where it ends now.

Each event brings the schema that it was written with (see `core.events`); Spark has Avro.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache, partial
from typing import Any

from pyspark.sql import SparkSession

from frazil.contracts.plugins.commit_keys import CONTROL_TOPIC
from frazil.spark_sink.core.events import MAGIC
from frazil.worker.bridge import items, jvm
from frazil.worker.errors import BadConfigError
from frazil.worker.jvm_errors import java_errors_as
from frazil.worker.kafka import broker_error

_DESERIALIZER = "org.apache.kafka.common.serialization.ByteArrayDeserializer"
_OWN = {
    "isolation.level": "read_committed",
    "enable.auto.commit": "false",
    "allow.auto.create.topics": "false",
    "key.deserializer": _DESERIALIZER,
    "value.deserializer": _DESERIALIZER,
}
_POLL_MS = 200


@dataclass(frozen=True)
class ControlEvent:
    """`sender` is the task, or the coordinator; `payload` is a record of Avro's."""

    partition: int
    offset: int
    sender: bytes
    kind: int
    payload: Any


class ControlEvents:
    """`oldest` and `newest` are the ends of its partitions as it was opened."""

    def __init__(self, spark: SparkSession, kafka: Mapping[str, str], topic: str) -> None:
        self._jvm = jvm(spark)
        self._meaning = partial(broker_error, servers=kafka["bootstrap.servers"])
        self._schema = cache(self._parsed)
        with java_errors_as(self._meaning):
            consumers = self._jvm.org.apache.kafka.clients.consumer
            self._java = consumers.KafkaConsumer({**kafka, **_OWN})
            place = self._jvm.org.apache.kafka.common.TopicPartition
            found = [info.partition() for info in self._java.partitionsFor(topic) or ()]
            self._partitions = [place(topic, number) for number in found]
            self.oldest = self._ends(self._java.beginningOffsets)
            self.newest = self._ends(self._java.endOffsets)
        if not found:
            self.close()
            raise BadConfigError(
                f"Kafka Connect's sink would tell its files on topic {topic}, which is not there. "
                f"Correct {CONTROL_TOPIC}."
            )

    def _ends(self, ask: Any) -> dict[int, int]:
        return {one.partition(): int(at) for one, at in ask(self._partitions).items()}

    def of_group(self, group: str) -> Iterator[ControlEvent]:
        """Give the events of one connector: several may share a topic."""
        pause = self._jvm.java.time.Duration.ofMillis(_POLL_MS)
        with java_errors_as(self._meaning):
            self._java.assign(self._partitions)
            self._java.seekToBeginning(self._partitions)
            while self._is_behind():
                for record in items(self._java.poll(pause)):
                    event = self._decoded(record.value())
                    if str(event.get("group_id")) == group:
                        yield ControlEvent(
                            partition=record.partition(),
                            offset=record.offset(),
                            sender=record.key(),
                            kind=event.get("type"),
                            payload=event.get("payload"),
                        )

    def _is_behind(self) -> bool:
        return any(self._java.position(p) < self.newest[p.partition()] for p in self._partitions)

    def _decoded(self, value: bytes) -> Any:
        begin = len(MAGIC) + 2
        end = begin + int.from_bytes(value[len(MAGIC) : begin], "big")
        avro, schema = self._jvm.org.apache.avro, self._schema(value[begin:end])
        decoder = avro.io.DecoderFactory.get().binaryDecoder(value[end:], None)
        return avro.generic.GenericDatumReader(schema).read(None, decoder)

    def _parsed(self, schema: bytes) -> Any:
        return self._jvm.org.apache.avro.Schema.Parser().parse(schema.decode())

    def close(self) -> None:
        self._java.close()

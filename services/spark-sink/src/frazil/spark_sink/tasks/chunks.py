"""Some records of one partition, in the order of offsets, as columns that are built on request."""

from collections.abc import Iterator, Sequence
from typing import Any, Protocol

import pyarrow as pa
import pyarrow.compute as pc
from confluent_kafka import TIMESTAMP_NOT_AVAILABLE, Message

from frazil.spark_sink.records.model import KafkaRecord

CHUNK_RECORDS = 2_000
KAFKA_COLUMNS = ("topic", "partition", "offset", "timestamp", "key", "value", "headers")
"""A record as Spark's source for Kafka gives it."""

_Headers = tuple[tuple[str, bytes | None], ...]


class Chunk(Protocol):
    """Records of one partition. Columns have one value a record; timestamps are in milliseconds.

    `nbytes` are those of the values. Outcomes are beside records that come from a SQL transform,
    and from nowhere else.
    """

    topic: str
    partition: int

    def __len__(self) -> int: ...
    def nbytes(self) -> int: ...
    def values(self) -> list[bytes | None]: ...
    def keys(self) -> list[bytes | None]: ...
    def offsets(self) -> list[int]: ...
    def timestamps(self) -> list[int | None]: ...
    def headers(self) -> list[_Headers]: ...
    def outcomes(self) -> list[bytes]: ...
    def take(self, indices: Sequence[int]) -> "Chunk": ...
    def record(self, index: int) -> KafkaRecord: ...
    def records(self) -> list[KafkaRecord]: ...


class MessageChunk:
    """Messages of librdkafka, all of one partition and without errors."""

    __slots__ = ("messages", "partition", "topic")

    def __init__(self, topic: str, partition: int, messages: Sequence[Message]) -> None:
        self.topic = topic
        self.partition = partition
        self.messages = messages

    def __len__(self) -> int:
        return len(self.messages)

    def nbytes(self) -> int:
        return sum(map(len, self.messages))

    def values(self) -> list[bytes | None]:
        return [message.value() for message in self.messages]

    def keys(self) -> list[bytes | None]:
        return [message.key() for message in self.messages]

    def offsets(self) -> list[int]:
        return [message.offset() for message in self.messages]  # type: ignore[misc]

    def timestamps(self) -> list[int | None]:
        return [_timestamp(message) for message in self.messages]

    def headers(self) -> list[_Headers]:
        return [_headers(message) for message in self.messages]

    def outcomes(self) -> list[bytes]:
        return []

    def take(self, indices: Sequence[int]) -> "MessageChunk":
        return MessageChunk(self.topic, self.partition, [self.messages[at] for at in indices])

    def record(self, index: int) -> KafkaRecord:
        return self._record(self.messages[index])

    def records(self) -> list[KafkaRecord]:
        return [self._record(message) for message in self.messages]

    def _record(self, message: Message) -> KafkaRecord:
        return KafkaRecord(
            self.topic,
            self.partition,
            message.offset(),  # type: ignore[arg-type]
            _timestamp(message),
            message.key(),
            message.value(),
            _headers(message),
        )


def _timestamp(message: Message) -> int | None:
    kind, milliseconds = message.timestamp()
    return None if kind == TIMESTAMP_NOT_AVAILABLE else milliseconds


def _headers(message: Message) -> _Headers:
    headers = message.headers()
    return tuple(headers) if headers else ()  # type: ignore[arg-type]


class ArrowChunk:
    """Rows of Spark's Kafka source, all of one partition."""

    __slots__ = ("batch", "partition", "topic")

    def __init__(self, topic: str, partition: int, batch: pa.RecordBatch) -> None:
        self.topic = topic
        self.partition = partition
        self.batch = batch

    def __len__(self) -> int:
        return int(self.batch.num_rows)

    def nbytes(self) -> int:
        return int(self.batch.column("value").nbytes)

    def values(self) -> list[bytes | None]:
        return self._column("value")

    def keys(self) -> list[bytes | None]:
        return self._column("key")

    def offsets(self) -> list[int]:
        return self._column("offset")

    def timestamps(self) -> list[int | None]:
        column = self.batch.column("timestamp").cast(pa.timestamp("ms", "UTC"), safe=False)
        return [_known(time) for time in column.cast(pa.int64()).to_pylist()]

    def headers(self) -> list[_Headers]:
        if "headers" not in self.batch.schema.names:
            return [()] * len(self)
        return [_pairs(headers) for headers in self._column("headers")]

    def outcomes(self) -> list[bytes]:
        return self._column("outcome")

    def take(self, indices: Sequence[int]) -> "ArrowChunk":
        some = self.batch.take(pa.array(indices, pa.int32()))
        return ArrowChunk(self.topic, self.partition, some)

    def record(self, index: int) -> KafkaRecord:
        return ArrowChunk(self.topic, self.partition, self.batch.slice(index, 1)).records()[0]

    def records(self) -> list[KafkaRecord]:
        columns = (self.offsets(), self.timestamps(), self.keys(), self.values(), self.headers())
        return [KafkaRecord(self.topic, self.partition, *row) for row in zip(*columns, strict=True)]

    def _column(self, name: str) -> list[Any]:
        return self.batch.column(name).to_pylist()  # type: ignore[no-any-return]


def _known(milliseconds: int | None) -> int | None:
    # Spark delivers -1 where a record has no timestamp.
    return None if milliseconds == -1 else milliseconds


def _pairs(headers: list[dict[str, Any]] | None) -> _Headers:
    return tuple((header["key"], header["value"]) for header in headers or ())


def chunks_of_batch(batch: pa.RecordBatch, *, chunk: int = CHUNK_RECORDS) -> Iterator[ArrowChunk]:
    """Cut a batch of Spark's Kafka source into chunks of one partition each.

    Its columns are those of Kafka's source, and outcomes behind a SQL transform.
    """
    for start, length in _runs(batch):
        for first in range(start, start + length, chunk):
            part = batch.slice(first, min(chunk, start + length - first))
            topic, partition = part.column("topic")[0], part.column("partition")[0]
            yield ArrowChunk(topic.as_py(), partition.as_py(), part)


def _runs(batch: pa.RecordBatch) -> Iterator[tuple[int, int]]:
    """Find where the partition changes: the start and length of each run of rows."""
    if batch.num_rows == 0:
        return
    starts = [0]
    if batch.num_rows > 1:
        changes = pc.or_(*(_changes(batch.column(name)) for name in ("topic", "partition")))
        starts += [index + 1 for index in pc.indices_nonzero(changes).to_pylist()]
    for start, end in zip(starts, [*starts[1:], batch.num_rows], strict=True):
        yield start, end - start


def _changes(column: pa.Array) -> pa.Array:
    return pc.not_equal(column.slice(1), column.slice(0, len(column) - 1))

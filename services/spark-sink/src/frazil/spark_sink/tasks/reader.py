"""Reads ranges of offsets with consumers that are kept between the tasks of a process."""

import atexit
import os
from collections.abc import Iterator, Mapping

from confluent_kafka import Consumer, KafkaException

from frazil.spark_sink.tasks.chunks import CHUNK_RECORDS, MessageChunk
from frazil.spark_sink.tasks.consumer import (
    LEAST_LEFT,
    PATIENCE_SECONDS,
    Connect,
    PartitionConsumer,
)
from frazil.spark_sink.tasks.offset_range import OffsetRange
from frazil.spark_sink.tasks.read_errors import AccessError

__all__ = ["CHUNK_BYTES", "OffsetRange", "RangeReader", "range_reader"]

CHUNK_BYTES = 4 << 20

# Each keeps up to 8 MB that it fetched ahead.
_MOST_KEPT = 4
# librdkafka has no consumer without a group; this one is never joined.
_GROUP = {"group.id": "frazil-tasks"}


class RangeReader:
    """The consumers of one client configuration, each at some partition."""

    def __init__(
        self,
        properties: Mapping[str, str],
        *,
        connect: Connect = Consumer,
        patience: float = PATIENCE_SECONDS,
        most_kept: int = _MOST_KEPT,
        least_left: int = LEAST_LEFT,
    ) -> None:
        self._properties = _GROUP | dict(properties)
        self._connect = connect
        self._patience = patience
        self._most_kept = most_kept
        self._least_left = least_left
        # Those that no read uses now, the one that was used last at the end.
        self._kept: list[PartitionConsumer] = []

    def read(
        self, range_: OffsetRange, *, chunk: int = CHUNK_RECORDS, chunk_bytes: int = CHUNK_BYTES
    ) -> Iterator[MessageChunk]:
        """Yield exactly the records of the range, in the order of offsets. Raises ReadError.

        A chunk has at most `chunk` records and `chunk_bytes` bytes of values, but one at least.
        """
        if range_.start >= range_.end:
            return
        consumer = self._consumer_for(range_)
        try:
            for messages in consumer.read(range_, chunk=chunk, chunk_bytes=chunk_bytes):
                yield MessageChunk(range_.topic, range_.partition, messages)
        except BaseException:
            consumer.close()
            raise
        self._keep(consumer)

    def close(self) -> None:
        while self._kept:
            self._kept.pop().close()

    def _consumer_for(self, range_: OffsetRange) -> PartitionConsumer:
        """Choose the consumer whose change of partition costs least, or connect another."""
        for suits in (
            lambda consumer: consumer.continues(range_),
            lambda consumer: consumer.reads(range_),
            lambda consumer: not consumer.is_assigned,
            lambda _: len(self._kept) >= self._most_kept,
        ):
            for index, consumer in enumerate(self._kept):
                if suits(consumer):
                    return self._kept.pop(index)
        return self._connected(range_)

    def _connected(self, range_: OffsetRange) -> PartitionConsumer:
        try:
            return PartitionConsumer(
                self._properties,
                connect=self._connect,
                patience=self._patience,
                least_left=self._least_left,
            )
        except KafkaException as error:
            # Certificates and keys are read before a broker is asked.
            raise AccessError(range_, error.args[0].str()) from None

    def _keep(self, consumer: PartitionConsumer) -> None:
        if len(self._kept) < self._most_kept:
            self._kept.append(consumer)
        else:
            consumer.close()


_readers: dict[tuple[int, frozenset[tuple[str, str]]], RangeReader] = {}


def range_reader(properties: Mapping[str, str]) -> RangeReader:
    """Return this process's reader for librdkafka's properties; it is closed at exit."""
    # A forked process has the parent's objects, but none of their threads and connections.
    key = os.getpid(), frozenset(properties.items())
    if key not in _readers:
        _readers[key] = RangeReader(properties)
    return _readers[key]


@atexit.register
def _close_readers() -> None:
    for (process, _), reader in _readers.items():
        if process == os.getpid():
            reader.close()

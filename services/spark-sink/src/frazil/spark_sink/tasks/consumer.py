"""Reads exact ranges of partitions with librdkafka, one partition at a time."""

import time
from bisect import bisect_left
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from typing import Any

from confluent_kafka import Consumer, KafkaError, KafkaException, Message, TopicPartition

from frazil.spark_sink.tasks import error_codes
from frazil.spark_sink.tasks.offset_range import OffsetRange
from frazil.spark_sink.tasks.read_errors import (
    AccessError,
    BrokerUnavailableError,
    DataLossError,
    ReadError,
    UnknownPartitionError,
)

Connect = Callable[[dict[str, Any]], Consumer]

# How long to wait for records, offsets or an error before the broker counts as unavailable.
PATIENCE_SECONDS = 60.0
_POLL_SECONDS = 0.05
_ANSWER_SECONDS = 10.0
_SUSPICIOUS_SECONDS = 5.0
# So many records have to be left behind a range for a consumer to go on fetching them.
LEAST_LEFT = 2_000

_FIXED = {
    # The driver commits offsets; a range says where it begins, and what is not there is an error.
    "enable.auto.commit": "false",
    "enable.auto.offset.store": "false",
    "auto.offset.reset": "error",
    # The only word that a range is over if it ends in records that are not delivered: markers of
    # transactions and aborted records. The broker gives it after waiting for more, and before that
    # it answers nothing else, of another partition either.
    "enable.partition.eof": "true",
    "fetch.wait.max.ms": "5",
    "fetch.min.bytes": "1",
    # Fetch again as soon as there is room: the default of a second halves the rate.
    "fetch.queue.backoff.ms": "5",
    # Fetched ahead by bytes alone.
    "queued.min.messages": "1000000",
    "queued.max.messages.kbytes": "8192",
    # A batch of records of any size that a broker may accept.
    "receive.message.max.bytes": "2147483647",
    "topic.metadata.propagation.max.ms": "5000",
    # Errors reach the caller; librdkafka would also write each attempt to connect to the log.
    "log_level": "2",
}


class PartitionConsumer:
    """A consumer that is assigned one partition, and keeps what it received beyond a range.

    The next range reads on from there if it begins where the last one ended.
    """

    def __init__(
        self,
        properties: Mapping[str, str],
        *,
        connect: Connect = Consumer,
        clock: Callable[[], float] = time.monotonic,
        patience: float = PATIENCE_SECONDS,
        least_left: int = LEAST_LEFT,
    ) -> None:
        self._consumer = connect({**properties, **_FIXED, "error_cb": self._remember})
        self._clock = clock
        self._patience = patience
        self._least_left = least_left
        self._partition: tuple[str, int] | None = None
        self._topics: set[str] = set()
        # The last range ended here.
        self._next = 0
        # Each record before this offset was received; those that nobody took yet are `_ahead`.
        self._reached = 0
        self._ahead: list[Message] = []
        self._end: int | None = None
        self._mean_bytes = 0.0
        self._last_error: KafkaError | None = None

    @property
    def is_assigned(self) -> bool:
        return self._partition is not None

    def reads(self, range_: OffsetRange) -> bool:
        """Return whether this consumer is assigned the range's partition."""
        return self._partition == (range_.topic, range_.partition)

    def continues(self, range_: OffsetRange) -> bool:
        """Return whether the range begins where the last one ended."""
        return self.reads(range_) and self._next == range_.start

    def read(self, range_: OffsetRange, *, chunk: int, chunk_bytes: int) -> Iterator[list[Message]]:
        """Yield the records of the range, in lists of bounded length and bytes.

        Raises ReadError. Close the consumer then, and also if records were left.
        """
        if not self.continues(range_):
            self._assign(range_)
        self._last_error = None
        silence = _Silence(self._clock)
        while True:
            if messages := self._take_before(range_.end):
                yield from _cut(messages, chunk_bytes)
                # The time that the caller takes for them is not the broker's.
                silence = _Silence(self._clock)
            if self._reached >= range_.end:
                break
            if self._receive(range_, self._count(chunk, chunk_bytes)):
                continue
            if silence.seconds > self._patience:
                raise self._unavailable(range_)
            if silence.is_suspicious():
                self._ask_why(range_)
        self._next = range_.end
        self._rest(range_)

    def close(self) -> None:
        """Leave the brokers and drop what was received beyond the last range."""
        self._ahead = []
        with suppress(KafkaException, RuntimeError):
            self._consumer.close()

    def _assign(self, range_: OffsetRange) -> None:
        self._meet(range_.topic)
        self._partition = (range_.topic, range_.partition)
        self._reached = range_.start
        self._end = None
        self._ahead = []
        self._consumer.assign([TopicPartition(range_.topic, range_.partition, range_.start)])

    def _meet(self, topic: str) -> None:
        """Ask for a topic that comes after others; librdkafka by itself looks once a second.

        The first one it looks for as soon as it has a connection.
        """
        if self._topics and topic not in self._topics:
            with suppress(KafkaException):
                self._consumer.list_topics(topic, timeout=_ANSWER_SECONDS)
        self._topics.add(topic)

    def _rest(self, range_: OffsetRange) -> None:
        """Stop near the partition's end, where records would be fetched one by one as they come.

        Another process may read what comes next.
        """
        partition = TopicPartition(range_.topic, range_.partition)
        _, end = self._consumer.get_watermark_offsets(partition, cached=True)
        if end - range_.end < self._least_left:
            self._consumer.unassign()
            self._partition, self._ahead = None, []

    def _count(self, chunk: int, chunk_bytes: int) -> int:
        if self._mean_bytes * chunk <= chunk_bytes:
            return chunk
        return max(1, int(chunk_bytes / self._mean_bytes))

    def _take_before(self, end: int) -> list[Message]:
        received = self._ahead
        cut = len(received)
        if received and _offset(received[-1]) >= end:
            cut = bisect_left(received, end, key=_offset)
        self._ahead = received[cut:]
        return received[:cut]

    def _receive(self, range_: OffsetRange, count: int) -> bool:
        """Receive the next records, and return whether that moved the position."""
        before = self._reached
        # Asked for many at once, librdkafka waits for the last of them, which may never come.
        messages = self._consumer.consume(1, _POLL_SECONDS)
        if messages and count > 1:
            messages += self._consumer.consume(count - 1, 0)
        errors = [error for message in messages if (error := message.error()) is not None]
        if errors:
            self._handle_errors(range_, messages)
            messages = [message for message in messages if message.error() is None]
        if messages:
            self._mean_bytes = sum(map(len, messages)) / len(messages)
            self._reached = max(self._reached, _offset(messages[-1]) + 1)
            self._ahead = messages
        if self._reached > before:
            self._last_error = None
        elif self._last_error is not None and self._last_error.code() in error_codes.FINAL:
            raise self._read_error(range_, self._last_error)
        return self._reached > before

    def _handle_errors(self, range_: OffsetRange, messages: list[Message]) -> None:
        for message in messages:
            error = message.error()
            if error is None:
                continue
            if error.code() == error_codes.END_OF_PARTITION:
                self._end = _offset(message)
                self._reached = max(self._reached, self._end)
            elif error.code() in error_codes.PASSING:
                self._last_error = error
            else:
                raise self._read_error(range_, error)

    def _read_error(self, range_: OffsetRange, error: KafkaError) -> ReadError:
        code = error.code()
        if code in error_codes.OUT_OF_RANGE:
            return self._data_loss(range_)
        if code in error_codes.UNKNOWN:
            return UnknownPartitionError(range_, error.str())
        if code in error_codes.ACCESS:
            return AccessError(range_, error.str())
        return ReadError(range_, error.str())

    def _ask_why(self, range_: OffsetRange) -> None:
        """Ask for the topic's metadata: librdkafka keeps some refusals of it to itself."""
        try:
            topics = self._consumer.list_topics(range_.topic, timeout=_ANSWER_SECONDS).topics
        except KafkaException as failure:
            self._last_error = failure.args[0]
            return
        topic = topics[range_.topic]
        partition = topic.partitions.get(range_.partition)
        if topic.error is None and partition is None:
            raise UnknownPartitionError(range_, "the topic has no such partition")
        error = topic.error or (partition and partition.error)
        if error is not None:
            self._last_error = error
            if error.code() in error_codes.FINAL:
                raise self._read_error(range_, error)

    def _data_loss(self, range_: OffsetRange) -> ReadError:
        partition = TopicPartition(range_.topic, range_.partition)
        try:
            offsets = self._consumer.get_watermark_offsets(partition, timeout=_ANSWER_SECONDS)
        except KafkaException as failure:
            # A topic that is being deleted loses its records first.
            if failure.args[0].code() in error_codes.UNKNOWN:
                return UnknownPartitionError(range_, failure.args[0].str())
            offsets = None
        earliest, latest = offsets or (None, None)
        return DataLossError(range_, earliest, latest)

    def _unavailable(self, range_: OffsetRange) -> BrokerUnavailableError:
        reason = f"nothing arrived after offset {self._reached} for {self._patience:g} s"
        if self._end is not None:
            reason = f"{reason}; for this reader the partition ends at offset {self._end}"
        if self._last_error is not None:
            reason = f"{reason} ({self._last_error.str()})"
        return BrokerUnavailableError(range_, reason)

    def _remember(self, error: KafkaError) -> None:
        self._last_error = error


class _Silence:
    """The time in which nothing arrives; after some of it a question is due, once."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._since = clock()
        self._was_suspicious = False

    @property
    def seconds(self) -> float:
        return self._clock() - self._since

    def is_suspicious(self) -> bool:
        """Return whether to ask why; True the first time only."""
        if self._was_suspicious or self.seconds <= _SUSPICIOUS_SECONDS:
            return False
        self._was_suspicious = True
        return True


def _offset(message: Message) -> int:
    return message.offset()  # type: ignore[return-value]


def _cut(messages: list[Message], chunk_bytes: int) -> Iterator[list[Message]]:
    """Cut before the record that would give a list more than so many bytes."""
    if sum(map(len, messages)) <= chunk_bytes:
        yield messages
        return
    start, size = 0, 0
    for index, message in enumerate(messages):
        size += len(message)
        if size > chunk_bytes and index > start:
            yield messages[start:index]
            start, size = index, len(message)
    yield messages[start:]

"""Ranges are read exactly, by consumers that keep what they received beyond a range."""

import pickle
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any

import pytest
from confluent_kafka import KafkaError, KafkaException, Message, TopicPartition

from frazil.spark_sink.tasks.consumer import PartitionConsumer
from frazil.spark_sink.tasks.offset_range import OffsetRange
from frazil.spark_sink.tasks.read_errors import (
    AccessError,
    BrokerUnavailableError,
    DataLossError,
    ReadError,
    UnknownPartitionError,
)
from frazil.spark_sink.tasks.reader import RangeReader, range_reader

EOF = KafkaError._PARTITION_EOF


def message(offset: int, value: bytes | None = b"v", *, topic: str = "t", at: int = 0) -> Message:
    return Message(topic=topic, partition=at, offset=offset, key=b"k", value=value)


def metadata(
    topic: KafkaError | None = None, partition: KafkaError | None = None, *, number: int = 0
) -> Any:
    partitions = {number: SimpleNamespace(error=partition)}
    return SimpleNamespace(error=topic, partitions=partitions)


@dataclass
class FakeCluster:
    """Partitions as lists of messages, and where each ends; all consumers that were connected."""

    logs: dict[tuple[str, int], list[Message]] = field(default_factory=dict)
    ends: dict[tuple[str, int], int] = field(default_factory=dict)
    starts: dict[tuple[str, int], int] = field(default_factory=dict)
    # Given to whoever asks next, in the place of records.
    replies: list[list[Message]] = field(default_factory=list)
    consumers: list["FakeConsumer"] = field(default_factory=list)
    # Of a partition without an end.
    without_offsets: int = KafkaError.UNKNOWN_TOPIC_OR_PART
    # Of the topic, or why there is none.
    metadata: Any = field(default_factory=metadata)

    def add(
        self,
        offsets: Iterable[int],
        *,
        end: int,
        value: bytes = b"v",
        topic: str = "t",
        at: int = 0,
    ) -> None:
        partition = topic, at
        log = self.logs.setdefault(partition, [])
        log += [message(offset, value, topic=topic, at=at) for offset in offsets]
        self.ends[partition] = end

    def connect(self, properties: dict[str, Any]) -> Any:
        self.consumers.append(FakeConsumer(self, properties))
        return self.consumers[-1]


@dataclass
class FakeConsumer:
    cluster: FakeCluster
    properties: dict[str, Any]
    partition: tuple[str, int] | None = None
    position: int = 0
    ended_at: int = -1
    assigned: list[tuple[str, int, int]] = field(default_factory=list)
    asked: list[int] = field(default_factory=list)
    looked_for: list[str] = field(default_factory=list)
    closed: bool = False

    def assign(self, partitions: list[TopicPartition]) -> None:
        (one,) = partitions
        self.partition, self.position, self.ended_at = (one.topic, one.partition), one.offset, -1
        self.assigned.append((one.topic, one.partition, one.offset))

    def unassign(self) -> None:
        self.partition = None

    def consume(self, count: int, _timeout: float) -> list[Message]:
        assert self.partition is not None
        assert not self.closed
        self.asked.append(count)
        if self.cluster.replies:
            return self.cluster.replies.pop(0)
        log, end = self.cluster.logs[self.partition], self.cluster.ends[self.partition]
        rest = [one for one in log if (one.offset() or 0) >= self.position]
        messages = rest[:count]
        if messages:
            self.position = (messages[-1].offset() or 0) + 1
        if len(messages) < count and len(messages) == len(rest) and self.ended_at != end:
            self.position = self.ended_at = end
            messages.append(failure(EOF, offset=end))
        return messages

    def get_watermark_offsets(self, partition: TopicPartition, **_how: Any) -> tuple[int, int]:
        of = partition.topic, partition.partition
        if of not in self.cluster.ends:
            raise KafkaException(KafkaError(self.cluster.without_offsets, "why"))
        return self.cluster.starts.get(of, 0), self.cluster.ends[of]

    def list_topics(self, topic: str, timeout: float) -> Any:
        assert timeout > 0
        self.looked_for.append(topic)
        if isinstance(self.cluster.metadata, KafkaError):
            raise KafkaException(self.cluster.metadata)
        return SimpleNamespace(topics={topic: self.cluster.metadata})

    def close(self) -> None:
        self.closed = True


def failure(code: int, reason: str = "why", *, offset: int = -1001) -> Message:
    return Message(topic="t", partition=0, offset=offset, error=KafkaError(code, reason))


@pytest.fixture
def cluster() -> FakeCluster:
    return FakeCluster()


@pytest.fixture
def reader(cluster: FakeCluster) -> RangeReader:
    return RangeReader({}, connect=cluster.connect, patience=0, least_left=1)


def offsets(
    reader: RangeReader, start: int, end: int, *, topic: str = "t", at: int = 0, **limits: int
) -> list[list[int]]:
    chunks = reader.read(OffsetRange(topic, at, start, end), **limits)
    return [chunk.offsets() for chunk in chunks]


def flat(chunks: list[list[int]]) -> list[int]:
    return [offset for chunk in chunks for offset in chunk]


@pytest.mark.parametrize(
    ("present", "end", "start", "stop", "expected"),
    [
        (range(10), 10, 0, 10, range(10)),
        (range(10), 10, 3, 7, range(3, 7)),
        (range(10), 10, 9, 10, [9]),
        # Compaction leaves gaps: at the start, in the middle, where the range ends.
        ([5, 6, 9], 10, 2, 10, [5, 6, 9]),
        ([0, 1, 8, 9], 10, 0, 5, [0, 1]),
        ([0, 1, 8, 9], 10, 2, 8, []),
        # Markers and aborted records: the partition ends behind its last record.
        ([0, 1, 2], 6, 0, 6, [0, 1, 2]),
        ([], 6, 0, 6, []),
        ([0, 7], 12, 3, 12, [7]),
        (range(10), 10, 4, 4, []),
        (range(10), 10, 7, 4, []),
    ],
)
def test_exactly_the_records_of_a_range_are_read(
    cluster: FakeCluster,
    reader: RangeReader,
    present: Iterable[int],
    end: int,
    start: int,
    stop: int,
    expected: Iterable[int],
) -> None:
    cluster.add(present, end=end)
    for limit in (1, 3, 2000):
        assert flat(offsets(reader, start, stop, chunk=limit)) == list(expected)


def test_ranges_in_a_row_are_the_whole_partition_wherever_they_are_cut(
    cluster: FakeCluster, reader: RangeReader
) -> None:
    present = [n for n in range(100) if n % 7 and n % 11]
    cluster.add(present, end=100)
    for step in (1, 2, 9, 50):
        parts = [offsets(reader, at, min(at + step, 100), chunk=5) for at in range(0, 100, step)]
        assert [offset for part in parts for offset in flat(part)] == present


def test_a_range_that_continues_the_last_one_takes_what_was_received_already(
    cluster: FakeCluster, reader: RangeReader
) -> None:
    cluster.add(range(10), end=10)
    assert offsets(reader, 0, 4) == [[0, 1, 2, 3]]
    (consumer,) = cluster.consumers
    asked = len(consumer.asked)
    assert offsets(reader, 4, 9) == [[4, 5, 6, 7, 8]]
    assert len(consumer.asked) == asked
    assert consumer.assigned == [("t", 0, 0)]


def test_the_end_of_a_partition_counts_also_for_the_next_range(
    cluster: FakeCluster, reader: RangeReader
) -> None:
    cluster.add([0, 1], end=9)
    cluster.ends["t", 0] = 9
    assert offsets(reader, 0, 5) == [[0, 1]]
    # librdkafka says it once.
    assert offsets(reader, 5, 9) == []


@pytest.mark.parametrize("start", [0, 3, 5])
def test_a_range_that_begins_elsewhere_is_fetched_anew(
    cluster: FakeCluster, reader: RangeReader, start: int
) -> None:
    cluster.add(range(10), end=10)
    offsets(reader, 0, 4)
    assert flat(offsets(reader, start, 8)) == list(range(start, 8))
    (consumer,) = cluster.consumers
    assert consumer.assigned == [("t", 0, 0), ("t", 0, start)]


def test_nothing_is_fetched_once_the_end_of_the_partition_is_read(
    cluster: FakeCluster, reader: RangeReader
) -> None:
    cluster.add(range(4), end=4)
    offsets(reader, 0, 4)
    (consumer,) = cluster.consumers
    assert consumer.partition is None
    cluster.add(range(4, 6), end=6)
    assert offsets(reader, 4, 6) == [[4, 5]]
    assert cluster.consumers == [consumer]


@pytest.mark.parametrize(
    ("end", "goes_on"), [(5, False), (9, False), (10, True)], ids=["at", "near", "far from"]
)
def test_a_consumer_goes_on_fetching_only_far_from_the_end_of_its_partition(
    cluster: FakeCluster, end: int, goes_on: bool
) -> None:
    cluster.add(range(end), end=end)
    reader = RangeReader({}, connect=cluster.connect, patience=0, least_left=5)
    assert flat(offsets(reader, 0, 5)) == list(range(5))
    (consumer,) = cluster.consumers
    assert (consumer.partition is not None) is goes_on
    assert flat(offsets(reader, 5, end)) == list(range(5, end))


def test_partitions_by_turns_have_consumers_of_their_own_up_to_a_limit(
    cluster: FakeCluster,
) -> None:
    reader = RangeReader({}, connect=cluster.connect, patience=0, most_kept=2, least_left=1)
    for partition in range(3):
        cluster.add(range(100), end=100, at=partition)
    for start in range(0, 40, 10):
        for partition in (0, 1):
            assert flat(offsets(reader, start, start + 10, at=partition)) == list(
                range(start, start + 10)
            )
    assert [len(consumer.assigned) for consumer in cluster.consumers] == [1, 1]
    assert flat(offsets(reader, 0, 10, at=2)) == list(range(10))
    # The one that was used longest ago is at another partition now.
    assert [len(consumer.assigned) for consumer in cluster.consumers] == [2, 1]


def test_a_consumer_looks_for_a_topic_that_comes_after_others_once(cluster: FakeCluster) -> None:
    for topic in ("a", "b"):
        cluster.add(range(2), end=2, topic=topic)
    reader = RangeReader({}, connect=cluster.connect, patience=0, most_kept=1)
    for topic in ("a", "b", "a", "b"):
        offsets(reader, 0, 2, topic=topic)
    (consumer,) = cluster.consumers
    assert consumer.looked_for == ["b"]


def test_a_topic_that_cannot_be_looked_for_is_read_all_the_same(cluster: FakeCluster) -> None:
    for topic in ("a", "b"):
        cluster.add(range(2), end=2, topic=topic)
    cluster.metadata = KafkaError(KafkaError._TRANSPORT)
    reader = RangeReader({}, connect=cluster.connect, patience=0, most_kept=1)
    assert [offsets(reader, 0, 2, topic=topic) for topic in ("a", "b")] == [[[0, 1]], [[0, 1]]]


def test_two_reads_at_once_do_not_share_a_consumer(
    cluster: FakeCluster, reader: RangeReader
) -> None:
    cluster.add(range(10), end=10)
    first = reader.read(OffsetRange("t", 0, 0, 10), chunk=2)
    begun = next(first).offsets()
    assert flat(offsets(reader, 0, 10)) == list(range(10))
    assert begun + [offset for chunk in first for offset in chunk.offsets()] == list(range(10))


@pytest.mark.parametrize(
    ("sizes", "limit", "lengths"),
    [
        ([10] * 6, 1_000, [6]),
        ([10] * 6, 25, [2, 2, 2]),
        ([100, 10, 10, 100], 20, [1, 2, 1]),
        ([100] * 3, 20, [1, 1, 1]),
        ([0, 0, 100, 0, 0], 20, [2, 1, 2]),
    ],
)
def test_a_chunk_has_at_most_so_many_bytes_but_one_record(
    cluster: FakeCluster, reader: RangeReader, sizes: list[int], limit: int, lengths: list[int]
) -> None:
    cluster.add([], end=len(sizes))
    messages = [message(offset, b"x" * size) for offset, size in enumerate(sizes)]
    cluster.replies = [messages[:1], messages[1:]]
    chunks = list(reader.read(OffsetRange("t", 0, 0, len(sizes)), chunk_bytes=limit))
    assert [offset for chunk in chunks for offset in chunk.offsets()] == list(range(len(sizes)))
    assert [len(chunk) for chunk in chunks] == lengths


def test_large_records_are_asked_for_a_few_at_a_time(
    cluster: FakeCluster, reader: RangeReader
) -> None:
    cluster.add(range(50), end=50, value=b"x" * 1000)
    assert flat(offsets(reader, 0, 50, chunk=10, chunk_bytes=3000)) == list(range(50))
    # The first time their size is not known; the last time they are over.
    assert max(cluster.consumers[0].asked[2:]) == 2


@pytest.mark.parametrize(
    ("code", "error"),
    [
        (KafkaError._AUTO_OFFSET_RESET, DataLossError),
        (KafkaError.OFFSET_OUT_OF_RANGE, DataLossError),
        (KafkaError.UNKNOWN_TOPIC_OR_PART, UnknownPartitionError),
        (KafkaError._UNKNOWN_PARTITION, UnknownPartitionError),
        (KafkaError.TOPIC_AUTHORIZATION_FAILED, AccessError),
        (KafkaError._BAD_MSG, ReadError),
        (KafkaError.MSG_SIZE_TOO_LARGE, ReadError),
    ],
)
def test_an_error_in_the_place_of_records_ends_the_read(
    cluster: FakeCluster, reader: RangeReader, code: int, error: type[ReadError]
) -> None:
    cluster.add(range(10), end=10)
    cluster.replies = [[message(0)], [message(1), failure(code)]]
    with pytest.raises(error, match="cannot deliver offsets 0 to 5 of t-0") as caught:
        offsets(reader, 0, 5)
    assert type(caught.value) is error
    assert not caught.value.is_retryable
    assert cluster.consumers[0].closed
    # The next read has a new one.
    assert flat(offsets(reader, 0, 5)) == list(range(5))


@pytest.mark.parametrize(
    ("earliest", "latest", "sentence"),
    [
        (7, 20, "records before offset 7 were deleted"),
        (0, 3, "the partition has offsets 0 to 3 now; was the topic created again?"),
    ],
)
def test_deleted_records_are_named_with_what_is_left(
    cluster: FakeCluster, reader: RangeReader, earliest: int, latest: int, sentence: str
) -> None:
    cluster.add([], end=latest)
    cluster.starts["t", 0] = earliest
    cluster.replies = [[failure(KafkaError._AUTO_OFFSET_RESET)]]
    with pytest.raises(DataLossError, match=sentence) as caught:
        offsets(reader, 5, 10)
    assert (caught.value.earliest, caught.value.latest) == (earliest, latest)
    assert caught.value.range == OffsetRange("t", 0, 5, 10)


def test_a_caller_may_take_longer_for_a_chunk_than_a_broker_may(cluster: FakeCluster) -> None:
    now = 0
    cluster.add(range(3, 5), end=5)
    cluster.replies = [[message(0)], [message(1), message(2)], []]
    consumer = PartitionConsumer({}, connect=cluster.connect, clock=lambda: now, patience=30)
    read: list[int | None] = []
    for messages in consumer.read(OffsetRange("t", 0, 0, 5), chunk=10, chunk_bytes=100):
        now += 100
        read += [message.offset() for message in messages]
    assert read == list(range(5))


@pytest.mark.parametrize(
    ("code", "error"),
    [
        (KafkaError.UNKNOWN_TOPIC_OR_PART, UnknownPartitionError),
        (KafkaError._TRANSPORT, DataLossError),
    ],
)
def test_deleted_records_of_a_deleted_topic_have_no_offsets(
    cluster: FakeCluster, reader: RangeReader, code: int, error: type[ReadError]
) -> None:
    cluster.without_offsets = code
    cluster.replies = [[failure(KafkaError._AUTO_OFFSET_RESET)], []]
    with pytest.raises(error) as caught:
        offsets(reader, 5, 10)
    assert type(caught.value) is error


def test_a_broker_that_is_away_is_waited_for_no_longer_than_patience_lasts(
    cluster: FakeCluster,
) -> None:
    cluster.add([0, 1], end=2)
    cluster.replies = [[failure(KafkaError._ALL_BROKERS_DOWN, "all down")]]
    # Each look at the clock takes a second.
    clock = iter(range(1000)).__next__
    consumer = PartitionConsumer({}, connect=cluster.connect, clock=clock, patience=30)
    with pytest.raises(BrokerUnavailableError, match="ends at offset 2") as caught:
        list(consumer.read(OffsetRange("t", 0, 0, 10), chunk=10, chunk_bytes=100))
    assert caught.value.is_retryable
    assert 10 <= len(cluster.consumers[0].asked) <= 40


DENIED = KafkaError(KafkaError.TOPIC_AUTHORIZATION_FAILED, "denied")
NO_LEADER = KafkaError(KafkaError.LEADER_NOT_AVAILABLE, "no leader")


@pytest.mark.parametrize(
    ("answer", "error", "sentence"),
    [
        (metadata(DENIED), AccessError, "denied"),
        (metadata(partition=DENIED), AccessError, "denied"),
        (metadata(number=1), UnknownPartitionError, "no such partition"),
        (metadata(partition=NO_LEADER), BrokerUnavailableError, "no leader"),
        (KafkaError(KafkaError._TRANSPORT, "away"), BrokerUnavailableError, "away"),
        (metadata(), BrokerUnavailableError, "for 30 s; for this reader"),
    ],
)
def test_silence_is_explained_by_the_metadata_of_the_topic(
    cluster: FakeCluster, answer: Any, error: type[ReadError], sentence: str
) -> None:
    cluster.add([], end=1)
    cluster.metadata = answer
    clock = iter(range(1000)).__next__
    consumer = PartitionConsumer({}, connect=cluster.connect, clock=clock, patience=30)
    with pytest.raises(error, match=sentence):
        list(consumer.read(OffsetRange("t", 0, 0, 5), chunk=10, chunk_bytes=100))


@pytest.mark.parametrize(
    ("code", "error"),
    [
        (KafkaError._AUTHENTICATION, AccessError),
        (KafkaError._SSL, AccessError),
        (KafkaError._TRANSPORT, BrokerUnavailableError),
        (KafkaError._ALL_BROKERS_DOWN, BrokerUnavailableError),
    ],
)
def test_what_the_client_reports_aside_is_the_reason_if_nothing_arrives(
    cluster: FakeCluster, code: int, error: type[ReadError]
) -> None:
    def connect(properties: dict[str, Any]) -> Any:
        consumer = cluster.connect(properties)
        consumer.unassign()
        consumer.assign = lambda _: properties["error_cb"](KafkaError(code, "the reason"))
        consumer.consume = reporting(properties["error_cb"], code)
        return consumer

    reader = RangeReader({}, connect=connect, patience=0)
    with pytest.raises(error, match="the reason"):
        offsets(reader, 0, 5)


def reporting(report: Callable[[KafkaError], None], code: int) -> Callable[..., list[Message]]:
    def consume(_count: int, _timeout: float) -> list[Message]:
        report(KafkaError(code, "the reason"))
        return []

    return consume


def test_rights_to_a_group_do_not_matter(cluster: FakeCluster, reader: RangeReader) -> None:
    cluster.add(range(3), end=3)
    cluster.replies = [[message(0), failure(KafkaError.GROUP_AUTHORIZATION_FAILED)], [message(1)]]
    cluster.logs["t", 0] = [message(2)]
    assert flat(offsets(reader, 0, 3)) == [0, 1, 2]


def test_a_client_that_cannot_be_built_is_refused() -> None:
    def connect(_: dict[str, Any]) -> Any:
        raise KafkaException(KafkaError(KafkaError._INVALID_ARG, "ssl.key.pem failed"))

    with pytest.raises(AccessError, match=r"ssl\.key\.pem failed"):
        offsets(RangeReader({}, connect=connect), 0, 1)


def test_a_caller_who_leaves_early_leaves_no_consumer_behind(
    cluster: FakeCluster, reader: RangeReader
) -> None:
    cluster.add(range(10), end=10)
    chunks = reader.read(OffsetRange("t", 0, 0, 10), chunk=1)
    next(chunks)
    chunks.close()  # type: ignore[attr-defined]
    assert cluster.consumers[0].closed
    assert flat(offsets(reader, 0, 10)) == list(range(10))


def test_closing_the_reader_closes_its_consumers(cluster: FakeCluster, reader: RangeReader) -> None:
    cluster.add(range(10), end=10)
    offsets(reader, 0, 5)
    reader.close()
    assert cluster.consumers[0].closed


def test_a_process_has_one_reader_for_a_configuration(monkeypatch: pytest.MonkeyPatch) -> None:
    first = range_reader({"bootstrap.servers": "a:1", "client.id": "c"})
    assert range_reader({"client.id": "c", "bootstrap.servers": "a:1"}) is first
    assert range_reader({"client.id": "d", "bootstrap.servers": "a:1"}) is not first
    monkeypatch.setattr("os.getpid", lambda: -1)
    assert range_reader({"client.id": "c", "bootstrap.servers": "a:1"}) is not first


def test_settings_that_ranges_depend_on_cannot_be_overridden(cluster: FakeCluster) -> None:
    given = {"auto.offset.reset": "earliest", "enable.partition.eof": "false", "client.id": "c"}
    reader = RangeReader(given, connect=cluster.connect, patience=0)
    cluster.add(range(3), end=3)
    offsets(reader, 0, 3)
    properties = cluster.consumers[0].properties
    assert properties["auto.offset.reset"] == "error"
    assert properties["enable.partition.eof"] == "true"
    assert properties["enable.auto.commit"] == "false"
    assert properties["client.id"] == "c"


@pytest.mark.parametrize(
    "error",
    [
        AccessError(OffsetRange("t", 0, 1, 2), "no"),
        DataLossError(OffsetRange("t", 0, 1, 2), 3, 4),
        BrokerUnavailableError(OffsetRange("t", 0, 1, 2), "no"),
    ],
)
def test_errors_travel_between_processes(error: ReadError) -> None:
    copy = pickle.loads(pickle.dumps(error))  # noqa: S301
    assert (type(copy), str(copy), copy.range) == (type(error), str(error), error.range)

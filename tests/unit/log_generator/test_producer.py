"""Dealing over partitions, counting what is acknowledged, and ending in every way there is."""

import asyncio
from collections import defaultdict
from typing import Any

import pytest
from aiokafka.errors import KafkaConnectionError

from frazil.contracts.log_topics import Topic
from frazil.log_generator.errors import NotAcknowledgedError
from frazil.log_generator.pace import CHUNK, Pace
from frazil.log_generator.producer import Report, _Lane
from frazil.log_generator.source import Source


class FakeBatch:
    def __init__(self, room: int) -> None:
        self.room = room
        self.values: list[bytes] = []

    def append(self, *, timestamp: None, key: None, value: bytes) -> object | None:
        del timestamp, key
        if self.values and sum(map(len, self.values)) + len(value) > self.room:
            return None
        self.values.append(value)
        return object()

    def record_count(self) -> int:
        return len(self.values)


class FakeProducer:
    """Acknowledges at once; after `fails_after` batches, never again."""

    def __init__(self, room: int = 10**6, fails_after: int | None = None) -> None:
        self.room = room
        self.fails_after = fails_after
        self.sent: dict[int, list[list[bytes]]] = defaultdict(list)

    def create_batch(self) -> FakeBatch:
        return FakeBatch(self.room)

    async def send_batch(
        self, batch: FakeBatch, topic: str, *, partition: int
    ) -> asyncio.Future[object]:
        assert topic == Topic.ERROR
        future: asyncio.Future[object] = asyncio.get_running_loop().create_future()
        if self.fails_after is not None and sum(map(len, self.sent.values())) >= self.fails_after:
            future.set_exception(KafkaConnectionError("gone"))
        else:
            future.set_result(object())
        self.sent[partition].append(batch.values)
        return future

    def counts(self) -> list[int]:
        return [sum(map(len, batches)) for _, batches in sorted(self.sent.items())]


async def run(
    producer: Any, pace: Pace, *, stop: asyncio.Event | None = None, bad: float = 0.0
) -> Report:
    report = Report(Topic.ERROR)
    source = Source(Topic.ERROR, seed=1, start_ns=0, bad=bad)
    lane = _Lane(producer, Topic.ERROR, [0, 1, 2])
    await lane.run(source, pace=pace, stop=stop or asyncio.Event(), report=report)
    return report


@pytest.mark.parametrize("count", [0, 1, 2, 3, 10_000])
async def test_records_are_spread_evenly_over_the_partitions(count: int) -> None:
    producer = FakeProducer()
    report = await run(producer, Pace(count=count))
    counts = producer.counts() or [0]
    assert report.produced == sum(counts) == count
    assert max(counts) - (min(counts) if count >= 3 else 0) <= 1


async def test_no_record_is_sent_twice_or_left_out() -> None:
    producer = FakeProducer()
    await run(producer, Pace(count=5_000))
    sent = [value for batches in producer.sent.values() for batch in batches for value in batch]
    expected = Source(Topic.ERROR, seed=1, start_ns=0).take(5_000, lambda: 0)
    strip = {value.split(b'"time"')[0] + value.split(b'"message"')[1] for value in sent}
    assert len(strip) == 5_000
    assert len(expected) == len(sent)


async def test_a_full_batch_is_followed_by_another() -> None:
    producer = FakeProducer(room=2_000)
    report = await run(producer, Pace(count=300))
    assert report.produced == 300
    sizes = [sum(map(len, b)) for batches in producer.sent.values() for b in batches]
    assert max(sizes) <= 2_000
    assert len(sizes) > 30


async def test_a_signal_ends_it_with_all_that_was_sent_acknowledged() -> None:
    stop = asyncio.Event()

    class StopsAfterThree(FakeProducer):
        async def send_batch(self, *args: Any, **kwargs: Any) -> asyncio.Future[object]:
            future = await super().send_batch(*args, **kwargs)
            if sum(map(len, self.sent.values())) >= 3:
                stop.set()
            return future

    producer = StopsAfterThree()
    report = await run(producer, Pace(), stop=stop)
    assert report.produced == sum(producer.counts()) == CHUNK


async def test_a_broker_that_goes_away_is_an_error_and_the_report_counts_what_it_took() -> None:
    report = Report(Topic.ERROR)
    producer: Any = FakeProducer(fails_after=3)
    lane = _Lane(producer, Topic.ERROR, [0, 1, 2])
    source = Source(Topic.ERROR, seed=1, start_ns=0)
    with pytest.raises(NotAcknowledgedError, match="stopped taking records for errorlogs"):
        await lane.run(source, pace=Pace(count=9_000), stop=asyncio.Event(), report=report)
    assert report.produced == CHUNK


async def test_bad_records_are_counted_among_the_produced() -> None:
    report = await run(FakeProducer(), Pace(count=1_000), bad=1.0)
    assert (report.produced, report.bad) == (1_000, 1_000)

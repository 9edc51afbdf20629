"""The loop around the store: its pace, its counts, and what it does when the store is away."""

import threading
from collections.abc import Iterable
from itertools import pairwise
from random import Random

import pytest
from structlog.testing import capture_logs
from tests.support.fast_clock import FastClock

from frazil.log_generator.errors import StoreUnavailableError
from frazil.log_generator.operations import Call, Calls, Operation, Outcome
from frazil.log_generator.traffic import Traffic

MIX = {Operation.PUT: 1, Operation.MISSING_KEY: 1}


class FakeStore:
    """Answers each call by its number, counted from 1; `None` is no answer at all."""

    def __init__(self, clock: FastClock, *, lost: range = range(0), unready: int = 0) -> None:
        self.clock = clock
        self.lost = lost
        self.unready = unready
        self.prepared = 0
        self.calls: list[tuple[float, Operation]] = []
        self._lock = threading.Lock()

    def prepare(self, buckets: Iterable[str]) -> None:
        assert list(buckets) == ["a"]
        self.prepared += 1
        if self.prepared <= self.unready:
            raise StoreUnavailableError("not yet")

    def do(self, call: Call) -> Outcome:
        with self._lock:
            self.calls.append((self.clock.time, call.operation))
            if len(self.calls) in self.lost:
                raise StoreUnavailableError("gone")
        return Outcome.MISSING if call.operation is Operation.MISSING_KEY else Outcome.OK


class BucketlessStore(FakeStore):
    """Loses its bucket with the first call."""

    def do(self, call: Call) -> Outcome:
        outcome = super().do(call)
        return Outcome.MISSING if len(self.calls) == 1 else outcome


def traffic(
    store: FakeStore,
    *,
    rate: float = 10,
    threads: int = 1,
    mix: dict[Operation, int] | None = None,
) -> Traffic:
    calls = Calls(Random(1), mix=mix or MIX, sizes={1: 1}, buckets=["a"])  # noqa: S311 (dice)
    return Traffic(store, calls, rate=rate, threads=threads, clock=store.clock)


async def test_operations_start_at_the_rate_and_are_counted_by_outcome() -> None:
    store = FakeStore(FastClock(10.0))
    busy = traffic(store, threads=4)
    await busy.run()
    counts = busy.counts()
    assert 99 <= len(store.calls) <= 101
    assert counts.keys() == {"put", "missing-key"}
    assert counts["put"].keys() == {"ok"}
    assert counts["missing-key"].keys() == {"missing"}
    assert counts["put"]["ok"] + counts["missing-key"]["missing"] == len(store.calls)


async def test_what_fails_as_expected_is_no_trouble() -> None:
    store = FakeStore(FastClock(10.0))
    with capture_logs() as lines:
        await traffic(store, mix={Operation.MISSING_KEY: 1}).run()
    assert store.prepared == 1
    assert lines == []


async def test_a_store_that_is_not_there_yet_is_waited_for_longer_and_longer() -> None:
    store = FakeStore(FastClock(100.0), unready=6)
    with capture_logs() as lines:
        await traffic(store).run()
    assert store.clock.waits[:6] == [1, 2, 4, 8, 16, 16]
    assert [line["event"] for line in lines] == ["store_away", "store_back"]
    assert store.calls[0][0] == pytest.approx(47, abs=0.2)


async def test_a_store_that_goes_away_is_one_line_a_pause_and_a_count() -> None:
    store = FakeStore(FastClock(60.0), lost=range(11, 14))
    busy = traffic(store)
    with capture_logs() as lines:
        await busy.run()
    assert [line["event"] for line in lines] == ["store_away", "store_back"]
    assert "gone" in lines[0]["reason"]
    assert sum(found.get("failed", 0) for found in busy.counts().values()) == 3
    gaps = [after - before for (before, _), (after, _) in pairwise(store.calls)]
    assert [round(gap) for gap in gaps[10:13]] == [1, 2, 4]
    assert not busy.is_waiting


async def test_a_pause_is_not_made_up_for() -> None:
    store = FakeStore(FastClock(60.0), lost=range(11, 15))
    await traffic(store).run()
    gaps = [after - before for (before, _), (after, _) in pairwise(store.calls)]
    assert min(gaps) == pytest.approx(0.1)


async def test_a_bucket_that_was_deleted_is_made_again() -> None:
    store = BucketlessStore(FastClock(10.0))
    with capture_logs() as lines:
        await traffic(store, mix={Operation.PUT: 1}).run()
    assert store.prepared == 2
    assert "bucket a is gone" in lines[0]["reason"]
    assert len(store.calls) > 50


async def test_a_slow_store_has_no_more_calls_than_threads() -> None:
    clock = FastClock(5.0)
    together = threading.Barrier(3, timeout=10)
    most = 0

    class SlowStore(FakeStore):
        under_way = 0

        def do(self, call: Call) -> Outcome:
            nonlocal most
            with self._lock:
                self.under_way += 1
                most = max(most, self.under_way)
            together.wait()
            with self._lock:
                self.under_way -= 1
            return super().do(call)

    store = SlowStore(clock)
    busy = traffic(store, threads=3, rate=6 / 5)
    await busy.run()
    assert most == 3
    assert len(store.calls) == 6


async def test_told_to_stop_it_never_starts() -> None:
    store = FakeStore(FastClock(1.0))
    store.clock.stop.set()
    await traffic(store).run()
    assert store.prepared == 0
    assert store.calls == []

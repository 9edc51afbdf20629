"""How many are due: never more than asked for, and in the end all of them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from frazil.log_generator.pace import CHUNK, Pace, Patience, Ticks


def drive(pace: Pace, ticks: list[float]) -> int:
    sent, elapsed = 0, 0.0
    for tick in ticks:
        elapsed += tick
        sent += pace.due(elapsed, sent)
    return sent


@given(rate=st.floats(0.01, 1000), ticks=st.lists(st.floats(0.001, 1), min_size=1, max_size=200))
def test_what_is_due_sums_to_rate_times_time(rate: float, ticks: list[float]) -> None:
    assert drive(Pace(rate=rate), ticks) == int(rate * sum(ticks_so_far(ticks)))


def ticks_so_far(ticks: list[float]) -> list[float]:
    """Add up as `drive` does, so that rounding is the same."""
    elapsed = 0.0
    for tick in ticks:
        elapsed += tick
    return [elapsed]


@given(count=st.integers(0, 20_000), rate=st.none() | st.floats(1, 10**6))
def test_a_count_is_reached_exactly_and_then_nothing_is_due(count: int, rate: float | None) -> None:
    pace = Pace(rate=rate, count=count)
    sent = drive(pace, [30_000.0] + [0.0] * (count // CHUNK + 1))
    assert sent == count
    assert pace.is_done(sent)
    assert pace.due(10**6, sent) == 0


def test_a_late_generator_catches_up_in_chunks() -> None:
    assert Pace(rate=1000).due(3600.0, 0) == CHUNK


def test_without_a_rate_every_chunk_is_full() -> None:
    assert Pace().due(0.0, 10**9) == CHUNK
    assert not Pace().is_done(10**9)


def test_ticks_keep_their_distance_however_late_each_one_is_heard() -> None:
    ticks = Ticks(rate=2, last=0.0)
    assert [ticks.wait(now) for now in (0.0, 0.6, 1.1)] == pytest.approx([0.5, 0.4, 0.4])


def test_ticks_that_were_missed_are_gone() -> None:
    ticks = Ticks(rate=2, last=0.0)
    assert ticks.wait(60.0) == 0
    assert ticks.wait(60.0) == 0.5


def test_patience_grows_to_its_end_and_begins_anew() -> None:
    patience = Patience()
    assert [patience.wait() for _ in range(7)] == [1, 2, 4, 8, 16, 16, 16]
    patience.reset()
    assert patience.wait() == 1

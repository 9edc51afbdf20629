"""Commits keep their distance, a backlog does not wait."""

from hypothesis import given
from hypothesis import strategies as st

from frazil.spark_sink.core.pace import interval_for, rest_after


def test_commits_are_spaced_out_by_the_interval() -> None:
    assert rest_after(2.0, interval=10.0, rows=5, most_rows=100) == 8.0


def test_a_batch_that_took_longer_than_the_interval_is_followed_at_once() -> None:
    assert rest_after(12.0, interval=10.0, rows=5, most_rows=100) == 0.0


def test_a_backlog_is_drained_without_rest() -> None:
    assert rest_after(2.0, interval=10.0, rows=99, most_rows=100) == 0.0


@given(st.floats(0, 1e6), st.floats(0, 1e6), st.integers(0, 10**9), st.integers(1, 10**9))
def test_a_rest_is_never_longer_than_the_interval(
    took: float, interval: float, rows: int, most_rows: int
) -> None:
    assert 0 <= rest_after(took, interval=interval, rows=rows, most_rows=most_rows) <= interval


def test_commits_are_as_rare_as_freshness_allows() -> None:
    assert interval_for(60.0, [2.0, 5.0, 3.0]) == 55.0
    assert interval_for(60.0, []) == 60.0
    assert interval_for(4.0, [9.0]) == 0.0

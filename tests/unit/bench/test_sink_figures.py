"""The arithmetic behind the figures of `make bench-sink`."""

from datetime import UTC, datetime, timedelta

import pytest
from bench.iceberg_sink.figures import DRAIN, Drain, Trickle, compare
from bench.iceberg_sink.watch import Commit

BEGIN = 1_000.0


def commit(after: float, rows: int, cpu: float = 0.0) -> Commit:
    seen = BEGIN + after
    return Commit(datetime.fromtimestamp(seen, UTC) - timedelta(milliseconds=50), seen, rows, cpu)


def drain(*commits: Commit) -> Drain:
    return Drain(BEGIN, commits, peak_mb=500.0, sizes=[2**20, 3 * 2**20], load=2.0)


def test_a_whole_drain_counts_from_the_post_to_the_last_row() -> None:
    run = drain(commit(4, 100), commit(10, 1000))
    assert (run.first_row, run.whole) == (4, 100)


def test_the_sustained_rate_leaves_out_the_first_commit_and_the_last() -> None:
    run = drain(commit(4, 100, 8), commit(6, 300, 9), commit(8, 500, 10), commit(60, 1000, 30))
    assert run.sustained == 100
    assert run.warm_cpu == pytest.approx(5_000)
    assert run.cpu == pytest.approx(30_000)


def test_two_commits_have_no_whole_interval() -> None:
    run = drain(commit(4, 100), commit(10, 1000))
    assert run.sustained is None
    assert run.warm_cpu is None


def test_rows_of_the_last_seconds_have_a_figure_of_their_own() -> None:
    rows = [(BEGIN + at, age) for at, age in ((0.5, 3.0), (3, 1.0), (12, 2.0), (21, 9.0))]
    commits = [commit(at, 1, cpu=at / 2) for at in (0.5, 3, 12, 21)]
    run = Trickle(BEGIN, commits, rows, files=6, peak_mb=1.0, load=1.0)
    assert run.ages == [1.0]
    assert run.last == 9.0
    assert run.cores == 0.5
    assert run.files_per_commit == 1.5


def test_a_figure_that_one_lacks_has_no_ratio() -> None:
    short, long = drain(commit(5, 500)), drain(commit(1, 1), commit(2, 2), commit(4, 100))
    rows = {row[0]: row[1:] for row in compare("x", DRAIN, short, long)}
    assert rows["x: records/s from POST on"] == ("100", "2.0", "25", "2.0", "4.00")
    assert rows["x: records/s, sustained"] == ("-", "2.0", "1", "2.0", "-")

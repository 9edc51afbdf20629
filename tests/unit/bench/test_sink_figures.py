"""The arithmetic behind the figures of `make bench-sink`."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

import pytest
from bench.iceberg_sink.cases import CASES, Case, Kind
from bench.iceberg_sink.comparison import Line, compare, share_of_clean
from bench.iceberg_sink.figures import FIGURES
from bench.iceberg_sink.processes import Memory
from bench.iceberg_sink.results import Drain, Run, Start, Trickle
from bench.iceberg_sink.targets import TARGETS
from bench.iceberg_sink.watch import Commit

BEGIN = 1_000.0
PEAK = Memory(jvm=300, tasks=150, rest=50)
CASE = {case.name: case for case in CASES}


def commit(after: float, rows: int, cpu: float = 0.0, table: str = "t") -> Commit:
    visible = BEGIN + after
    at = datetime.fromtimestamp(visible, UTC) - timedelta(milliseconds=50)
    return Commit(table, at, visible, rows, cpu)


def drain(*commits: Commit, peak: Memory = PEAK) -> Drain:
    return Drain(BEGIN, commits, peak=peak, sizes=[2**20, 3 * 2**20], load=2.0)


def figures(case: Case, ours: Sequence[Drain], genuine: Sequence[Drain]) -> dict[str, Line]:
    return {line.figure.key: line for line in compare(case, ours, genuine)}


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


def test_a_batch_lasts_from_a_tables_commit_to_its_next() -> None:
    times = {"a": (4, 6, 9), "b": (5, 7)}
    run = drain(*(commit(at, 1, table=name) for name, all_ in times.items() for at in all_))
    assert run.batch_seconds == 2
    assert drain(commit(4, 1, table="a"), commit(5, 1, table="b")).batch_seconds is None


def test_rows_of_the_last_seconds_have_a_figure_of_their_own() -> None:
    rows = [(BEGIN + at, age) for at, age in ((0.5, 3.0), (3, 1.0), (12, 2.0), (21, 9.0))]
    commits = [commit(at, 1, cpu=at / 2) for at in (0.5, 3, 12, 21)]
    run = Trickle(BEGIN, commits, rows, files=6, peak=PEAK, load=1.0)
    assert run.ages == [1.0]
    assert run.last == 9.0
    assert run.cores == 0.5
    assert run.files_per_commit == 1.5


def test_the_median_of_the_rounds_counts() -> None:
    ours = [drain(commit(after, 1000)) for after in (10, 2, 4)]
    genuine = [drain(commit(after, 1000)) for after in (1, 2, 20)]
    assert figures(CASE["wide"], ours, genuine)["first_row_s"].cells() == (
        *("wide", "POST to first row, s", "4.0", "2.0", "2.00", "", ""),
    )


def test_a_figure_that_one_lacks_has_no_ratio_and_no_verdict() -> None:
    short, long = drain(commit(5, 500)), drain(commit(1, 1), commit(2, 2), commit(4, 100))
    lines = figures(CASE["wide"], [short], [long])
    assert lines["rate"].cells()[2:] == ("100", "25", "4.00", "≥ 2", "yes")
    assert lines["sustained"].cells()[2:] == ("-", "1", "-", "≥ 2.5", "-")


@pytest.mark.parametrize(("seconds", "met"), [(2, True), (4, False)])
def test_some_targets_are_seconds_of_ours(seconds: float, met: bool) -> None:
    ours = drain(commit(1, 1), commit(1 + seconds, 2))
    line = figures(CASE["tables"], [ours], [])["batch_s"]
    assert (line.is_met, str(line.target)) == (met, "≤ 3 (ours)")


def test_odd_records_are_compared_with_clean_ones() -> None:
    clean = drain(commit(4, 0), commit(6, 200), commit(8, 400))
    odd = drain(commit(4, 0), commit(6, 180), commit(8, 400))
    lines = [*compare(CASE["wide"], [clean], [clean]), *compare(CASE["odd"], [odd], [])]
    (line,) = share_of_clean(lines)
    assert line.cells() == (
        *("odd", "sustained, of the clean rate", "0.90", "-", "-", "≥ 0.8 (ours)", "yes"),
    )
    assert not list(share_of_clean(lines[:10]))


COMMITS = [commit(at, at, cpu=at / 2) for at in (1, 2, 3, 4)]
RESULTS: dict[Kind, Run] = {
    Kind.DRAIN: drain(*COMMITS),
    Kind.TABLES: drain(*COMMITS),
    Kind.TRICKLE: Trickle(BEGIN, COMMITS, [(BEGIN + 2, 1.0), (BEGIN + 9, 1.0)], 4, PEAK, 1.0),
    Kind.START: Start(4.0, 3.0, 2.0, 1.0),
}


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_every_case_has_all_of_its_figures(case: Case) -> None:
    lines = compare(case, [RESULTS[case.kind]], [RESULTS[case.kind]])
    assert [line.figure for line in lines if line.ratio is not None] == [*FIGURES[case.kind]]


def test_every_target_is_that_of_a_figure() -> None:
    measured = {(case.name, figure.key) for case in CASES for figure in FIGURES[case.kind]}
    assert set(TARGETS) - measured == {("odd", "of_clean")}


def test_every_kind_has_a_case() -> None:
    assert {case.kind for case in CASES} == set(Kind)

"""What was seen of a sink, as figures: arithmetic on plain data."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Generic, TypeVar

from bench.iceberg_sink.watch import Commit

from frazil.cli.report import percentile

MILLION = 1_000_000
_MB = 2**20
_TAIL_SECONDS = 5


@dataclass(frozen=True)
class Drain:
    """A backlog from POST until all of its rows were visible; `sizes` are those of the files."""

    begin: float
    commits: Sequence[Commit]
    peak_mb: float
    sizes: Sequence[int]
    load: float

    @property
    def first_row(self) -> float:
        return self.commits[0].seen - self.begin

    @property
    def whole(self) -> float:
        return self.commits[-1].rows / (self.commits[-1].seen - self.begin)

    @property
    def sustained(self) -> float | None:
        """Records a second in whole commit intervals: without the first one, and the last one."""
        if self._between is None:
            return None
        first, last = self._between
        return (last.rows - first.rows) / (last.seen - first.seen)

    @property
    def cpu(self) -> float:
        """Return the seconds for a million records, of the whole run."""
        return self.commits[-1].cpu * MILLION / self.commits[-1].rows

    @property
    def warm_cpu(self) -> float | None:
        if self._between is None:
            return None
        first, last = self._between
        return (last.cpu - first.cpu) * MILLION / (last.rows - first.rows)

    @property
    def median_mb(self) -> float:
        return median(self.sizes) / _MB

    @property
    def _between(self) -> tuple[Commit, Commit] | None:
        # The last commit waits for partitions that have run dry.
        return (self.commits[0], self.commits[-2]) if len(self.commits) > 2 else None


@dataclass(frozen=True)
class Trickle:
    """Records at a steady rate, measured from `since` on.

    `rows` are pairs: when a row came to be seen, and how old its record was then.
    """

    since: float
    commits: Sequence[Commit]
    rows: Sequence[tuple[float, float]]
    files: int
    peak_mb: float
    load: float

    @property
    def ages(self) -> list[float]:
        """Leave out the last seconds: a sink whose tasks wait for records has its own figure."""
        last = self._end - _TAIL_SECONDS
        return [age for seen, age in self.rows if self.since < seen - age < last]

    @property
    def last(self) -> float:
        """Return the seconds from the last record to its row."""
        return self.commits[-1].seen - self._end

    @property
    def cores(self) -> float:
        first, *_, last = self._measured
        return (last.cpu - first.cpu) / (last.seen - first.seen)

    @property
    def files_per_commit(self) -> float:
        return self.files / len(self._measured)

    @property
    def _end(self) -> float:
        return max(seen - age for seen, age in self.rows)

    @property
    def _measured(self) -> list[Commit]:
        return [commit for commit in self.commits if commit.seen > self.since]


Run = TypeVar("Run", Drain, Trickle)
Row = tuple[str, ...]


@dataclass(frozen=True)
class Figure(Generic[Run]):
    what: str
    unit: str
    of: Callable[[Run], float | None]


COLUMNS = ("figure", "Frazil", "load", "Connect", "load", "ratio")
DRAIN: Sequence[Figure[Drain]] = (
    Figure("POST to first row, s", "{:.1f}", lambda run: run.first_row),
    Figure("records/s from POST on", "{:,.0f}", lambda run: run.whole),
    Figure("records/s, sustained", "{:,.0f}", lambda run: run.sustained),
    Figure("CPU s a million", "{:.1f}", lambda run: run.cpu),
    Figure("CPU s a million, sustained", "{:.1f}", lambda run: run.warm_cpu),
    Figure("peak memory, MB", "{:,.0f}", lambda run: run.peak_mb),
    Figure("commits", "{:,.0f}", lambda run: len(run.commits)),
    Figure("files", "{:,.0f}", lambda run: len(run.sizes)),
    Figure("median file, MB", "{:.2f}", lambda run: run.median_mb),
)
TRICKLE: Sequence[Figure[Trickle]] = (
    Figure("age at p50, s", "{:.2f}", lambda run: percentile(run.ages, 0.50)),
    Figure("age at p99, s", "{:.2f}", lambda run: percentile(run.ages, 0.99)),
    Figure("CPU, cores", "{:.2f}", lambda run: run.cores),
    Figure("peak memory, MB", "{:,.0f}", lambda run: run.peak_mb),
    Figure("files a commit", "{:.1f}", lambda run: run.files_per_commit),
    Figure("last row after the end, s", "{:.1f}", lambda run: run.last),
)


def compare(title: str, figures: Sequence[Figure[Run]], ours: Run, genuine: Run) -> list[Row]:
    """Put the figures of both side by side, each with the load average while it was measured."""
    return [_row(f"{title}: {figure.what}", figure, ours, genuine) for figure in figures]


def _row(label: str, figure: Figure[Run], ours: Run, genuine: Run) -> Row:
    mine, theirs = figure.of(ours), figure.of(genuine)
    ratio = f"{mine / theirs:.2f}" if mine is not None and theirs else "-"
    loads = [f"{run.load:.1f}" for run in (ours, genuine)]
    return (label, _said(mine, figure.unit), loads[0], _said(theirs, figure.unit), loads[1], ratio)


def _said(figure: float | None, unit: str) -> str:
    return "-" if figure is None else unit.format(figure)

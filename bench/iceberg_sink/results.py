"""What a run of a sink showed: arithmetic on plain data."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import median

from bench.iceberg_sink.processes import Memory
from bench.iceberg_sink.watch import Commit

MILLION = 1_000_000
_MB = 2**20
_TAIL_SECONDS = 5


@dataclass(frozen=True)
class Drain:
    """A backlog from POST until all of its rows were visible; `sizes` are those of the files."""

    begin: float
    commits: Sequence[Commit]
    peak: Memory
    sizes: Sequence[int]
    load: float

    @property
    def first_row(self) -> float:
        return self.commits[0].visible - self.begin

    @property
    def whole(self) -> float:
        return self.commits[-1].rows / (self.commits[-1].visible - self.begin)

    @property
    def sustained(self) -> float | None:
        """Records a second in whole commit intervals: without the first one, and the last one."""
        if self._between is None:
            return None
        first, last = self._between
        return (last.rows - first.rows) / (last.visible - first.visible)

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
    def batch_seconds(self) -> float | None:
        """Return the usual time from a table's commit to its next."""
        by_table: dict[str, list[float]] = defaultdict(list)
        for commit in self.commits:
            by_table[commit.table].append(commit.visible)
        gaps = [late - early for times in by_table.values() for early, late in pairwise(times)]
        return median(gaps) if gaps else None

    @property
    def _between(self) -> tuple[Commit, Commit] | None:
        # The last commit waits for partitions that have run dry.
        return (self.commits[0], self.commits[-2]) if len(self.commits) > 2 else None


@dataclass(frozen=True)
class Trickle:
    """Records at a steady rate, measured from `since` on.

    `rows` are pairs: when a row was visible, and how old its record was then.
    """

    since: float
    commits: Sequence[Commit]
    rows: Sequence[tuple[float, float]]
    files: int
    peak: Memory
    load: float

    @property
    def ages(self) -> list[float]:
        """Leave out the last seconds: a sink whose tasks wait for records has its own figure."""
        last = self._end - _TAIL_SECONDS
        return [age for visible, age in self.rows if self.since < visible - age < last]

    @property
    def last(self) -> float:
        """Return the seconds from the last record to its row."""
        return self.commits[-1].visible - self._end

    @property
    def cores(self) -> float | None:
        if len(self._measured) < 2:
            return None
        first, *_, last = self._measured
        return (last.cpu - first.cpu) / (last.visible - first.visible)

    @property
    def files_per_commit(self) -> float:
        return self.files / len(self._measured)

    @property
    def _end(self) -> float:
        return max(visible - age for visible, age in self.rows)

    @property
    def _measured(self) -> list[Commit]:
        return [commit for commit in self.commits if commit.visible > self.since]


@dataclass(frozen=True)
class Start:
    """Seconds from POST to the first row, while a backlog waits or few records.

    `standby` has a worker that waits for its connector, as the genuine sink always has.
    """

    backlog: float
    few: float
    standby_backlog: float
    standby_few: float


Run = Drain | Trickle | Start

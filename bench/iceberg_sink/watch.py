"""What a sink does while it is measured: commits that become visible, CPU, memory, load."""

import json
import os
import sqlite3
import time
from collections.abc import Iterator
from contextlib import closing, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from statistics import fmean
from urllib.parse import urlsplit

from frazil.cli.screen import OnProgress

_TICKS = os.sysconf("SC_CLK_TCK")
_PAGE = os.sysconf("SC_PAGE_SIZE")
# Each look at the pointer takes 0.1 ms; at all processes 10 ms, on the cores that are measured.
_POINTER_SECONDS = 0.02
_PROCESS_SECONDS = 0.5


@dataclass(frozen=True)
class Commit:
    """A snapshot: what it says of its own time, and when the catalog showed it to others.

    `rows` are all rows of the table then, `cpu` the seconds that the sink had spent by then.
    """

    made: datetime
    seen: float
    rows: int
    cpu: float


@dataclass
class Processes:
    """A process and all below it; the CPU of those that have ended stays counted."""

    root: int
    _spent: dict[int, float] = field(default_factory=dict)

    def look(self) -> tuple[float, float]:
        """Return the CPU seconds of all so far, and the resident megabytes of those that live."""
        known = {pid: (parent, cpu, mb) for pid, parent, cpu, mb in _every_process()}
        alive = set(_tree(self.root, {pid: parent for pid, (parent, _, _) in known.items()}))
        self._spent |= {pid: known[pid][1] for pid in alive}
        return sum(self._spent.values()), sum(known[pid][2] for pid in alive)


def _every_process() -> Iterator[tuple[int, int, float, float]]:
    for entry in Path("/proc").iterdir():
        # A process may end while it is looked at.
        with suppress(ValueError, OSError):
            pid = int(entry.name)
            stat = (entry / "stat").read_text().rpartition(")")[2].split()
            cpu = (int(stat[11]) + int(stat[12])) / _TICKS
            yield pid, int(stat[1]), cpu, int(stat[21]) * _PAGE / 2**20


def _tree(root: int, parents: dict[int, int]) -> Iterator[int]:
    if root in parents:
        yield root
        for pid, parent in parents.items():
            if parent == root:
                yield from _tree(pid, parents)


class Watch:
    """Follows one table and the processes of the sink that fills it."""

    def __init__(self, database: Path, table: str, processes: Processes) -> None:
        self._database, self.table = database, table
        self._processes = processes
        self._location = self._pointer()
        self._loads: list[float] = []
        self._looked = 0.0
        self.cpu_begin, self._mb = processes.look()
        self.begin = time.time()
        self.peak_mb = self._mb
        self.commits: list[Commit] = []

    @property
    def rows(self) -> int:
        return self.commits[-1].rows if self.commits else 0

    @property
    def load(self) -> float:
        return fmean(self._loads)

    def cpu(self) -> float:
        """Return the seconds spent since the watch began."""
        return self._processes.look()[0] - self.cpu_begin

    def until(self, rows: int, *, seconds: float, on_progress: OnProgress) -> bool:
        """Look until the table shows that many rows; tell whether it did, in time and no more."""
        deadline = time.monotonic() + seconds
        while self.rows < rows and time.monotonic() < deadline:
            if self._look():
                on_progress(self.rows, rows)
            time.sleep(_POINTER_SECONDS)
        return self.rows == rows

    def _look(self) -> bool:
        """Tell whether there was a new commit."""
        if time.monotonic() - self._looked > _PROCESS_SECONDS:
            self._looked = time.monotonic()
            self._loads.append(os.getloadavg()[0])
            self.peak_mb = max(self.peak_mb, self._processes.look()[1])
        found, seen = self._pointer(), time.time()
        if found == self._location:
            return False
        self._location = found
        made, rows = _newest(found)
        self.commits.append(Commit(made, seen, rows, self.cpu()))
        return True

    def _pointer(self) -> str:
        """Ask the catalog's database itself: a commit is there once this changes."""
        question = "SELECT metadata_location FROM iceberg_tables WHERE table_name = ?"
        with closing(sqlite3.connect(self._database, timeout=10)) as asked:
            return str(asked.execute(question, (self.table,)).fetchone()[0])


def _newest(location: str) -> tuple[datetime, int]:
    """Read the time of the newest snapshot and the rows of the table with it."""
    metadata = json.loads(Path(urlsplit(location).path).read_text())
    newest = metadata["snapshots"][-1]
    made = datetime.fromtimestamp(newest["timestamp-ms"] / 1000, UTC)
    return made, int(newest["summary"].get("total-records", 0))

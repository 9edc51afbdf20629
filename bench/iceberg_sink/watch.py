"""What a sink does while it is measured: commits that become visible, CPU, memory, load."""

import json
import os
import sqlite3
import time
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass
from datetime import UTC, datetime
from statistics import fmean

from bench.iceberg_sink.lake import Lake
from bench.iceberg_sink.processes import Processes

from frazil.cli.screen import OnProgress

# The pointers take 0.1 ms, all processes 10 ms, memory more: of the cores that are measured.
_POINTER_SECONDS = 0.02
_CPU_SECONDS = 0.1
_MEMORY_SECONDS = 1.0


@dataclass(frozen=True)
class Commit:
    """A snapshot that added rows: its own time, and when the catalog showed it to others.

    `rows` are those of all tables then, `cpu` the seconds that the sink had spent by then.
    """

    table: str
    committed: datetime
    visible: float
    rows: int
    cpu: float


class Watch:
    """Follows tables and the processes of the sink that fills them."""

    def __init__(self, lake: Lake, tables: Sequence[str], processes: Processes) -> None:
        self._lake, self.tables = lake, tables
        self._processes = processes
        self._locations = self._pointers()
        self._rows = dict.fromkeys(tables, 0)
        self._loads = [os.getloadavg()[0]]
        self.peak = processes.memory()
        self._memory_read = self._cpu_read = time.monotonic()
        self._cpu_begin = self._cpu = processes.cpu()
        self.commits: list[Commit] = []
        self.begin = time.time()

    @property
    def rows(self) -> int:
        return sum(self._rows.values())

    @property
    def load(self) -> float:
        return fmean(self._loads)

    def until(self, rows: int, *, patience: float, on_progress: OnProgress) -> None:
        """Look until the tables show that many rows, or there was no commit for too long."""
        deadline = time.monotonic() + patience
        while self.rows < rows and time.monotonic() < deadline:
            if self._see_commits():
                deadline = time.monotonic() + patience
                on_progress(self.rows, rows)
            self._see_memory()
            time.sleep(_POINTER_SECONDS)

    def _see_commits(self) -> bool:
        """Return whether there are new commits."""
        pointers, visible = self._pointers(), time.time()
        changed = [table for table in self.tables if pointers[table] != self._locations[table]]
        before = len(self.commits)
        for table in changed:
            self._locations[table] = pointers[table]
            committed, rows = self._newest(pointers[table])
            # A schema change is a new pointer as well.
            if rows > self._rows[table]:
                self._rows[table] = rows
                self.commits.append(Commit(table, committed, visible, self.rows, self._spent()))
        return len(self.commits) > before

    def _see_memory(self) -> None:
        if time.monotonic() - self._memory_read > _MEMORY_SECONDS:
            self._memory_read = time.monotonic()
            self._loads.append(os.getloadavg()[0])
            self.peak = max(self.peak, self._processes.memory(), key=sum)

    def _spent(self) -> float:
        """Return the CPU seconds since the watch began; many tables share an answer."""
        if time.monotonic() - self._cpu_read > _CPU_SECONDS:
            self._cpu = self._processes.cpu()
            self._cpu_read = time.monotonic()
        return self._cpu - self._cpu_begin

    def _pointers(self) -> dict[str, str]:
        """Ask the catalog's database itself: a commit is there once this changes."""
        question = "SELECT table_name, metadata_location FROM iceberg_tables"
        with closing(sqlite3.connect(self._lake.database, timeout=10)) as database:
            return dict(database.execute(question).fetchall())

    def _newest(self, location: str) -> tuple[datetime, int]:
        """Read the time of the current snapshot and the rows of the table with it."""
        metadata = json.loads(self._lake.read(location))
        current = metadata.get("current-snapshot-id")
        for snapshot in metadata.get("snapshots", []):
            if snapshot["snapshot-id"] == current:
                committed = datetime.fromtimestamp(snapshot["timestamp-ms"] / 1000, UTC)
                return committed, int(snapshot["summary"].get("total-records", 0))
        return datetime.now(UTC), 0

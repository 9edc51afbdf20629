"""CPU and memory of a sink: all its processes, whichever of them starts or ends."""

import os
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

_TICKS = os.sysconf("SC_CLK_TCK")
_PROC = Path("/proc")
_KB = 1024
_JVM = "java"
_TASKS = "frazil.worker.python_daemon"


class Memory(NamedTuple):
    """In MB: of JVMs, of Spark's Python workers, and of all else."""

    jvm: float
    tasks: float = 0.0
    rest: float = 0.0


@dataclass(frozen=True)
class Processes:
    """A process and its descendants: the control API, drivers, JVMs, Spark's Python workers."""

    root: int

    def cpu(self) -> float:
        """Return the CPU seconds of all, those that have ended included.

        A parent inherits the times of each child that it has waited for.
        """
        stats = dict(_all_stats())
        return sum(stats[pid].cpu for pid in _tree(self.root, stats))

    def count(self) -> int:
        stats = dict(_all_stats())
        return sum(not stats[pid].has_ended for pid in _tree(self.root, stats))

    def memory_mb(self) -> float:
        return sum(self.memory())

    def memory(self) -> Memory:
        """Return the proportional set size: a page that processes share counts once."""
        parts = {_JVM: 0.0, _TASKS: 0.0, "": 0.0}
        for pid in _tree(self.root, dict(_all_stats())):
            parts[_part(pid)] += _pss_mb(pid)
        return Memory(*parts.values())


@dataclass(frozen=True)
class _Stat:
    parent: int
    has_ended: bool
    cpu: float


def _all_stats() -> Iterator[tuple[int, _Stat]]:
    for entry in _PROC.iterdir():
        # A process may end between the two.
        with suppress(ValueError, OSError):
            yield int(entry.name), _stat((entry / "stat").read_text())


def _stat(text: str) -> _Stat:
    """Read the state, the parent and four times: user and system, own and of ended children."""
    # As proc(5) has it; a process that has ended stays until its parent has waited for it.
    fields = text.rpartition(")")[2].split()
    times = map(int, fields[11:15])
    return _Stat(int(fields[1]), has_ended=fields[0] == "Z", cpu=sum(times) / _TICKS)


def _tree(root: int, stats: dict[int, _Stat]) -> Iterator[int]:
    if root in stats:
        yield root
        for pid, stat in stats.items():
            if stat.parent == root:
                yield from _tree(pid, stats)


def _part(pid: int) -> str:
    with suppress(OSError):
        program, *arguments = (_PROC / str(pid) / "cmdline").read_text().split("\0")
        if Path(program).name == _JVM:
            return _JVM
        if _TASKS in arguments:
            return _TASKS
    return ""


def _pss_mb(pid: int) -> float:
    with suppress(OSError):
        for line in (_PROC / str(pid) / "smaps_rollup").read_text().splitlines():
            if line.startswith("Pss:"):
                return int(line.split()[1]) / _KB
    return 0.0

"""Measures connectors that share a driver, or find one that waits; for performance.md.

`make bench-groups`: how long each kind takes from POST to its first row, and the memory of ten.
"""

import subprocess
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import median

import httpx
from bench.iceberg_sink.payloads import WIDE
from bench.iceberg_sink.rig import Rig, new_stack, start_stack
from pyiceberg.partitioning import UNPARTITIONED_PARTITION_SPEC

from frazil.cli import stack as stacks
from frazil.cli.generator import generator_command
from frazil.cli.screen import Screen
from frazil.cli.stack import Stack

_STARTS = 3
_TOGETHER = 10
_RATE = 100
_WAITING = 1000
_WATCH_SECONDS = 60
# A driver that waits has come up by then, on whatever machine.
_COME_UP_SECONDS = 40
_END_SECONDS = 20
_PATIENCE_SECONDS = 300
_TABLE = replace(WIDE, spec=UNPARTITIONED_PARTITION_SPEC)
_GROUP = {"frazil.worker.group": "bench"}


@dataclass
class Bench:
    rig: Rig
    idle_mb: float
    made: int = 0

    def first_row(self, keys: Mapping[str, str], *, keep: bool = False) -> float:
        """Create a connector for which records wait; return the seconds to its first row."""
        name = f"c{self.made}"
        self.made += 1
        self.rig.lake.create_table(name, _TABLE)
        begun = time.monotonic()
        config = self.rig.config(WIDE.name, name, tasks=1, interval_ms=1000)
        self.rig.ours.create(name, {**config, **keys})
        while self.rig.lake.load_table(name).current_snapshot() is None:
            if time.monotonic() - begun > _PATIENCE_SECONDS:
                raise SystemExit(f"{name} wrote nothing: {self.rig.ours.status(name)}")
            time.sleep(0.1)
        took = time.monotonic() - begun
        if not keep:
            self.rig.ours.delete(name)
        return took

    def usual_mb(self) -> float:
        """Watch what workers take while records come, once those of before have ended.

        Not the most: a JVM that starts a program is for a moment there twice.
        """
        time.sleep(_END_SECONDS)
        deadline, looks = time.monotonic() + _WATCH_SECONDS, []
        with self.produce("-n", str(_RATE * 2 * _WATCH_SECONDS), "--rate", str(_RATE)):
            while time.monotonic() < deadline:
                looks.append(self.rig.ours.processes.memory_mb())
                time.sleep(1)
        return median(looks) - self.idle_mb

    def delete_all(self) -> None:
        for name in httpx.get(f"{self.rig.ours.url}/connectors", timeout=60).json():
            self.rig.ours.delete(name)

    @contextmanager
    def produce(self, *options: str) -> Iterator["subprocess.Popen[bytes]"]:
        command = generator_command(WIDE.name, *options, servers=self.rig.servers)
        with subprocess.Popen(
            command,
            env=self.rig.stack.tools.environment,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        ) as producer:
            yield producer
            producer.kill()


def main() -> None:
    screen = Screen()
    rows = [*_measure(screen, waiting=0), *_measure(screen, waiting=1)]
    screen.table(("", "POST to first row, median", "each", "MB of workers"), rows)


def _measure(screen: Screen, *, waiting: int) -> list[tuple[str, str, str, str]]:
    with tempfile.TemporaryDirectory() as home:
        stack = _stack(Path(home), screen, waiting)
        try:
            with screen.step("Broker, catalog, control API"):
                lake, sink = start_stack(stack, extra={})
            rig = Rig(stack, lake, sink, sink, partitions=4)
            rig.create_topics(WIDE.name)
            bench = Bench(rig, idle_mb=sink.processes.memory_mb())
            with bench.produce("-n", str(_WAITING)) as producer:
                producer.wait()
            return list((_waiting if waiting else _alone_and_grouped)(bench, screen))
        finally:
            stacks.stop(stack.folder)


def _stack(home: Path, screen: Screen, waiting: int) -> Stack:
    stack = new_stack(home, screen)
    settings = {"FRAZIL_WAITING_WORKERS": str(waiting), "FRAZIL_WORKER_GROUPS": "bench"}
    environment = {**stack.tools.environment, **settings}
    return replace(stack, tools=replace(stack.tools, environment=environment))


def _alone_and_grouped(bench: Bench, screen: Screen) -> Iterator[tuple[str, str, str, str]]:
    with screen.step("Each with a driver of its own"):
        starts = [bench.first_row({}) for _ in range(_STARTS)]
        bench.first_row({}, keep=True)
        yield _row("a driver of its own", starts, bench.usual_mb())
        bench.delete_all()
    with screen.step(f"{_TOGETHER} in one driver"):
        bench.first_row(_GROUP, keep=True)
        starts = [bench.first_row(_GROUP, keep=True) for _ in range(_TOGETHER - 1)]
        yield _row(f"{_TOGETHER} in one driver, which runs", starts, bench.usual_mb())


def _waiting(bench: Bench, screen: Screen) -> Iterator[tuple[str, str, str, str]]:
    with screen.step("With a worker that waits"):
        starts = []
        for _ in range(_STARTS):
            time.sleep(_COME_UP_SECONDS)
            starts.append(bench.first_row({}))
    yield _row("one that waited", starts, None)


def _row(name: str, starts: list[float], usual: float | None) -> tuple[str, str, str, str]:
    each = ", ".join(f"{start:.1f}" for start in starts)
    return name, f"{median(starts):.1f} s", each, "" if usual is None else f"{usual:,.0f}"


if __name__ == "__main__":
    main()

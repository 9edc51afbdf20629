"""Measures a sink that looks after its table; the figures of docs/explanation/performance.md.

`make bench-soak` sends 1,000 records a second to a sink without maintenance and then, for longer,
to one with it: has it made records later, and what is the table like in the end?
"""

import argparse
import subprocess
import tempfile
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import median

from bench.iceberg_sink.payloads import WIDE
from bench.iceberg_sink.rig import Rig, new_stack, start_stack
from pyiceberg.partitioning import UNPARTITIONED_PARTITION_SPEC
from pyiceberg.table import Table

from frazil.cli import stack as stacks
from frazil.cli.generator import generator_command
from frazil.cli.report import percentile
from frazil.cli.screen import Screen
from frazil.contracts.ledger import Ledger

RATE = 1000
_MIB = 1024 * 1024
_FRESHNESS_MS = 10_000
_KEYS = {
    "frazil.freshness.ms": str(_FRESHNESS_MS),
    "consumer.override.auto.offset.reset": "latest",
}
# Without partitions, for they would divide among them what little comes in half an hour.
_TABLE = replace(WIDE, spec=UNPARTITIONED_PARTITION_SPEC)
_COLUMNS = (
    *("seconds", "age p50 s", "age p99 s", "CPU cores", "peak MB"),
    *("rows", "files", "median MB", "snapshots"),
)
# Of a new JVM, in which everything is slow for once.
_WARM_UP = 90
# What a table has left is put together once it has rested for ten minutes.
_REST = 720
_LOOK = 1.0


@dataclass(frozen=True)
class Load:
    """What the sink's processes took while records came."""

    since: float
    cores: float
    peak_mb: float


@dataclass(frozen=True)
class Bench:
    rig: Rig
    screen: Screen

    def measure(self, name: str, seconds: int, keys: Mapping[str, str]) -> tuple[str, ...]:
        self.rig.lake.create_table(name, _TABLE)
        config = self.rig.config(WIDE.name, name, tasks=2, interval_ms=_FRESHNESS_MS)
        self.rig.ours.create(name, {**config, **_KEYS, **keys})
        with self.screen.step(f"{name}: {seconds} s at {RATE:,} records/s"):
            load = self._send(seconds)
        if keys:
            with self.screen.step(f"{name}: until the table is in shape"):
                time.sleep(_REST)
        self.rig.ours.delete(name)
        return self._figures(self.rig.lake.load_table(name), seconds, load)

    def _send(self, seconds: int) -> Load:
        options = ("-n", str(RATE * (seconds + _WARM_UP)), "--rate", str(RATE))
        producer = subprocess.Popen(
            generator_command(WIDE.name, *options, servers=self.rig.servers),
            env=self.rig.stack.tools.environment,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        try:
            time.sleep(_WARM_UP)
            since, processes = time.time(), self.rig.ours.processes
            before, peak = processes.cpu(), processes.memory_mb()
            while producer.poll() is None:
                peak = max(peak, processes.memory_mb())
                time.sleep(_LOOK)
            spent = processes.cpu() - before
            return Load(since, spent / (time.time() - since), peak)
        finally:
            producer.kill()
            producer.wait()

    def _figures(self, table: Table, seconds: int, load: Load) -> tuple[str, ...]:
        ages = list(_ages(table, load.since))
        sizes = [file.file.file_size_in_bytes for file in table.scan().plan_files()]
        snapshot = table.current_snapshot()
        rows = int(snapshot.summary["total-records"] or 0) if snapshot and snapshot.summary else 0
        return (
            f"{seconds:,}",
            f"{percentile(ages, 0.50):.2f}",
            f"{percentile(ages, 0.99):.2f}",
            f"{load.cores:.2f}",
            f"{load.peak_mb:,.0f}",
            f"{rows:,}",
            f"{len(sizes):,}",
            f"{median(sizes) / _MIB:.2f}",
            f"{len(table.snapshots()):,}",
        )


def _ages(table: Table, since: float) -> Iterator[float]:
    """Give how old records were when their rows were visible, for every hundredth or so.

    They came at a steady rate, so those of a commit lie evenly between its oldest and its newest.
    """
    for snapshot in table.snapshots():
        found = snapshot.summary
        ledger = found and Ledger.from_summary(found.additional_properties, table.name()[-1])
        visible = snapshot.timestamp_ms / 1000
        if ledger and ledger.min_time and ledger.max_time and ledger.min_time.timestamp() > since:
            oldest, newest = ledger.min_time.timestamp(), ledger.max_time.timestamp()
            steps = max(1, ledger.written // 100)
            for step in range(steps):
                yield visible - oldest - (newest - oldest) * (step + 0.5) / steps


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--seconds", type=int, default=1800, help="with maintenance")
    parser.add_argument("--without", type=int, default=300, help="seconds without")
    parser.add_argument("--file-mb", type=int, default=64, help="objective of file sizes")
    options = parser.parse_args()
    kept = {
        "frazil.maintenance.enabled": "true",
        "frazil.maintenance.file.bytes": str(options.file_mb * _MIB),
    }
    screen = Screen()
    with tempfile.TemporaryDirectory() as home:
        stack = new_stack(Path(home), screen)
        try:
            with screen.step("Broker, catalog, control API"):
                lake, sink = start_stack(stack, extra={})
            # There is no peer; the rig only wants two.
            bench = Bench(Rig(stack, lake, sink, sink, partitions=4), screen)
            bench.rig.create_topics(WIDE.name)
            measured = [
                ("without maintenance", *bench.measure("plain", options.without, {})),
                ("with it", *bench.measure("kept", options.seconds, kept)),
            ]
        finally:
            stacks.stop(stack.folder)
    screen.table(("", *_COLUMNS), measured)


if __name__ == "__main__":
    main()

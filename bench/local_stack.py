"""Measures the local stack as its users feel it; the figures of docs/explanation/performance.md.

`make bench` starts a stack of its own, lets one sink at a time run, and prints a table.
"""

import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from statistics import median

import httpx

from frazil.cli import stack as stacks
from frazil.cli.connectors import connector_config, connector_views
from frazil.cli.folder import StackFolder
from frazil.cli.generator import generator_command
from frazil.cli.ports import free_ports
from frazil.cli.prepare import prepare
from frazil.cli.report import percentile
from frazil.cli.screen import Screen, quiet_step
from frazil.cli.settings import CliSettings, read_settings
from frazil.cli.stack import Stack
from frazil.cli.tables import Tables, ages_at_commit, committed_files
from frazil.contracts.ledger import Ledger
from frazil.contracts.states import ConnectState

STARTS, STARTED_WITH = 3, 1000
DRAIN_RECORDS = 400_000
DRAIN_BATCH = 100_000
RATE, RATE_SECONDS = 1000, 30
TABLE = "apilogs"


def main() -> None:
    screen, settings = Screen(), read_settings()
    with tempfile.TemporaryDirectory() as home, running_stack(Path(home), settings, screen) as lab:
        lab.produce("-n", str(STARTED_WITH))
        starts = [lab.time_first_row(number) for number in range(STARTS)]
        drain = lab.drain()
        screen.table(
            ("figure", "value"),
            [
                ("POST to first row, median (1,000 records wait)", f"{median(starts):.1f} s"),
                ("POST to first row, each", ", ".join(f"{start:.1f}" for start in starts)),
                *drain,
                *lab.freshness(),
                *lab.memory(),
            ],
        )


class Bench:
    """One stack in which the benchmark's own connectors run, one at a time."""

    def __init__(self, stack: Stack) -> None:
        self._stack = stack
        self._url = stack.ports.api_url
        self._tables = Tables(stack.folder)
        self._config = connector_config(self._url, f"iceberg-sink-{TABLE}")
        for view in connector_views(self._url):
            self._stop(view.name)

    def produce(self, *options: str) -> None:
        command = generator_command(TABLE, *options, servers=self._stack.ports.bootstrap_servers)
        subprocess.run(command, env=self._stack.tools.environment, capture_output=True, check=True)

    def time_first_row(self, number: int) -> float:
        before = self._rows()
        begin = time.monotonic()
        self._post(f"start-{number}")
        self._wait(lambda: self._rows() > before)
        took = time.monotonic() - begin
        self._stop(f"start-{number}")
        return took

    def drain(self) -> list[tuple[str, str]]:
        self.produce("-n", str(DRAIN_RECORDS))
        before, records = self._rows(), DRAIN_RECORDS + STARTED_WITH
        begin = time.monotonic()
        self._post("drain", **{"frazil.max.records.per.commit": str(DRAIN_BATCH)})
        self._wait(lambda: self._rows() >= before + records, every=1)
        whole = time.monotonic() - begin
        (first, _), *later = self._commits("drain")
        steady = sum(rows for _, rows in later) / (later[-1][0] - first)
        return [
            ("Drain, whole, from POST", f"{records / whole:,.0f} records/s"),
            ("Drain, steady, after the first commit", f"{steady:,.0f} records/s"),
        ]

    def freshness(self) -> list[tuple[str, str]]:
        """Measure the sink that the drain has left running."""
        begin = self._rows()
        since = time.time()
        self.produce("-n", str(RATE * RATE_SECONDS), "--rate", str(RATE))
        self._wait(lambda: self._rows() >= begin + RATE * RATE_SECONDS, every=1)
        table = self._tables.load(TABLE)
        ages = [
            age
            for committed, file in committed_files(table)
            if committed.timestamp() > since
            for age in ages_at_commit(table.io, committed=committed, file=file)
        ]
        return [
            (f"Freshness at {RATE:,} records/s, p50", f"{percentile(ages, 0.5):.2f} s"),
            (f"Freshness at {RATE:,} records/s, p99", f"{percentile(ages, 0.99):.2f} s"),
        ]

    def memory(self) -> list[tuple[str, str]]:
        worker = self._stack.folder.workers()[0].pid
        named = {
            "Memory of the broker": self._stack.folder.service(stacks.KAFKA).pid,
            "Memory of the control API": self._stack.folder.service(stacks.CONTROL_API).pid,
            "Memory of the table catalog": self._stack.folder.service(stacks.CATALOG).pid,
            "Memory of a worker, Python": worker,
            "Memory of a worker, JVM": child_of(worker),
        }
        return [(name, f"{resident_mb(pid):,.0f} MB") for name, pid in named.items()]

    def _post(self, name: str, **keys: str) -> None:
        config = self._config | {"name": name, "iceberg.control.commit.interval-ms": "1000"} | keys
        body = {"name": name, "config": config}
        httpx.post(f"{self._url}/connectors", json=body).raise_for_status()

    def _stop(self, name: str) -> None:
        httpx.put(f"{self._url}/connectors/{name}/stop").raise_for_status()
        self._wait(lambda: self._state(name) is ConnectState.STOPPED)

    def _state(self, name: str) -> ConnectState:
        return next(view.state for view in connector_views(self._url) if view.name == name)

    def _rows(self) -> int:
        return self._tables.rows(TABLE)

    def _commits(self, connector: str) -> list[tuple[float, int]]:
        """Time and rows of each commit, from the ledgers."""
        table = self._tables.load(TABLE)
        found = []
        for snapshot in table.snapshots():
            summary = snapshot.summary.additional_properties if snapshot.summary else {}
            ledger = Ledger.from_summary(summary, connector)
            if ledger is not None:
                found.append((snapshot.timestamp_ms / 1000, ledger.written))
        return found

    def _wait(self, ready: Callable[[], bool], *, every: float = 0.2, seconds: float = 300) -> None:
        # Looking costs a table's metadata each time, on the cores that are being measured.
        deadline = time.monotonic() + seconds
        while not ready():
            if time.monotonic() > deadline:
                sys.exit("The benchmark waited in vain; see the logs of the stack.")
            time.sleep(every)


@contextmanager
def running_stack(home: Path, settings: CliSettings, screen: Screen) -> Iterator[Bench]:
    tools = prepare(
        settings.home, settings.java_home, environment=settings.environment(), screen=screen
    )
    folder = StackFolder(home, "bench")
    stack = Stack(folder, free_ports(), tools)
    try:
        stacks.start(stack, settings.desired_state, quiet_step)
        yield Bench(stack)
    finally:
        stacks.stop(folder)


def child_of(pid: int | None) -> int:
    found = subprocess.run(["pgrep", "-P", str(pid)], capture_output=True, text=True, check=True)
    return int(found.stdout.split()[0])


def resident_mb(pid: int | None) -> float:
    asked = ["ps", "-o", "rss=", "-p", str(pid)]
    found = subprocess.run(asked, capture_output=True, text=True, check=True)
    return int(found.stdout) / 1024


if __name__ == "__main__":
    main()

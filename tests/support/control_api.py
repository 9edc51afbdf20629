"""Builders and doubles for the control API: a clock to be moved, records, a plausible sink."""

import asyncio
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import UTC, datetime

from frazil.contracts.assignment import Assignment
from frazil.contracts.exit_code import ExitCode
from frazil.contracts.states import Target, WorkerState
from frazil.contracts.worker_status import WorkerStatus
from frazil.control_api.core.connector import Connector, Observed
from frazil.control_api.core.observation import Worker

SINK_CLASS = "io.tabular.iceberg.connect.IcebergSinkConnector"
NOW = 1_800_000_000.0
# Tests call the service and the store directly, which block by contract; these rooms must not.
ASYNCHRONOUS = [f"frazil.control_api.{room}" for room in ("api", "engine", "kafka", "loops")]


@dataclass
class FakeClock:
    time: float = NOW

    def now(self) -> float:
        return self.time

    def move(self, seconds: float) -> None:
        self.time += seconds


def sink_config(**more: str) -> dict[str, str]:
    return {
        "connector.class": SINK_CLASS,
        "topics": "apilogs",
        "iceberg.tables": "streaming.apilogs",
        "iceberg.catalog.type": "jdbc",
        "iceberg.catalog.uri": "jdbc:sqlite:/tmp/catalog.db",
        "iceberg.catalog.warehouse": "file:///tmp/warehouse",
        "value.converter.schemas.enable": "false",
    } | more


def connector(
    name: str = "logs",
    *,
    target: Target = Target.RUNNING,
    generation: int = 1,
    observed: Observed | None = None,
) -> Connector:
    config = sink_config(name=name)
    return Connector(name, config, target, generation, observed=observed or Observed())


def assignment(name: str = "logs", epoch: int = 1, **config: str) -> Assignment:
    return Assignment(
        connector=name,
        epoch=epoch,
        generation=1,
        worker_id="127.0.0.1:8083",
        config=sink_config(name=name) | config,
        kafka={"bootstrap.servers": "127.0.0.1:9092"},
    )


def status(
    state: WorkerState = WorkerState.RUNNING,
    *,
    epoch: int = 5,
    exit_code: ExitCode | None = None,
    trace: str | None = None,
    commits: int = 0,
) -> WorkerStatus:
    return WorkerStatus(
        connector="logs",
        epoch=epoch,
        generation=1,
        pid=1,
        state=state,
        since=datetime.fromtimestamp(NOW, UTC),
        exit_code=exit_code,
        trace=trace,
        commits=commits,
    )


def living(state: WorkerState = WorkerState.RUNNING, epoch: int = 5, commits: int = 0) -> Worker:
    return Worker(epoch, alive=True, status=status(state, epoch=epoch, commits=commits))


def killed(epoch: int = 5, commits: int = 0) -> Worker:
    """Make a worker that died by kill -9: its last words are those of a running one."""
    said = status(epoch=epoch, commits=commits)
    return Worker(epoch, alive=False, status=said, exit_status=-9, log_tail="one\ntwo")


def exited(code: ExitCode, trace: str | None = None, epoch: int = 5) -> Worker:
    said = status(WorkerState.FAILED, epoch=epoch, exit_code=code, trace=trace)
    return Worker(epoch, alive=False, status=said, exit_status=int(code))


async def eventually(what: str, ready: Callable[[], Awaitable[bool]], seconds: float = 10) -> None:
    """Wait, within a bound, for something that real processes or loops bring about."""
    deadline = time.monotonic() + seconds
    while not await ready():
        if time.monotonic() > deadline:
            raise AssertionError(f"not within {seconds} s: {what}")
        await asyncio.sleep(0.02)

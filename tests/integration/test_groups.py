"""Connectors that share a driver, and one that waits for a connector: real Spark, real tables."""

import asyncio
import os
import signal
import subprocess
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator, Mapping
from contextlib import aclosing
from pathlib import Path
from typing import Any, TypeVar

import pytest
from tests.support.lab import Lab, wait_until

from frazil.contracts.assignment import Assignment
from frazil.contracts.exit_code import ExitCode
from frazil.contracts.states import WorkerState
from frazil.contracts.worker_status import WorkerStatus
from frazil.control_api.core.observation import Worker
from frazil.control_api.engine.process import ProcessEngine
from frazil.runtime.child import Child

KIND = "spark-sink"
GROUP = {"frazil.worker.group": "small"}
ALONE = {"frazil.worker.group": ""}
ROWS = 300

T = TypeVar("T")


class Group:
    """Connectors of one lab, each with a table of its own, under an engine as a control API's."""

    def __init__(self, lab: Lab, folder: Path) -> None:
        self._lab = lab
        self._loop = asyncio.Runner()
        self.root = folder
        self.engine = ProcessEngine(folder)

    def start(self, name: str, epoch: int = 1, keys: Mapping[str, str] = {}) -> None:
        """Start a connector that writes to the table of its name."""
        table = {"name": name, "iceberg.tables": f"streaming.{name}"}
        told = Assignment(
            connector=name,
            epoch=epoch,
            generation=1,
            worker_id="w:1",
            config={**self._lab.config, **table, **GROUP, **keys},
            kafka={"bootstrap.servers": self._lab.bootstrap_servers},
            secrets=(self._lab.key.secret,),
        )
        self.do(self.engine.start(told, KIND))

    def run(self, name: str, epoch: int = 1, keys: Mapping[str, str] = {}) -> WorkerStatus:
        self.start(name, epoch, keys)
        return self._until(f"{name} runs", name, lambda w: _state(w) is WorkerState.RUNNING)

    def ended(self, name: str) -> WorkerStatus:
        return self._until(f"{name} has ended", name, lambda worker: not worker.alive)

    def _until(self, what: str, name: str, ready: Callable[[Worker], bool]) -> WorkerStatus:
        """Wait for what the newest worker of a connector does; return what it says then."""

        def newest() -> Worker | None:
            seen = self.do(self.engine.inspect(name)).workers
            return max(seen, key=lambda worker: worker.epoch, default=None)

        wait_until(what, lambda: (worker := newest()) is not None and ready(worker))
        worker = newest()
        assert worker
        assert worker.status
        return worker.status

    def stop(self, name: str, epoch: int) -> WorkerStatus:
        self.do(self.engine.stop(name, epoch))
        return self.ended(name)

    def do(self, what: Coroutine[Any, Any, T]) -> T:
        return self._loop.run(what)

    def until_written(self, *names: str, rows: int) -> None:
        for name in names:
            wait_until(f"{rows} rows in {name}", lambda name=name: self._lab.rows(name) == rows)  # type: ignore[misc]

    def log(self, name: str) -> str:
        async def read() -> str:
            lines: AsyncIterator[str] = self.engine.logs(name, tail=1000, follow=False)
            async with aclosing(lines):  # type: ignore[type-var]
                return "\n".join([line async for line in lines])

        return self.do(read())

    def hosts(self) -> list[Path]:
        return sorted(self.root.glob("%hosts/*/*"))

    def pid(self) -> int:
        (host,) = self.hosts()
        return Child(host).pid or 0

    def jvm(self) -> int:
        asked = ["pgrep", "-P", str(self.pid())]
        return int(subprocess.run(asked, capture_output=True, text=True, check=True).stdout)

    def close(self) -> None:
        """End all; what does not end by itself is what a test is about, and fails."""
        for name in self.do(self.engine.connectors()):
            for worker in self.do(self.engine.inspect(name)).living:
                self.stop(name, worker.epoch)
        wait_until("no host lives", self._is_over)
        self.do(self.engine.close())
        self._loop.close()

    def _is_over(self) -> bool:
        self.do(self.engine.keep_waiting(0))
        return not any(Child(host).is_alive() for host in self.hosts())


def _state(worker: Worker) -> WorkerState | None:
    return worker.status.state if worker.status else None


@pytest.fixture
def group(lab: Lab, tmp_path: Path) -> Iterator[Group]:
    for name in ("a", "b", "c"):
        lab.create_table(name)
    made = Group(lab, tmp_path / "runs")
    yield made
    made.close()


def test_connectors_of_a_group_share_a_driver_and_each_record_is_a_row_once(
    lab: Lab, group: Group
) -> None:
    lab.produce(range(ROWS))
    assert {group.run(name).pid for name in ("a", "b", "c")} == {group.pid()}
    group.until_written("a", "b", "c", rows=ROWS)
    lab.produce(range(ROWS, 2 * ROWS))
    group.until_written("a", "b", "c", rows=2 * ROWS)
    assert all(lab.ids(name) == list(range(2 * ROWS)) for name in ("a", "b", "c"))
    said = group.log("b")
    assert '"connector": "b"' in said
    assert '"connector": "a"' not in said
    (host,) = group.hosts()
    assert lab.key.secret not in (host / "worker.log").read_text()


def test_what_one_of_them_fails_of_is_no_other_s_matter(lab: Lab, group: Group) -> None:
    group.run("a")
    host = group.pid()
    group.start("nowhere")
    assert group.ended("nowhere").exit_code is ExitCode.BAD_TABLE
    group.start("b", keys={"spark.sql.extensions": "of.the.whole.Driver"})
    refused = group.ended("b")
    assert refused.exit_code is ExitCode.BAD_CONFIG
    assert "leave the group" in (refused.trace or "")
    lab.produce_raw([b"no JSON at all"], partitions=1)
    assert group.ended("a").exit_code is ExitCode.BAD_RECORD
    # The driver has outlived them all.
    assert group.run("c", keys={"errors.tolerance": "all"}).pid == host
    lab.produce(range(ROWS))
    group.until_written("c", rows=ROWS)


def test_one_is_stopped_and_started_anew_beside_the_others(lab: Lab, group: Group) -> None:
    group.run("a")
    first = group.run("b")
    lab.produce(range(ROWS))
    group.until_written("a", "b", rows=ROWS)
    assert group.stop("b", 1).exit_code is ExitCode.OK
    lab.produce(range(ROWS, 2 * ROWS))
    group.until_written("a", rows=2 * ROWS)
    assert group.run("b", 2).pid == first.pid
    group.until_written("b", rows=2 * ROWS)
    assert lab.ids("b") == list(range(2 * ROWS))


@pytest.mark.parametrize("victim", [Group.jvm, Group.pid], ids=["jvm", "host"])
def test_a_driver_that_dies_takes_all_with_it_and_nothing_is_lost_or_twice(
    lab: Lab, group: Group, victim: Callable[[Group], int]
) -> None:
    for name in ("a", "b"):
        group.run(name)
    lab.produce(range(ROWS))
    group.until_written("a", rows=ROWS)
    os.kill(victim(group), signal.SIGKILL)
    for name in ("a", "b"):
        assert group.ended(name).exit_code in (ExitCode.CRASHED, None)
    lab.produce(range(ROWS, 2 * ROWS))
    wait_until("the old driver is gone", lambda: not Child(group.hosts()[0]).is_alive())
    for name in ("a", "b"):
        group.run(name, 2)
    group.until_written("a", "b", rows=2 * ROWS)
    assert all(lab.ids(name) == list(range(2 * ROWS)) for name in ("a", "b"))


def test_one_that_waits_runs_the_next_connector_and_ends_with_it(lab: Lab, group: Group) -> None:
    group.do(group.engine.keep_waiting(1))
    waiting = group.pid()
    (host,) = group.hosts()
    log = host / "worker.log"
    wait_until("its driver is ready", lambda: "driver_ready" in log.read_text())
    assert "not_warmed_up" not in log.read_text()
    lab.produce(range(ROWS))
    assert group.run("a", keys=ALONE).pid == waiting
    assert group.run("b", keys=ALONE).pid != waiting
    group.until_written("a", "b", rows=ROWS)
    group.stop("a", 1)
    wait_until("it has ended", lambda: not Child(host).is_alive())

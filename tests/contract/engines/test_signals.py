"""What engines tell by themselves: changes of their workers, and what these write."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import aclosing, asynccontextmanager

import pytest
from tests.support.control_api import eventually
from tests.support.engines import KIND, until, until_dead
from tests.support.machines import Machine

from frazil.contracts.states import WorkerState
from frazil.control_api.core.errors import EngineError
from frazil.control_api.core.ports import Engine
from frazil.control_api.engine.fake import Behaviour

# A real engine needs a moment to begin to listen; what comes before is not its to tell.
_BEGIN_SECONDS = 0.3


@asynccontextmanager
async def listening(engine: Engine) -> AsyncIterator[list[str]]:
    """Collect the names that the engine tells."""
    heard: list[str] = []

    async def listen() -> None:
        async for name in engine.changes():
            heard.append(name)  # noqa: PERF401 (to be seen while it goes on)

    async with asyncio.TaskGroup() as tasks:
        task = tasks.create_task(listen())
        await asyncio.sleep(_BEGIN_SECONDS)
        yield heard
        task.cancel()


async def until_heard(heard: list[str], name: str) -> None:
    async def is_heard() -> bool:
        return name in heard

    await eventually(f"a change of {name}", is_heard, 5)
    heard.clear()


async def test_a_start_a_death_and_nothing_else_are_told(engine: Engine, machine: Machine) -> None:
    async with listening(engine) as heard:
        await engine.start(machine.told("logs", 1, Behaviour()), KIND)
        await until_heard(heard, "logs")
        await until(engine, "logs", WorkerState.RUNNING)
        await asyncio.sleep(_BEGIN_SECONDS + 0.5)
        heard.clear()
        await asyncio.sleep(_BEGIN_SECONDS + 0.5)
        assert heard == [], "nothing has happened"
        await machine.die("logs", 1)
        await until_heard(heard, "logs")


async def test_the_death_of_a_worker_that_another_engine_started_is_told(
    engine: Engine, machine: Machine
) -> None:
    await engine.start(machine.told("a/b", 1, Behaviour()), KIND)
    await until(engine, "a/b", WorkerState.RUNNING)
    successor = machine.engine()
    async with listening(successor) as heard:
        heard.clear()
        await machine.die("a/b", 1)
        await until_heard(heard, "a/b")
    await successor.close()


@pytest.mark.usefixtures("forgetful_client")
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
async def test_a_stream_of_changes_that_breaks_says_why_and_can_begin_anew(
    engine: Engine, machine: Machine
) -> None:
    if not machine.has_daemon:
        pytest.skip("needs no daemon")
    changes = engine.changes()
    first = asyncio.ensure_future(anext(changes))
    await asyncio.sleep(_BEGIN_SECONDS)
    await machine.go_away()
    with pytest.raises(EngineError):
        await first
    with pytest.raises(EngineError):
        await anext(engine.changes())
    await machine.come_back()
    async with listening(engine) as heard:
        await engine.start(machine.told("logs", 1, Behaviour()), KIND)
        await until_heard(heard, "logs")


async def lines(engine: Engine, name: str, *, tail: int, follow: bool = False) -> list[str]:
    async with aclosing(engine.logs(name, tail=tail, follow=follow)) as log:  # type: ignore[type-var]
        return [said(line) async for line in log]


def said(line: str) -> str:
    """Return what a worker said; members of a host say whose line it is, too."""
    return str(json.loads(line)["event"]) if line.startswith("{") else line


async def test_without_a_worker_there_are_no_lines(engine: Engine) -> None:
    assert await lines(engine, "logs", tail=10) == []
    assert await lines(engine, "logs", tail=10, follow=True) == []


async def test_the_tail_of_a_log_is_its_last_lines(engine: Engine, machine: Machine) -> None:
    says = ("one", "ünï\tcödé", "three")
    await engine.start(machine.told("logs", 1, Behaviour(says=says)), KIND)
    await until(engine, "logs", WorkerState.RUNNING)
    assert await lines(engine, "logs", tail=2) == ["ünï\tcödé", "three"]
    assert await lines(engine, "logs", tail=99) == ["worker 1 starts", *says]
    assert await lines(engine, "logs", tail=0) == []


async def test_a_log_is_followed_until_its_worker_has_ended(
    engine: Engine, machine: Machine
) -> None:
    await engine.start(machine.told("logs", 1, Behaviour(says=("one", "two"))), KIND)
    await until(engine, "logs", WorkerState.RUNNING)
    async with asyncio.timeout(15), asyncio.TaskGroup() as tasks:
        followed = tasks.create_task(lines(engine, "logs", tail=1, follow=True))
        await asyncio.sleep(_BEGIN_SECONDS)
        await engine.stop("logs", 1)
    assert followed.result() == ["two", "worker 1 ends"]


async def test_who_stops_listening_to_a_log_is_let_go_at_once(
    engine: Engine, machine: Machine
) -> None:
    await engine.start(machine.told("logs", 1, Behaviour(says=("one",))), KIND)
    await until(engine, "logs", WorkerState.RUNNING)
    async with asyncio.timeout(5):
        async with aclosing(engine.logs("logs", tail=1, follow=True)) as log:  # type: ignore[type-var]
            assert said(await anext(log)) == "one"


async def test_the_log_is_that_of_the_newest_worker_and_outlives_it(
    engine: Engine, machine: Machine
) -> None:
    for epoch in (1, 2):
        await engine.start(machine.told("logs", epoch, Behaviour()), KIND)
        await until(engine, "logs", WorkerState.RUNNING)
        await engine.stop("logs", epoch)
        await until_dead(engine, "logs")
    assert await lines(engine, "logs", tail=9) == ["worker 2 starts", "worker 2 ends"]
    await engine.remove("logs")
    assert await lines(engine, "logs", tail=9) == []

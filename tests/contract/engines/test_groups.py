"""What engines promise of workers that share a process or container, or wait in one."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from tests.contract.engines.conftest import GROUPS, made
from tests.contract.engines.test_signals import lines, listening, until_heard
from tests.support.control_api import assignment, eventually
from tests.support.engines import KIND, until, until_dead
from tests.support.machines import GroupMachine, in_group

from frazil.contracts.states import WorkerState
from frazil.control_api.core.ports import Engine
from frazil.control_api.engine import docker_members, run_folder
from frazil.control_api.engine.fake import Behaviour
from frazil.control_api.engine.resources import WAITING_KIND

NAMES = ("logs", "a/b", "ünï cödé")


@pytest.fixture(params=GROUPS)
async def machine(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[GroupMachine]:
    machine = made(request.param, tmp_path)
    assert isinstance(machine, GroupMachine)
    await machine.come_back()
    yield machine
    await machine.clear()
    await machine.go_away()


async def run_all(engine: Engine, machine: GroupMachine, *names: str, epoch: int = 1) -> None:
    for name in names:
        await engine.start(machine.told(name, epoch, Behaviour()), KIND)
    for name in names:
        await until(engine, name, WorkerState.RUNNING, epoch)


async def until_hosts(machine: GroupMachine, count: int) -> None:
    async def are_there() -> bool:
        return await machine.living_hosts() == count

    await eventually(f"{count} hosts live", are_there)


async def test_a_group_has_one_host_and_the_end_of_one_member_leaves_the_others(
    engine: Engine, machine: GroupMachine
) -> None:
    await run_all(engine, machine, *NAMES)
    assert await machine.living_hosts() == 1
    assert await engine.connectors() == sorted(NAMES)
    await engine.stop("logs", 1)
    worker = await until_dead(engine, "logs")
    assert worker.status is not None
    assert worker.status.state is WorkerState.STOPPED
    assert (await engine.inspect("a/b")).living
    await run_all(engine, machine, "logs", epoch=2)
    assert await machine.living_hosts() == 1
    assert await lines(engine, "logs", tail=9) == ["worker 2 starts"]


async def test_with_its_host_every_member_dies_and_all_are_told(
    engine: Engine, machine: GroupMachine
) -> None:
    await run_all(engine, machine, "logs", "other")
    async with listening(engine) as heard:
        heard.clear()
        await machine.die("logs", 1)
        await until_dead(engine, "logs")
        await until_dead(engine, "other")
        await until_heard(heard, "other")
    await run_all(engine, machine, "logs", "other", epoch=2)
    assert await machine.living_hosts() == 1


async def test_what_becomes_of_a_member_is_told_while_its_host_goes_on(
    engine: Engine, machine: GroupMachine
) -> None:
    await run_all(engine, machine, "logs", "other")
    async with listening(engine) as heard:
        await asyncio.sleep(1.5)
        heard.clear()
        await engine.stop("logs", 1)
        await until_heard(heard, "logs")
        assert "other" not in heard


async def test_a_member_that_no_kill_ends_takes_its_host_with_it(
    engine: Engine, machine: GroupMachine, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in (docker_members, run_folder):
        monkeypatch.setattr(module, "_KILL_SECONDS", 0.5)
    await run_all(engine, machine, "other")
    told = machine.told("logs", 1, Behaviour())
    config = {**told.config, "immortal": "true"}
    await engine.start(told.model_copy(update={"config": config}), KIND)
    await until(engine, "logs", WorkerState.RUNNING)
    await engine.kill("logs", 1)
    await asyncio.sleep(0.2)
    assert (await engine.inspect("logs")).living
    await asyncio.sleep(0.5)
    await engine.kill("logs", 1)
    await until_dead(engine, "logs")
    await until_dead(engine, "other")


async def test_a_host_with_too_little_for_a_newcomer_is_started_anew_with_enough_for_all(
    engine: Engine, machine: GroupMachine
) -> None:
    await run_all(engine, machine, "logs")
    newcomer = in_group(assignment("big", 1, **{"tasks.max": "2", "frazil.driver.memory": "600m"}))
    await engine.start(newcomer, KIND)
    ended = await until_dead(engine, "logs")
    assert ended.status is not None
    assert ended.status.state is WorkerState.STOPPED
    await until_hosts(machine, 0)
    assert (await engine.inspect("big")).workers == ()
    await run_all(engine, machine, "logs", epoch=2)
    await engine.start(newcomer, KIND)
    await until(engine, "big", WorkerState.RUNNING)
    assert (await engine.inspect("logs")).living, "the small one came first, and yet made room"
    assert await machine.living_hosts() == 1


async def test_those_that_wait_are_taken_by_one_connector_each_and_are_replaced(
    engine: Engine, machine: GroupMachine
) -> None:
    for _ in range(3):
        await engine.keep_waiting(2)
    await until_hosts(machine, 2)
    for name in ("logs", "other"):
        await engine.start(assignment(name, 1), WAITING_KIND)
        await engine.start(assignment(name, 1), WAITING_KIND)
        await until(engine, name, WorkerState.RUNNING)
    assert await machine.living_hosts() == 2
    await engine.keep_waiting(1)
    await until_hosts(machine, 3)
    await engine.keep_waiting(0)
    await until_hosts(machine, 2)
    await engine.stop("logs", 1)
    await until_dead(engine, "logs")
    await until_hosts(machine, 1)
    assert (await engine.inspect("other")).living


async def test_a_new_engine_finds_all_members_and_gives_their_host_more(
    engine: Engine, machine: GroupMachine
) -> None:
    await run_all(engine, machine, "logs", "other")
    await engine.stop("other", 1)
    await until_dead(engine, "other")
    successor = machine.engine()
    await successor.claim()
    assert await successor.connectors() == ["logs", "other"]
    assert (await successor.inspect("logs")).living
    assert not (await successor.inspect("other")).living
    await run_all(successor, machine, "third")
    assert (await successor.inspect("third")).living
    assert await machine.living_hosts() == 1
    await successor.stop("logs", 1)
    await until_dead(successor, "logs")
    await successor.close()


async def test_of_removed_members_nothing_is_left_not_even_for_a_new_engine(
    engine: Engine, machine: GroupMachine
) -> None:
    await run_all(engine, machine, "logs", "other")
    await engine.stop("logs", 1)
    await until_dead(engine, "logs")
    await engine.remove("logs")
    assert await engine.connectors() == ["other"]
    assert await machine.engine().connectors() == ["other"]
    await machine.die("other", 1)
    await until_dead(engine, "other")
    await engine.remove("other")
    assert await engine.connectors() == []
    await engine.keep_waiting(0)
    assert machine.hosts() == []

"""What only the docker engine promises of hosts: closed containers, and no secrets left in them."""

import asyncio
import json
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from tests.contract.engines.conftest import made
from tests.support.engines import KIND, until, until_dead
from tests.support.machines import DockerGroupMachine

from frazil.contracts.states import WorkerState
from frazil.control_api.core.ports import Engine
from frazil.control_api.engine.fake import Behaviour

pytestmark = [pytest.mark.docker, pytest.mark.timeout(180)]


@pytest.fixture
async def machine(tmp_path: Path) -> AsyncIterator[DockerGroupMachine]:
    machine = made("docker-group", tmp_path)
    assert isinstance(machine, DockerGroupMachine)
    await machine.come_back()
    yield machine
    await machine.clear()
    await machine.go_away()


async def run(machine: DockerGroupMachine, command: str) -> str:
    """Run a shell command in the host."""
    (host,) = machine.hosts()
    done = await asyncio.to_thread(host.exec_run, ["sh", "-c", command])
    assert isinstance(done.output, bytes)
    return done.output.decode()


async def test_what_members_are_told_is_seen_by_nobody_and_goes_with_them(
    engine: Engine, machine: DockerGroupMachine
) -> None:
    for name in ("logs", "other"):
        told = machine.told(name, 1, Behaviour())
        config = {**told.config, "iceberg.catalog.token": f"hush-{name}"}
        await engine.start(told.model_copy(update={"config": config}), KIND)
        await until(engine, name, WorkerState.RUNNING)
    (host,) = machine.hosts()
    assert "hush" not in json.dumps(host.attrs)
    assert host.attrs["HostConfig"]["ReadonlyRootfs"]
    files = await run(
        machine, "find /run/frazil/worker -name assignment.json -exec stat -c %a {} +"
    )
    assert files.split() == ["600", "600"]
    await engine.stop("logs", 1)
    await until_dead(engine, "logs")
    assert "hush-logs" in await run(machine, "grep -rh hush /run/frazil/worker")
    await engine.remove("logs")
    left = await run(machine, "grep -rh hush /run/frazil/worker")
    assert "hush-logs" not in left
    assert "hush-other" in left


async def test_of_a_connector_that_comes_and_goes_the_last_dead_are_kept(
    engine: Engine, machine: DockerGroupMachine
) -> None:
    known = "find /run/frazil/worker/notes -type f -size +0 | wc -l"
    for epoch, kept in ((1, 1), (2, 2), (3, 3), (4, 4), (5, 4), (6, 4)):
        await engine.start(machine.told("logs", epoch, Behaviour()), KIND)
        await until(engine, "logs", WorkerState.RUNNING, epoch)
        assert int(await run(machine, known)) == kept
        await engine.stop("logs", epoch)
        await until_dead(engine, "logs")
    assert [worker.epoch for worker in (await engine.inspect("logs")).workers] == [6]

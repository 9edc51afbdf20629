"""Every engine on a machine of its own, and waiting for what its workers do."""

import gc
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest
from tests.support.docker_lab import BASE_IMAGE, missing
from tests.support.engines import end
from tests.support.machines import (
    DockerGroupMachine,
    DockerMachine,
    FakeMachine,
    Machine,
    ProcessGroupMachine,
    ProcessMachine,
)

from frazil.control_api.core.ports import Engine

# The first of the docker tests may have to build the stand-in's image.
DOCKER = [pytest.mark.docker, pytest.mark.timeout(180)]
GROUPS = ["process-group", pytest.param("docker-group", marks=DOCKER)]
ENGINES = ["fake", "process", pytest.param("docker", marks=DOCKER), *GROUPS]


@pytest.fixture(params=ENGINES)
async def machine(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Machine]:
    machine = made(request.param, tmp_path)
    await machine.come_back()
    yield machine
    await machine.clear()
    await machine.go_away()


def made(engine: str, folder: Path) -> Machine:
    match engine:
        case "fake":
            return FakeMachine()
        case "process":
            return ProcessMachine(folder / "runs")
        case "process-group":
            return ProcessGroupMachine(folder / "runs")
    if reason := missing(BASE_IMAGE):
        pytest.skip(reason)
    return DockerGroupMachine(folder) if engine == "docker-group" else DockerMachine(folder)


@pytest.fixture
async def engine(machine: Machine) -> AsyncIterator[Engine]:
    engine = machine.engine()
    yield engine
    await end(engine)


@pytest.fixture
def forgetful_client() -> Iterator[None]:
    """See to the sockets that Docker's client could not connect and drops without closing them.

    For tests that ignore the warnings about it, which are to be theirs and not a later test's.
    """
    yield
    gc.collect()

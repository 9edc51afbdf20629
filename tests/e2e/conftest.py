"""One stack at a time: it is brought up by `frazil start`, and nothing of it is left behind."""

import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.support.containers import DUAL, SINGLE, Stack, Topology, docker, frazil, leftovers
from tests.support.lab import wait_until


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    here = Path(__file__).parent
    for item in items:
        if here in item.path.parents:
            item.add_marker(pytest.mark.e2e)
            item.add_marker(pytest.mark.timeout(1500))


# A volume that says whose stack this is, should the tests be killed before they can delete it.
MARK = "frazil-e2e"


@pytest.fixture(scope="session", autouse=True)
def _nobody_elses() -> None:
    if docker("volume", "ls", "--quiet", "--filter", f"name=^{MARK}$"):
        _delete()
    # `clean` would delete their data.
    if leftovers():
        pytest.exit("a container stack is here already: `frazil clean` deletes it and its data", 1)


@pytest.fixture(scope="session", params=[SINGLE, DUAL], ids=lambda topology: topology.name)
def stack(request: pytest.FixtureRequest, _nobody_elses: None) -> Iterator[Stack]:
    topology: Topology = request.param
    docker("volume", "create", MARK)
    variables = pytest.MonkeyPatch()
    # No group may be joined unless its operator says so.
    variables.setenv("WORKER_GROUPS", "small")
    try:
        frazil("start", "--topology", topology.name)
        yield Stack(topology)
    finally:
        _delete()
        variables.undo()
        assert leftovers() == []


def _delete() -> None:
    frazil("clean", "--stack", "containers", "--yes")
    docker("volume", "rm", "--force", MARK)


@pytest.fixture
def quiet(stack: Stack) -> Iterator[Stack]:
    """The stack without its own traffic, so that rows can be counted."""
    docker("stop", "log-generator")
    try:
        # The store tells of its last calls a moment later.
        time.sleep(2)
        wait_until("all is committed", stack.has_committed_all, every=1)
        yield stack
    finally:
        docker("start", "log-generator")

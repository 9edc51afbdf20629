"""The FileStream classes: there only if a folder is set, and then the worker knows it."""

from pathlib import Path

import httpx
import pytest
from fastapi import FastAPI
from tests.support.asked import asked
from tests.support.connect_rest import assert_error, until_state

from frazil.contracts.assignment import Assignment
from frazil.control_api.app import create_app
from frazil.control_api.engine.fake import FakeEngine
from frazil.control_api.plant import SystemClock
from frazil.control_api.settings import Settings

FILE_CLASSES = {
    "org.apache.kafka.connect.file.FileStreamSinkConnector",
    "org.apache.kafka.connect.file.FileStreamSourceConnector",
}
SOURCE = {
    "name": "in",
    "config": {"connector.class": "FileStreamSource", "topic": "t", "file": "in.txt"},
}


class Machine(FakeEngine):
    """Remembers what its workers were told."""

    def __init__(self) -> None:
        super().__init__(SystemClock())
        self.assignments: list[Assignment] = []

    async def start(self, assignment: Assignment, kind: str) -> None:
        self.assignments.append(assignment)
        await super().start(assignment, kind)


@pytest.fixture
def machine() -> Machine:
    return Machine()


@pytest.fixture
def app(tmp_path: Path, machine: Machine, request: pytest.FixtureRequest) -> FastAPI:
    folder = tmp_path if request.param else None
    settings = Settings(home=tmp_path, files_folder=folder, bootstrap_servers="127.0.0.1:1")
    return create_app(settings, machine)


async def listed(client: httpx.AsyncClient) -> set[str]:
    return {plugin["class"] for plugin in (await client.get("/connector-plugins")).json()}


@pytest.mark.parametrize("app", [False], indirect=True, ids=["off"])
async def test_without_a_folder_nobody_can_make_a_file_connector(app: FastAPI) -> None:
    async with asked(app) as client:
        assert not FILE_CLASSES & await listed(client)
        message = assert_error(await client.post("/connectors", json=SOURCE), 400)
        assert message.startswith(
            "Failed to find any class that implements Connector and which name matches "
            "FileStreamSource, available connectors are: "
        )
        assert message.endswith("set FRAZIL_FILES_FOLDER of the control API to enable it")
        keys = await client.get("/connector-plugins/FileStreamSource/config")
        assert_error(keys, 404, "Unknown plugin FileStreamSource.")


@pytest.mark.parametrize("app", [True], indirect=True, ids=["on"])
async def test_with_a_folder_they_are_there_and_the_worker_is_told_of_it(
    app: FastAPI, machine: Machine, tmp_path: Path
) -> None:
    async with asked(app) as client:
        assert await listed(client) >= FILE_CLASSES
        assert (await client.post("/connectors", json=SOURCE)).status_code == 201
        await until_state(client, "in", "RUNNING")
    (assignment,) = machine.assignments
    assert assignment.files_folder == str(tmp_path)

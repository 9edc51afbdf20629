"""Pause, resume, stop, restart."""

import httpx
import pytest
from tests.support.connect_rest import assert_error, until_state

pytestmark = pytest.mark.asyncio(loop_scope="session")


async def test_a_pause_may_be_repeated_and_is_reached(
    client: httpx.AsyncClient, running: str
) -> None:
    for _ in range(2):
        response = await client.put(f"/connectors/{running}/pause")
        assert (response.status_code, response.content) == (202, b"")
    status = await until_state(client, running, "PAUSED")
    assert [task["state"] for task in tasks_of(status)] == ["PAUSED"]


async def test_a_restart_leaves_a_paused_connector_paused(
    client: httpx.AsyncClient, running: str
) -> None:
    await client.put(f"/connectors/{running}/pause")
    await until_state(client, running, "PAUSED")
    assert (await client.post(f"/connectors/{running}/restart")).status_code == 204
    await until_state(client, running, "PAUSED")


async def test_a_resume_brings_it_back(client: httpx.AsyncClient, running: str) -> None:
    await client.put(f"/connectors/{running}/pause")
    await until_state(client, running, "PAUSED")
    response = await client.put(f"/connectors/{running}/resume", json={})
    assert (response.status_code, response.content) == (202, b"")
    await until_state(client, running, "RUNNING")


async def test_a_stop_leaves_no_tasks_anywhere(client: httpx.AsyncClient, running: str) -> None:
    for _ in range(2):
        response = await client.put(f"/connectors/{running}/stop")
        assert (response.status_code, response.content) == (204, b"")
    status = await until_state(client, running, "STOPPED")
    assert status["tasks"] == []
    assert (await client.get(f"/connectors/{running}")).json()["tasks"] == []
    assert (await client.get(f"/connectors/{running}/tasks")).json() == []
    missing = await client.post(f"/connectors/{running}/tasks/0/restart")
    assert_error(missing, 404, f"Unknown task: {running}-0")


async def test_a_stopped_connector_that_is_paused_still_has_no_tasks(
    client: httpx.AsyncClient, running: str
) -> None:
    await client.put(f"/connectors/{running}/stop")
    await until_state(client, running, "STOPPED")
    await client.put(f"/connectors/{running}/pause")
    assert (await until_state(client, running, "PAUSED"))["tasks"] == []


async def test_a_plain_restart_answers_with_nothing_and_it_runs_again(
    client: httpx.AsyncClient, running: str
) -> None:
    response = await client.post(f"/connectors/{running}/restart")
    assert (response.status_code, response.content) == (204, b"")
    await until_state(client, running, "RUNNING")


@pytest.mark.parametrize(
    ("query", "is_restarting"),
    [
        ("includeTasks=True&onlyFailed=False", True),
        ("includeTasks=true", True),
        ("includeTasks=true&onlyFailed=true", False),
        ("onlyFailed=true", False),
        ("includeTasks=true&onlyFailed=banana", True),
    ],
)
async def test_a_restart_with_a_flag_answers_with_its_plan(
    client: httpx.AsyncClient, running: str, query: str, *, is_restarting: bool
) -> None:
    response = await client.post(f"/connectors/{running}/restart?{query}")
    assert response.status_code == 202
    status = response.json()
    assert list(status) == ["name", "connector", "tasks", "type"]
    states = {status["connector"]["state"], *(task["state"] for task in status["tasks"])}
    assert states == ({"RESTARTING"} if is_restarting else {"RUNNING"})


async def test_a_restart_of_a_stopped_connector_has_a_plan_without_tasks(
    client: httpx.AsyncClient, running: str
) -> None:
    await client.put(f"/connectors/{running}/stop")
    await until_state(client, running, "STOPPED")
    response = await client.post(f"/connectors/{running}/restart?includeTasks=true")
    assert response.status_code == 202
    assert response.json()["connector"]["state"] == "RESTARTING"
    assert response.json()["tasks"] == []
    assert (await client.post(f"/connectors/{running}/restart")).status_code == 204
    await until_state(client, running, "STOPPED")


async def test_flags_that_are_both_false_are_no_flags(
    client: httpx.AsyncClient, running: str
) -> None:
    query = "includeTasks=false&onlyFailed=false"
    assert (await client.post(f"/connectors/{running}/restart?{query}")).status_code == 204


async def test_a_task_can_be_restarted(client: httpx.AsyncClient, running: str) -> None:
    response = await client.post(f"/connectors/{running}/tasks/0/restart")
    assert (response.status_code, response.content) == (204, b"")
    missing = await client.post(f"/connectors/{running}/tasks/9/restart")
    assert_error(missing, 404, f"Unknown task: {running}-9")
    await until_state(client, running, "RUNNING")


def tasks_of(status: dict[str, object]) -> list[dict[str, object]]:
    tasks = status["tasks"]
    assert isinstance(tasks, list)
    return tasks

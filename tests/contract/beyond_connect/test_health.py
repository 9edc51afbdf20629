"""`GET /connectors/{c}/health`: one look at the worker, and a sentence to act on."""

import httpx
import pytest
from tests.contract.beyond_connect.conftest import Create
from tests.support.connect_rest import assert_error, until_state

from frazil.contracts.exit_code import ExitCode
from frazil.control_api.engine.fake import Behaviour, FakeEngine

pytestmark = pytest.mark.asyncio(loop_scope="session")

FIELDS = [
    "name",
    "state",
    "healthy",
    "reason",
    "since",
    "lag",
    "freshness_seconds",
    "valid_through",
    "last_commit",
    "records",
    "dead",
    "nulled",
    "astray",
    "redriven",
    "tables",
    "failures",
    "epoch",
    "next_retry_at",
    "worker",
    "engine",
]


async def test_a_connector_that_runs_is_healthy_and_tells_of_its_worker(
    client: httpx.AsyncClient, create: Create
) -> None:
    name = await create()
    await until_state(client, name, "RUNNING")
    body = (await client.get(f"/connectors/{name}/health")).json()
    assert list(body) == FIELDS
    assert (body["name"], body["state"], body["healthy"]) == (name, "RUNNING", True)
    assert body["reason"] == "Running."
    assert body["worker"]["alive"]
    assert body["worker"]["epoch"] == body["epoch"]
    assert body["worker"]["position"] == {"apilogs": {"0": 0}}


async def test_a_failed_connector_says_why_and_what_to_do(
    client: httpx.AsyncClient, create: Create, engine: FakeEngine, name: str
) -> None:
    engine.behaviours[name] = Behaviour(exits_with=ExitCode.BAD_TABLE)
    await create()
    await until_state(client, name, "FAILED")
    response = await client.get(f"/connectors/{name}/health")
    body = response.json()
    assert response.status_code == 200
    assert not body["healthy"]
    assert "could not work with its table" in body["reason"]
    assert "mend the cause, then restart" in body["reason"]
    assert body["worker"]["exit_code"] == ExitCode.BAD_TABLE


async def test_a_worker_that_died_just_now_is_missed_at_once(
    client: httpx.AsyncClient, create: Create, engine: FakeEngine
) -> None:
    name = await create()
    await until_state(client, name, "RUNNING")
    engine.behaviours[name] = Behaviour(refuses_to_start="no room")
    engine.die(name)
    body = (await client.get(f"/connectors/{name}/health")).json()
    assert not body["healthy"]


async def test_an_engine_in_trouble_is_shown_and_not_an_error(
    client: httpx.AsyncClient, create: Create, engine: FakeEngine
) -> None:
    name = await create()
    await until_state(client, name, "RUNNING")
    engine.trouble = "the daemon does not answer"
    try:
        response = await client.get(f"/connectors/{name}/health")
        logs = await client.get(f"/connectors/{name}/logs")
    finally:
        engine.trouble = None
    body = response.json()
    assert response.status_code == 200
    assert body["engine"] == "the daemon does not answer"
    assert "cannot be worked with: the daemon does not answer." in body["reason"]
    assert body["worker"]["alive"], "what was seen last is still told"
    assert_error(logs, 503, "the daemon does not answer")


async def test_the_list_can_be_expanded_by_health(
    client: httpx.AsyncClient, create: Create
) -> None:
    name = await create()
    await until_state(client, name, "RUNNING")
    response = await client.get(f"/connectors?expand=health&expand=status&search={name}")
    listed = response.json()[name]
    assert set(listed) == {"status", "health"}
    assert listed["health"]["healthy"]
    assert "next_retry_at" not in listed["health"], "what is not known is left out, as in status"


async def test_an_unknown_connector_has_no_health(client: httpx.AsyncClient) -> None:
    assert_error(await client.get("/connectors/nope/health"), 404, "Connector nope not found")

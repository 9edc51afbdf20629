"""History and rollback: what a name has been, and the way back."""

import asyncio

import httpx
import pytest
from tests.contract.beyond_connect.conftest import Create
from tests.support.connect_rest import assert_error, until_state
from tests.support.control_api import sink_config

pytestmark = pytest.mark.asyncio(loop_scope="session")


async def change(client: httpx.AsyncClient, name: str, **config: str) -> None:
    response = await client.put(f"/connectors/{name}/config", json=sink_config(**config))
    assert response.status_code == 200, response.text


async def test_configurations_are_told_newest_first_with_what_is_new_in_each(
    client: httpx.AsyncClient, create: Create
) -> None:
    name = await create()
    await change(client, name, **{"topics": "other", "tasks.max": "2"})
    body = (await client.get(f"/connectors/{name}/history")).json()
    assert list(body) == ["name", "states", "configs"]
    newest, first = body["configs"]
    assert (newest["version"], first["version"]) == (2, 1)
    assert newest["diff"] == {
        "added": {"tasks.max": "2"},
        "removed": {},
        "changed": {"topics": {"before": "apilogs", "after": "other"}},
    }
    assert first["diff"]["added"] == first["config"]


async def test_states_are_told_newest_first(client: httpx.AsyncClient, create: Create) -> None:
    name = await create()
    await until_state(client, name, "RUNNING")
    states = (await client.get(f"/connectors/{name}/history")).json()["states"]
    assert states[0]["state"] == "RUNNING"
    assert [one["id"] for one in states] == sorted((one["id"] for one in states), reverse=True)
    assert {one["connector"] for one in states} == {name}
    limited = (await client.get(f"/connectors/{name}/history?limit=1")).json()
    assert (len(limited["states"]), len(limited["configs"])) == (1, 1)


async def test_secrets_are_hidden_in_history_and_whole_after_a_rollback(
    client: httpx.AsyncClient, create: Create
) -> None:
    key = "iceberg.catalog.credential"
    name = await create(**{key: "first-secret"})
    await change(client, name, **{key: "second-secret"})
    response = await client.get(f"/connectors/{name}/history")
    assert "secret" not in response.text.replace("secrets", "").replace(key, "")
    newest = response.json()["configs"][0]
    assert newest["diff"]["changed"] == {key: {"before": "[hidden]", "after": "[hidden]"}}
    await client.post(f"/connectors/{name}/rollback?version=1")
    config = (await client.get(f"/connectors/{name}/config")).json()
    assert config[key] == "first-secret"


async def test_a_rollback_is_a_put_of_an_earlier_configuration(
    client: httpx.AsyncClient, create: Create
) -> None:
    name = await create()
    await change(client, name, topics="other")
    response = await client.post(f"/connectors/{name}/rollback?version=1")
    assert response.status_code == 200
    assert list(response.json()) == ["name", "config", "tasks", "type"]
    assert response.json()["config"]["topics"] == "apilogs"
    versions = (await client.get(f"/connectors/{name}/history")).json()["configs"]
    assert [one["version"] for one in versions] == [3, 2, 1]


async def test_what_a_deleted_connector_was_is_told_and_can_be_had_again(
    client: httpx.AsyncClient, create: Create
) -> None:
    name = await create()
    await client.delete(f"/connectors/{name}")
    newest = (await client.get(f"/connectors/{name}/history")).json()["configs"][0]
    assert newest["config"] is None
    assert newest["diff"]["removed"]["topics"] == "apilogs"
    refused = await client.post(f"/connectors/{name}/rollback?version={newest['version']}")
    assert_error(refused, 404, f"Connector {name} has no configuration of version 2; there are: 1")
    response = await client.post(f"/connectors/{name}/rollback?version=1")
    assert response.status_code == 201
    assert response.headers["Location"] == f"http://test:8083/connectors/{name}"
    assert (await client.get(f"/connectors/{name}")).status_code == 200


async def test_versions_that_are_not_there_are_refused_with_those_that_are(
    client: httpx.AsyncClient, create: Create
) -> None:
    name = await create()
    response = await client.post(f"/connectors/{name}/rollback?version=7")
    assert_error(response, 404, f"Connector {name} has no configuration of version 7; there are: 1")
    missing = await client.post(f"/connectors/{name}/rollback")
    assert "version" in assert_error(missing, 400)
    wrong = await client.post(f"/connectors/{name}/rollback?version=one")
    assert "version" in assert_error(wrong, 400)


async def test_a_name_that_never_was_has_no_history(client: httpx.AsyncClient) -> None:
    assert_error(await client.get("/connectors/nope/history"), 404, "Connector nope not found")
    response = await client.post("/connectors/nope/rollback?version=1")
    assert "there are: none" in assert_error(response, 404)


async def test_a_deletion_is_the_last_state(client: httpx.AsyncClient, create: Create) -> None:
    name = await create()
    await until_state(client, name, "RUNNING")
    await client.delete(f"/connectors/{name}")
    states: list[dict[str, object]] = []
    for _ in range(100):
        states = (await client.get(f"/connectors/{name}/history")).json()["states"]
        if states[0]["state"] is None:
            break
        await asyncio.sleep(0.05)
    assert states[0]["state"] is None

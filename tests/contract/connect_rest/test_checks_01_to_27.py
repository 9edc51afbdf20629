"""Checks 1 to 27 of Kafka Connect's REST API, for our server and for genuine workers alike.

Where a genuine worker (4.3) has a defect that ours has not, a check says what each may do.
"""

import re
from typing import Any

import httpx
import pytest
from tests.support.connect_rest import (
    Kinds,
    assert_error,
    until_running,
)

pytestmark = [pytest.mark.asyncio(loop_scope="session"), pytest.mark.timeout(60)]

JSON = {"Content-Type": "application/json"}
HINT = (
    "You can also find the above list of errors at the endpoint "
    "`/connector-plugins/{connectorType}/config/validate`"
)


async def test_01_the_root_names_a_version(client: httpx.AsyncClient) -> None:
    response = await client.get("/")
    assert response.status_code == 200
    assert response.headers["content-type"] == "application/json"
    assert list(response.json()) == ["version", "commit", "kafka_cluster_id"]
    assert re.match(r"^\d+\.\d+", response.json()["version"])


async def test_02_the_server_is_healthy(client: httpx.AsyncClient) -> None:
    response = await client.get("/health")
    assert response.status_code == 200
    assert response.json()["status"] == "healthy"
    assert response.json()["message"]


async def test_03_an_empty_server_has_an_empty_list(client: httpx.AsyncClient) -> None:
    lists = [(await client.get(path)).json() for path in ("/connectors", "/connectors/")]
    # Connectors of other tests may still be on their way out.
    assert lists[0] == lists[1]
    assert [name for name in lists[0] if "test-" not in name] == []


async def test_04_an_unknown_path_is_404(client: httpx.AsyncClient) -> None:
    assert_error(await client.get("/nope"), 404, "HTTP 404 Not Found")


async def test_05_a_wrong_method_is_405(client: httpx.AsyncClient) -> None:
    assert_error(await client.put("/connectors", json={}), 405)


async def test_06_a_wrong_media_type_is_415(client: httpx.AsyncClient) -> None:
    headers = {"Content-Type": "text/plain"}
    assert_error(await client.post("/connectors", headers=headers, content=b"{}"), 415)


async def test_07_what_cannot_be_answered_in_is_406(client: httpx.AsyncClient) -> None:
    assert_error(await client.get("/connectors", headers={"Accept": "text/plain"}), 406)


async def test_08_a_created_connector_is_as_submitted(
    client: httpx.AsyncClient, name: str, kinds: Kinds
) -> None:
    body = {"name": f" {name} ", "config": kinds.source_config()}
    response = await client.post("/connectors", json=body)
    assert response.status_code == 201
    assert response.headers["location"].endswith(f"/connectors/{name}")
    assert response.json()["name"] == name
    submitted = kinds.source_config(name=name, **{"tasks.max": "1"})
    assert response.json()["config"] == submitted
    assert response.json()["type"] == "source"


async def test_09_an_unknown_class_is_400(client: httpx.AsyncClient, name: str, ours: bool) -> None:
    body = {"name": name, "config": {"connector.class": "Nope"}}
    message = assert_error(await client.post("/connectors", json=body), 400)
    text = "Failed to find any class that implements Connector and which name matches Nope"
    # Genuine workers at times put the name of an exception in front.
    assert message.startswith(text) if ours else text in message


async def test_10_a_taken_name_is_409(
    client: httpx.AsyncClient, source: dict[str, Any], kinds: Kinds
) -> None:
    body = {"name": source["name"], "config": kinds.source_config()}
    response = await client.post("/connectors", json=body)
    assert_error(response, 409, f"Connector {source['name']} already exists")


async def test_11_faults_come_before_a_taken_name(
    client: httpx.AsyncClient, source: dict[str, Any], kinds: Kinds
) -> None:
    config = kinds.source_config()
    del config[kinds.source_key]
    body = {"name": source["name"], "config": config}
    lines = assert_error(await client.post("/connectors", json=body), 400).split("\n")
    assert lines[0] == ("Connector configuration is invalid and contains the following 1 error(s):")
    assert lines[-1] == HINT


async def test_12_two_names_are_400(client: httpx.AsyncClient, name: str, kinds: Kinds) -> None:
    body = {"name": name, "config": kinds.source_config(name="y")}
    message = f"Connector name configuration (y) doesn't match connector name in the URL ({name})"
    assert_error(await client.post("/connectors", json=body), 400, message)


@pytest.mark.parametrize("body", [b'{"name":"b"}', b"[]", b'{"name":'])
async def test_13_a_body_without_sense_is_refused(
    client: httpx.AsyncClient, ours: bool, body: bytes
) -> None:
    response = await client.post("/connectors", headers=JSON, content=body)
    # It is the client's mistake, for which genuine workers blame themselves.
    assert_error(response, 400 if ours else 500)


async def test_14_an_empty_name_is_400(client: httpx.AsyncClient, kinds: Kinds) -> None:
    body = {"name": "", "config": kinds.source_config()}
    message = assert_error(await client.post("/connectors", json=body), 400)
    assert "String may not be empty" in message


async def test_15_a_number_that_is_none_counts_twice(
    client: httpx.AsyncClient, name: str, kinds: Kinds
) -> None:
    body = {"name": name, "config": kinds.source_config(**{"tasks.max": "abc"})}
    message = assert_error(await client.post("/connectors", json=body), 400)
    assert "2 error(s)" in message
    assert "Not a number of type INT" in message


async def test_16_a_sink_needs_topics(client: httpx.AsyncClient, name: str, kinds: Kinds) -> None:
    body = {"name": name, "config": {"connector.class": kinds.sink}}
    message = assert_error(await client.post("/connectors", json=body), 400)
    assert "2 error(s)" in message
    assert message.count("Must configure one of topics or topics.regex") == 2


async def test_17_the_config_is_flat_and_literal(
    client: httpx.AsyncClient, source: dict[str, Any], kinds: Kinds
) -> None:
    response = await client.get(f"/connectors/{source['name']}/config")
    assert response.status_code == 200
    assert response.json() == kinds.source_config(name=source["name"], **{"tasks.max": "1"})


async def test_18_a_healthy_connector_runs_without_a_trace(
    client: httpx.AsyncClient, source: dict[str, Any]
) -> None:
    status = await until_running(client, source["name"])
    assert status["connector"]["worker_id"]
    ids = [task["id"] for task in status["tasks"]]
    assert ids == sorted(ids)
    assert not any("trace" in part for part in (status["connector"], *status["tasks"]))


async def test_19_tasks_have_an_id_and_a_class(
    client: httpx.AsyncClient, source: dict[str, Any]
) -> None:
    response = await client.get(f"/connectors/{source['name']}/tasks")
    assert response.status_code == 200
    assert response.json()[0]["id"] == {"connector": source["name"], "task": 0}
    assert response.json()[0]["config"]["task.class"]


async def test_20_a_task_has_a_status(client: httpx.AsyncClient, source: dict[str, Any]) -> None:
    tasks = f"/connectors/{source['name']}/tasks"
    assert (await client.get(f"{tasks}/0/status")).json()["id"] == 0
    missing = await client.get(f"{tasks}/99/status")
    assert_error(missing, 404, f"No status found for task {source['name']}-99")
    assert_error(await client.get(f"{tasks}/x/status"), 404)


async def test_21_the_list_can_be_expanded(
    client: httpx.AsyncClient, source: dict[str, Any]
) -> None:
    response = await client.get("/connectors?expand=info&expand=status")
    assert response.status_code == 200
    entry = response.json()[source["name"]]
    assert entry["info"]["config"]
    assert entry["status"]["connector"]["state"]


async def test_22_an_unknown_expansion_is_empty(
    client: httpx.AsyncClient, source: dict[str, Any]
) -> None:
    response = await client.get("/connectors?expand=zzz")
    assert response.status_code == 200
    assert response.json()[source["name"]] == {}


async def test_23_a_put_changes_a_config(
    client: httpx.AsyncClient, source: dict[str, Any], kinds: Kinds
) -> None:
    path = f"/connectors/{source['name']}/config"
    response = await client.put(path, json=kinds.source_config(x="1"))
    assert response.status_code == 200
    assert "location" not in response.headers
    assert response.json()["config"]["x"] == "1"


async def test_24_a_put_makes_a_connector(
    client: httpx.AsyncClient, name: str, kinds: Kinds
) -> None:
    response = await client.put(f"/connectors/{name}/config", json=kinds.source_config())
    assert response.status_code == 201
    assert response.headers["location"].endswith(f"/connectors/{name}")


async def test_25_a_wrapped_config_changes_nothing(
    client: httpx.AsyncClient, source: dict[str, Any], kinds: Kinds, ours: bool
) -> None:
    path = f"/connectors/{source['name']}/config"
    wrapped = {"name": source["name"], "config": kinds.source_config(x="1")}
    # As in check 13.
    assert_error(await client.put(path, json=wrapped), 400 if ours else 500)
    assert (await client.get(path)).json() == source["config"]


async def test_26_a_patch_sets_and_removes(
    client: httpx.AsyncClient, source: dict[str, Any]
) -> None:
    path = f"/connectors/{source['name']}/config"
    response = await client.patch(path, json={"x": "1"})
    assert (response.status_code, response.json()["config"]["x"]) == (200, "1")
    response = await client.patch(path, json={"x": None})
    assert response.status_code == 200
    assert "x" not in response.json()["config"]


async def test_27_a_patch_creates_nothing(client: httpx.AsyncClient) -> None:
    response = await client.patch("/connectors/nope/config", json={})
    assert_error(response, 404, "Connector nope not found")

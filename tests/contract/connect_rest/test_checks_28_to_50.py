"""Checks 28 to 50 of Kafka Connect's REST API, for our server and for genuine workers alike.

Where a genuine worker (4.3) has a defect that ours has not, a check says what each may do.
"""

import asyncio
import json
from typing import Any
from urllib.parse import quote
from uuid import uuid4

import httpx
import pytest
from tests.contract.connect_rest.conftest import SECRET
from tests.support.connect_rest import (
    Kinds,
    assert_error,
    check_sink_offsets,
    until_running,
    until_state,
)
from tests.support.control_api import eventually

pytestmark = [pytest.mark.asyncio(loop_scope="session"), pytest.mark.timeout(60)]

JSON = {"Content-Type": "application/json"}
DEFINITION = {
    "name",
    "type",
    "required",
    "default_value",
    "importance",
    "documentation",
    "group",
    "width",
    "display_name",
    "dependents",
}


async def test_28_a_pause_may_be_repeated(
    client: httpx.AsyncClient, source: dict[str, Any]
) -> None:
    path = f"/connectors/{source['name']}/pause"
    for content, headers in ((b"", {}), (b"null", JSON)):
        response = await client.put(path, content=content, headers=headers)
        assert (response.status_code, response.content) == (202, b"")
    await until_state(client, source["name"], "PAUSED")


async def test_29_a_restart_does_not_end_a_pause(
    client: httpx.AsyncClient, source: dict[str, Any]
) -> None:
    name = source["name"]
    await client.put(f"/connectors/{name}/pause")
    await until_state(client, name, "PAUSED")
    assert (await client.post(f"/connectors/{name}/restart")).status_code == 204
    await until_state(client, name, "PAUSED")


async def test_30_a_resume_ends_a_pause(client: httpx.AsyncClient, source: dict[str, Any]) -> None:
    name = source["name"]
    await client.put(f"/connectors/{name}/pause")
    await until_state(client, name, "PAUSED")
    response = await client.put(f"/connectors/{name}/resume", json={})
    assert (response.status_code, response.content) == (202, b"")
    await until_running(client, name)


async def test_31_a_plain_restart_answers_with_nothing(
    client: httpx.AsyncClient, source: dict[str, Any]
) -> None:
    path = f"/connectors/{source['name']}/restart"
    response = await client.post(path, headers=JSON, content=b'""')
    assert (response.status_code, response.content) == (204, b"")


async def test_32_a_restart_of_all_answers_with_its_plan(
    client: httpx.AsyncClient, source: dict[str, Any]
) -> None:
    query = "includeTasks=True&onlyFailed=False"
    response = await client.post(f"/connectors/{source['name']}/restart?{query}")
    assert response.status_code == 202
    assert response.json()["connector"]["state"] == "RESTARTING"
    assert [task["state"] for task in response.json()["tasks"]] == ["RESTARTING"]


async def test_33_a_restart_of_what_failed_spares_the_healthy(
    client: httpx.AsyncClient, source: dict[str, Any]
) -> None:
    query = "includeTasks=true&onlyFailed=true"
    response = await client.post(f"/connectors/{source['name']}/restart?{query}")
    assert response.status_code == 202
    assert "RESTARTING" not in response.text


async def test_34_offsets_of_a_running_connector_stay(
    client: httpx.AsyncClient, source: dict[str, Any]
) -> None:
    entry = {"partition": {"filename": "x"}, "offset": None}
    path = f"/connectors/{source['name']}/offsets"
    message = assert_error(await client.patch(path, json={"offsets": [entry]}), 400)
    assert "must be in the STOPPED state" in message


async def test_35_a_stop_leaves_no_tasks(client: httpx.AsyncClient, source: dict[str, Any]) -> None:
    path = f"/connectors/{source['name']}"
    for _ in range(2):
        assert (await client.put(f"{path}/stop")).status_code == 204

    async def has_no_tasks() -> bool:
        status = await until_state(client, source["name"], "STOPPED")
        info, tasks = (await client.get(path)).json(), (await client.get(f"{path}/tasks")).json()
        return bool(status["tasks"] == info["tasks"] == tasks == [])

    await eventually("there are no tasks", has_no_tasks)


@pytest.mark.parametrize("body", [{}, {"offsets": []}])
async def test_36_offsets_have_to_be_given(
    client: httpx.AsyncClient, stopped_sink: str, body: dict[str, Any]
) -> None:
    response = await client.patch(f"/connectors/{stopped_sink}/offsets", json=body)
    wanted = "Partitions / offsets need to be provided for an alter offsets request"
    assert_error(response, 400, wanted)


async def test_37_partitions_are_numbers(client: httpx.AsyncClient, stopped_sink: str) -> None:
    entry = {"partition": {"kafka_topic": "t", "kafka_partition": "x"}, "offset": None}
    response = await client.patch(f"/connectors/{stopped_sink}/offsets", json={"offsets": [entry]})
    message = assert_error(response, 400)
    assert "Partition values for sink connectors need to be integers" in message


async def test_38_offsets_of_a_stopped_sink_can_be_moved_and_reset(
    client: httpx.AsyncClient, stopped_sink: str, pytestconfig: pytest.Config
) -> None:
    topic = pytestconfig.getoption("connect_topic", None)
    if topic is None:
        pytest.skip("needs a broker, as in tests/integration, or --connect-topic")
    await check_sink_offsets(client, stopped_sink, topic)


async def test_39_nobody_has_read_no_topics(client: httpx.AsyncClient) -> None:
    response = await client.get("/connectors/nope/topics")
    assert (response.status_code, response.json()) == (200, {"nope": {"topics": []}})


@pytest.mark.parametrize(
    ("method", "path", "message"),
    [
        ("GET", "", "Connector nope not found"),
        ("GET", "/config", "Connector nope not found"),
        ("GET", "/tasks", "Connector nope not found"),
        ("GET", "/offsets", "Connector nope not found"),
        ("GET", "/status", "No status found for connector nope"),
        ("PUT", "/pause", "Unknown connector nope"),
        ("POST", "/restart", "Unknown connector: nope"),
    ],
)
async def test_40_each_call_has_its_words_for_an_unknown_name(
    client: httpx.AsyncClient, method: str, path: str, message: str
) -> None:
    assert_error(await client.request(method, f"/connectors/nope{path}"), 404, message)


async def test_41_plugins_have_types(client: httpx.AsyncClient) -> None:
    connectors = (await client.get("/connector-plugins")).json()
    assert {plugin["type"] for plugin in connectors} == {"source", "sink"}
    plugins = (await client.get("/connector-plugins?connectorsOnly=false")).json()
    types = {plugin["type"] for plugin in plugins}
    assert types == {
        "source",
        "sink",
        "converter",
        "header_converter",
        "transformation",
        "predicate",
    }
    assert all(plugin["class"] for plugin in plugins)


async def test_42_keys_are_described(client: httpx.AsyncClient, kinds: Kinds) -> None:
    response = await client.get(f"/connector-plugins/{kinds.source}/config")
    assert response.status_code == 200
    for definition in response.json():
        assert definition.keys() >= DEFINITION
        assert {"order", "order_in_group"} & definition.keys()
    unknown = await client.get("/connector-plugins/Nope/config")
    assert_error(unknown, 404, "Unknown plugin Nope.")


async def test_43_an_incomplete_config_is_judged(client: httpx.AsyncClient, kinds: Kinds) -> None:
    path = f"/connector-plugins/{kinds.source}/config/validate"
    response = await client.put(path, json={"connector.class": kinds.source})
    assert response.status_code == 200
    assert response.json()["error_count"] >= 1
    values = {info["value"]["name"]: info["value"] for info in response.json()["configs"]}
    missing = 'Missing required configuration "name" which has no default value.'
    assert missing in values["name"]["errors"]
    assert all(info["definition"] is not None for info in response.json()["configs"])


async def test_44_the_class_is_that_of_the_path(client: httpx.AsyncClient, kinds: Kinds) -> None:
    path = f"/connector-plugins/{kinds.source}/config/validate"
    message = assert_error(await client.put(path, json=kinds.sink_config()), 400)
    assert message.startswith("Included connector type")


async def test_45_a_secret_is_not_shown(
    client: httpx.AsyncClient, kinds: Kinds, ours: bool
) -> None:
    path = f"/connector-plugins/{kinds.source}/config/validate"
    config = kinds.source_config(name="x", **{kinds.source_key: "${env:SECRET}"})
    response = await client.put(path, json=config)
    assert response.status_code == 200
    # Genuine workers show it, up to 4.3.
    assert not ours or SECRET not in response.text


async def test_46_levels_of_loggers_can_be_set(client: httpx.AsyncClient) -> None:
    name = f"foo.{uuid4().hex[:8]}"
    path = f"/admin/loggers/{name}"
    response = await client.put(path, json={"level": "TRACE"})
    assert (response.status_code, response.json()) == (200, [name])
    level = (await client.get(path)).json()
    assert level["level"] == "TRACE"
    assert isinstance(level["last_modified"], int)
    assert_error(await client.put(path, json={"level": "LOUD"}), 404)
    assert_error(await client.put(path, json={}), 400)
    response = await client.put(f"{path}?scope=cluster", json={"level": "INFO"})
    assert (response.status_code, response.content) == (204, b"")


async def test_47_what_is_deleted_is_gone(
    client: httpx.AsyncClient, source: dict[str, Any]
) -> None:
    path = f"/connectors/{source['name']}"
    response = await client.delete(path)
    assert (response.status_code, response.content) == (204, b"")

    async def is_gone() -> bool:
        answers = [await client.get(each) for each in (path, f"{path}/status")]
        return [answer.status_code for answer in answers] == [404, 404]

    await eventually("it is gone", is_gone)
    assert_error(await client.delete(path), 404)


async def test_48_names_may_be_in_any_language(
    client: httpx.AsyncClient, name: str, kinds: Kinds
) -> None:
    odd = f"ünï {name}"
    body = {"name": odd, "config": kinds.source_config()}
    response = await client.post("/connectors", json=body)
    assert response.status_code == 201
    path = f"/connectors/{quote(odd)}"
    assert response.headers["location"].endswith(path)
    assert (await client.get(path)).json()["name"] == odd
    assert (await client.delete(path)).status_code == 204


async def test_49_of_equal_requests_at_once_one_wins(
    client: httpx.AsyncClient, name: str, kinds: Kinds, ours: bool
) -> None:
    body = json.dumps({"name": name, "config": kinds.source_config()}).encode()
    responses = await asyncio.gather(
        *(client.post("/connectors", headers=JSON, content=body) for _ in range(4))
    )
    statuses = sorted(one.status_code for one in responses)
    # A genuine distributed worker may let several of them through.
    assert statuses == [201, 409, 409, 409] if ours else set(statuses) <= {201, 409}


async def test_50_browsers_may_ask_across_origins(client: httpx.AsyncClient) -> None:
    headers = {"Origin": "http://console.test", "Access-Control-Request-Method": "PUT"}
    response = await client.options("/connectors/a/config", headers=headers)
    assert response.status_code == 200
    assert response.headers["access-control-allow-origin"] == "http://console.test"

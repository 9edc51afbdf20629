"""Checks 51 to 56 of Kafka Connect's REST API, for our server and for genuine workers alike.

Where a genuine worker (4.3) has a defect that ours has not, a check says what each may do.
"""

import httpx
import pytest
from tests.support.connect_rest import Kinds, assert_error
from tests.support.control_api import eventually

pytestmark = pytest.mark.asyncio(loop_scope="session")


async def get_raw(client: httpx.AsyncClient, path: str) -> httpx.Response:
    """Ask for a path as it stands, which httpx would tidy up."""
    return await client.get(client.base_url.copy_with(raw_path=path.encode()))


async def test_51_a_sink_has_as_many_tasks_as_it_may_and_none_in_the_first_answer(
    client: httpx.AsyncClient, name: str, kinds: Kinds
) -> None:
    path = f"/connectors/{name}"
    body = {"name": name, "config": kinds.sink_config(**{"tasks.max": 2})}
    created = await client.post("/connectors", json=body)
    assert (created.status_code, created.json()["tasks"]) == (201, [])

    async def has_both() -> bool:
        return len((await client.get(f"{path}/status")).json().get("tasks", [])) == 2

    await eventually("it has its tasks", has_both)
    ids = [{"connector": name, "task": task} for task in (0, 1)]
    assert (await client.get(path)).json()["tasks"] == ids
    assert [task["id"] for task in (await client.get(f"{path}/tasks")).json()] == ids
    status = (await client.get(f"{path}/status")).json()
    assert [task["id"] for task in status["tasks"]] == [0, 1]
    assert (await client.get(f"{path}/tasks/1/status")).json()["id"] == 1
    missing = await client.get(f"{path}/tasks/2/status")
    assert_error(missing, 404, f"No status found for task {name}-2")
    assert (await client.post(f"{path}/tasks/1/restart")).status_code == 204
    missing = await client.post(f"{path}/tasks/2/restart")
    assert_error(missing, 404, f"Unknown task: {name}-2")


async def test_52_a_connector_that_a_put_creates_has_no_tasks_in_the_answer(
    client: httpx.AsyncClient, name: str, kinds: Kinds
) -> None:
    created = await client.put(f"/connectors/{name}/config", json=kinds.sink_config())
    assert (created.status_code, created.json()["tasks"]) == (201, [])


@pytest.mark.parametrize(
    "path", ["//", "//connectors", "/connectors//", "/connectors//a", "/connectors/a//status"]
)
async def test_53_an_empty_segment_of_a_path_is_400(
    client: httpx.AsyncClient, ours: bool, path: str
) -> None:
    response = await get_raw(client, path)
    assert response.status_code == 400
    assert "Ambiguous URI empty segment" in response.text
    if ours:
        assert_error(response, 400, "Ambiguous URI empty segment")


@pytest.mark.parametrize(
    ("quoted", "decoded"), [("a%2Fb", "a/b"), ("a%25b", "a%b"), ("a%5Cb", "a\\b")]
)
async def test_54_a_name_with_a_slash_can_be_asked_for(
    client: httpx.AsyncClient, ours: bool, quoted: str, decoded: str
) -> None:
    response = await get_raw(client, f"/connectors/{quoted}")
    # Genuine workers take such names and never find them again.
    if ours:
        assert_error(response, 404, f"Connector {decoded} not found")
    else:
        assert response.status_code == 400


async def test_55_a_configuration_without_a_class_is_named(
    client: httpx.AsyncClient, name: str
) -> None:
    message = f"Connector config {{name={name}}} contains no connector type"
    response = await client.post("/connectors", json={"name": name, "config": {}})
    assert_error(response, 400, message)
    assert_error(await client.put(f"/connectors/{name}/config", json={}), 400, message)


async def test_56_a_setting_of_a_client_has_a_type(
    client: httpx.AsyncClient, name: str, kinds: Kinds, ours: bool
) -> None:
    key = "consumer.override.max.poll.records"
    config = kinds.sink_config(name=name, **{key: "abc"})
    refused = await client.post("/connectors", json={"name": name, "config": config})
    # It is the client's mistake, for which genuine workers blame themselves.
    assert "Not a number of type INT" in assert_error(refused, 400 if ours else 500)
    path = f"/connector-plugins/{kinds.sink}/config/validate"
    validated = await client.put(path, json=config)
    if ours:
        assert errors_of(validated, key) == [
            f"Invalid value abc for configuration {key}: Not a number of type INT"
        ]
    else:
        assert "Not a number of type INT" in assert_error(validated, 500)
    validated = await client.put(path, json=config | {key: "100"})
    assert errors_of(validated, key) == []


def errors_of(response: httpx.Response, key: str) -> list[str]:
    assert response.status_code == 200
    found = {one["value"]["name"]: one["value"]["errors"] for one in response.json()["configs"]}
    errors: list[str] = found[key]
    return errors

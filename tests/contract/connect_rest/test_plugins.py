"""Connector classes: the list, their keys, a configuration judged."""

import httpx
import pytest
from tests.support.connect_rest import assert_error
from tests.support.control_api import SINK_CLASS, sink_config

pytestmark = pytest.mark.asyncio(loop_scope="session")

DEFINITION = {
    "name",
    "type",
    "required",
    "default_value",
    "importance",
    "documentation",
    "group",
    "order_in_group",
    "width",
    "display_name",
    "dependents",
    "order",
}
VALUE = {"name", "value", "recommended_values", "errors", "visible"}


async def test_every_plugin_has_a_class_a_type_and_a_version(client: httpx.AsyncClient) -> None:
    plugins = (await client.get("/connector-plugins")).json()
    assert SINK_CLASS in {plugin["class"] for plugin in plugins}
    for plugin in plugins:
        assert list(plugin) == ["class", "type", "version"]
        assert plugin["type"] in {"sink", "source"}


@pytest.mark.parametrize("alias", [SINK_CLASS, "IcebergSinkConnector", "IcebergSink"])
async def test_the_keys_of_a_class_are_described(client: httpx.AsyncClient, alias: str) -> None:
    definitions = (await client.get(f"/connector-plugins/{alias}/config")).json()
    assert {"iceberg.tables", "tasks.max"} <= {one["name"] for one in definitions}
    assert all(set(one) == DEFINITION for one in definitions)


async def test_an_unknown_plugin_is_not_found(client: httpx.AsyncClient) -> None:
    assert_error(await client.get("/connector-plugins/Nope/config"), 404, "Unknown plugin Nope.")


async def test_an_incomplete_configuration_is_judged_with_200(client: httpx.AsyncClient) -> None:
    path = "/connector-plugins/IcebergSinkConnector/config/validate"
    response = await client.put(path, json={"connector.class": SINK_CLASS, "topics": "a"})
    assert response.status_code == 200
    body = response.json()
    assert list(body) == ["name", "error_count", "groups", "configs"]
    assert body["name"] == SINK_CLASS
    assert body["groups"][0] == "Common"
    errors = {one["value"]["name"]: one["value"]["errors"] for one in body["configs"]}
    assert errors["name"] == ['Missing required configuration "name" which has no default value.']
    assert body["error_count"] == sum(map(len, errors.values()))
    for entry in body["configs"]:
        assert set(entry["definition"]) == DEFINITION
        assert set(entry["value"]) == VALUE


async def test_a_good_configuration_has_no_errors(client: httpx.AsyncClient) -> None:
    path = f"/connector-plugins/{SINK_CLASS}/config/validate"
    response = await client.put(path, json=sink_config(name="logs"))
    assert response.json()["error_count"] == 0


async def test_another_class_in_the_body_is_refused(client: httpx.AsyncClient) -> None:
    response = await client.put("/connector-plugins/Other/config/validate", json=sink_config())
    assert_error(
        response, 400, f"Included connector type {SINK_CLASS} does not match request type Other"
    )


async def test_references_are_not_resolved(
    client: httpx.AsyncClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SECRET", "hunter2")
    path = f"/connector-plugins/{SINK_CLASS}/config/validate"
    config = sink_config(name="logs", **{"iceberg.catalog.uri": "${env:SECRET}"})
    assert "hunter2" not in (await client.put(path, json=config)).text

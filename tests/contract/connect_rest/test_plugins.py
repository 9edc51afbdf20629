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


@pytest.mark.parametrize(
    ("query", "has_converters"),
    [("", False), ("?connectorsOnly=true", False), ("?connectorsOnly=False", True)],
)
async def test_converters_are_listed_behind_connectors_if_they_are_wanted(
    client: httpx.AsyncClient, query: str, *, has_converters: bool
) -> None:
    plugins = (await client.get(f"/connector-plugins{query}")).json()
    types = [plugin["type"] for plugin in plugins]
    order = ["sink", "source", "transformation", "predicate", "converter", "header_converter"]
    assert sorted(types, key=order.index) == types
    assert ("converter" in types) is has_converters
    assert ("transformation" in types) is ("predicate" in types) is has_converters


@pytest.mark.parametrize("alias", ["org.apache.kafka.connect.json.JsonConverter", "Json"])
async def test_the_keys_of_a_converter_are_described(client: httpx.AsyncClient, alias: str) -> None:
    definitions = (await client.get(f"/connector-plugins/{alias}/config")).json()
    assert {"converter.type", "schemas.enable"} <= {one["name"] for one in definitions}
    assert (await client.get("/connector-plugins/SimpleHeaderConverter/config")).json() == []


@pytest.mark.parametrize(
    ("name", "key"),
    [
        ("org.apache.kafka.connect.transforms.HoistField$Value", "field"),
        ("io.tabular.iceberg.connect.transforms.CopyValue", "source.field"),
        ("HasHeaderKey", "name"),
    ],
)
async def test_the_options_of_transforms_and_predicates_are_described(
    client: httpx.AsyncClient, name: str, key: str
) -> None:
    definitions = (await client.get(f"/connector-plugins/{name}/config")).json()
    assert key in {one["name"] for one in definitions}


@pytest.mark.parametrize(
    ("version", "message"),
    [
        ("[[", "Invalid version specification: [["),
        (
            "9.9",
            "Plugin org.apache.kafka.connect.json.JsonConverter not found that matches the version "
            "range [9.9,9.9], available versions: [4.3.1]",
        ),
    ],
)
async def test_a_version_that_is_not_there_is_refused(
    client: httpx.AsyncClient, version: str, message: str
) -> None:
    path = "/connector-plugins/JsonConverter/config"
    assert_error(await client.get(path, params={"version": version}), 400, message)
    for installed in ("4.3.1", "[4,5)", "latest"):
        assert (await client.get(path, params={"version": installed})).status_code == 200


async def test_settings_of_a_converter_count_once(client: httpx.AsyncClient) -> None:
    path = "/connector-plugins/IcebergSinkConnector/config/validate"
    good = sink_config(name="logs", **{"value.converter": "JsonConverter"})
    bad = good | {"value.converter.schemas.enable": "maybe"}
    body = (await client.put(path, json=bad)).json()
    errors = {one["value"]["name"]: one["value"]["errors"] for one in body["configs"]}
    assert errors["value.converter.schemas.enable"]
    assert body["error_count"] == 1


async def test_a_null_is_a_fault_unless_the_class_itself_knows_the_key(
    client: httpx.AsyncClient,
) -> None:
    path = "/connector-plugins/IcebergSinkConnector/config/validate"
    nulls = {"tasks.max": None, "zz": None, "iceberg.control.topic": None}
    body = (await client.put(path, json={**sink_config(name="logs"), **nulls})).json()
    errors = {one["value"]["name"]: one["value"]["errors"] for one in body["configs"]}
    null = "Null value can not be supplied as the configuration value."
    assert errors["zz"] == [null]
    assert errors["tasks.max"][-1] == null
    assert errors["iceberg.control.topic"] == []


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

"""Changes that a table waits for: they are shown, and what is said of them reaches a new worker."""

import httpx
import pytest
from pyiceberg.types import ListType, LongType, NestedField, StringType, StructType
from tests.contract.beyond_connect.conftest import Create, Lake
from tests.support.connect_rest import assert_error, until_state
from tests.support.control_api import eventually

from frazil.contracts.schema_change import ChangeKind, SchemaChange
from frazil.contracts.states import TableState
from frazil.contracts.worker_status import TableStatus
from frazil.control_api.engine.fake import Behaviour, FakeEngine

pytestmark = pytest.mark.asyncio(loop_scope="session")
MORE = SchemaChange(kind=ChangeKind.ADD, path="more", type="string")
WIDER = SchemaChange(kind=ChangeKind.WIDEN, path="id", type="bigint")
KEYS = {
    "iceberg.tables": "ns.a,ns.b",
    "iceberg.tables.evolve-schema-enabled": "true",
    "frazil.tables.schema-changes": "ask",
}


async def waiting(create: Create, client: httpx.AsyncClient, engine: FakeEngine, name: str) -> str:
    """Start a connector of which a table waits, and return that table's path."""
    table = TableStatus(state=TableState.WAITING, trace="ns.a waits.", changes=(MORE, WIDER))
    engine.behaviours[name] = Behaviour(tables={"ns.a": table, "ns.b": TableStatus()})
    await create(**KEYS)
    await until_state(client, name, "RUNNING")
    return f"/connectors/{name}/tables/ns.a/schema"


async def test_what_is_shown_is_approved_and_refused_and_forgotten(
    client: httpx.AsyncClient, create: Create, engine: FakeEngine, name: str
) -> None:
    path = await waiting(create, client, engine, name)
    more, wider = MORE.model_dump(), WIDER.model_dump()
    shown = (await client.get(path)).json()
    assert shown == {"waits_for": [more, wider], "approved": [], "refused": [], "undo": None}
    answer = await client.post(f"{path}/approve", json=[wider])
    assert (answer.status_code, answer.json()["approved"]) == (202, [wider])

    async def has_restarted() -> bool:
        return len([one for one, _ in engine.starts if one == name]) == 2

    await eventually("a new worker", has_restarted)
    refused = (await client.post(f"{path}/refuse")).json()
    assert (refused["approved"], refused["refused"]) == ([], ["more", "id"])
    assert (await client.delete(path)).json() == {
        "waits_for": [],
        "approved": [],
        "refused": [],
        "undo": None,
    }


async def test_the_health_says_what_a_table_waits_for(
    client: httpx.AsyncClient, create: Create, engine: FakeEngine, name: str
) -> None:
    await waiting(create, client, engine, name)
    health = (await client.get(f"/connectors/{name}/health")).json()
    assert (health["healthy"], health["tables"]["ns.a"]["state"]) == (False, "WAITING")
    assert "ns.a waits. Approve or refuse" in health["reason"]


async def test_nobody_decides_on_what_was_not_shown(
    client: httpx.AsyncClient, create: Create, engine: FakeEngine, name: str
) -> None:
    path = await waiting(create, client, engine, name)
    other = {"kind": "add", "path": "other", "type": "string"}
    answer = await client.post(f"{path}/approve", json=[other])
    assert_error(
        answer,
        409,
        "Table ns.a does not wait for this: add column other (string). Look at what it waits for.",
    )
    assert (await client.post(f"{path}/refuse", json=[{"kind": "drop"}])).status_code == 400
    nothing = await client.post(f"/connectors/{name}/tables/ns.b/schema/approve")
    assert nothing.status_code == 409
    assert_error(await client.post("/connectors/nobody/tables/ns.a/schema/approve"), 404)


@pytest.mark.usefixtures("in_process")
async def test_an_earlier_schema_is_named_and_asked_for(
    client: httpx.AsyncClient, create: Create, lake: Lake
) -> None:
    inner = StructType(NestedField(10, "x", LongType()))
    with lake.table.update_schema() as update:
        update.add_column("more", StringType())
        update.add_column("all", ListType(11, inner))
    name = await create(**lake.config)
    path = f"/connectors/{name}/tables/streaming.rows/schema"
    newest, oldest = (await client.get(f"{path}/versions")).json()
    assert oldest == {"schema_id": 0, "current": False, "columns": {"id": "long"}}
    assert newest["columns"] == {"id": "long", "more": "string", "all.element.x": "long"}
    asked = await client.post(f"{path}/undo?schema_id=0")
    assert asked.status_code == 202
    assert asked.json()["undo"] == {"before": 1, "after": 0}
    assert {"more", "all"} <= {*asked.json()["refused"]}
    assert_error(
        await client.post(f"{path}/undo?schema_id=7"),
        404,
        "Table streaming.rows has no schema 7; it has 0, 1",
    )
    other = f"/connectors/{name}/tables/streaming.other/schema/undo?schema_id=0"
    assert_error(await client.post(other), 404)


@pytest.mark.usefixtures("in_process")
async def test_what_stands_in_the_way_of_an_earlier_schema_is_said(
    client: httpx.AsyncClient, create: Create, lake: Lake
) -> None:
    with lake.table.update_schema() as update:
        update.add_column("more", StringType())
    with lake.table.update_spec() as spec:
        spec.add_identity("more")
    name = await create(**lake.config)
    answer = await client.post(f"/connectors/{name}/tables/streaming.rows/schema/undo?schema_id=0")
    assert_error(
        answer,
        409,
        "Table streaming.rows cannot go back to schema 0: its partitions, order or key stand on "
        "column more",
    )

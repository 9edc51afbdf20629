"""Single tables of a connector: what is asked for reaches the next worker."""

import httpx
import pytest
from tests.contract.beyond_connect.conftest import Create
from tests.support.connect_rest import assert_error, until_state
from tests.support.control_api import eventually

from frazil.contracts.states import TableState
from frazil.contracts.worker_status import TableStatus
from frazil.control_api.engine.fake import Behaviour, FakeEngine

pytestmark = pytest.mark.asyncio(loop_scope="session")
TABLES = {"iceberg.tables": "ns.a,ns.b"}


async def test_a_table_is_paused_resumed_and_restarted_by_new_workers(
    client: httpx.AsyncClient, create: Create, engine: FakeEngine
) -> None:
    name = await create(**TABLES)
    await until_state(client, name, "RUNNING")

    def starts() -> int:
        return len([one for one, _ in engine.starts if one == name])

    asked = (("PUT", "pause"), ("PUT", "resume"), ("POST", "restart"))
    for number, (method, verb) in enumerate(asked):
        answer = await client.request(method, f"/connectors/{name}/tables/ns.a/{verb}")
        assert (answer.status_code, answer.text) == (202, "")

        async def has_restarted(wanted: int = number + 2) -> bool:
            return starts() == wanted

        await eventually("a new worker", has_restarted)
    again = await client.put(f"/connectors/{name}/tables/ns.a/resume")
    assert again.status_code == 202


async def test_tables_are_told_as_the_worker_sees_them(
    client: httpx.AsyncClient, create: Create, engine: FakeEngine, name: str
) -> None:
    engine.behaviours[name] = Behaviour(
        tables={"ns.a": TableStatus(state=TableState.PAUSED, behind=7), "ns.b": TableStatus()}
    )
    await create(**TABLES)
    await until_state(client, name, "RUNNING")
    tables = (await client.get(f"/connectors/{name}/tables")).json()
    assert {table: found["state"] for table, found in tables.items()} == {
        "ns.a": "PAUSED",
        "ns.b": "RUNNING",
    }
    assert tables["ns.a"]["behind"] == 7


async def test_what_cannot_be(client: httpx.AsyncClient, create: Create) -> None:
    name = await create(**TABLES)
    missing = await client.put(f"/connectors/{name}/tables/ns.x/pause")
    assert_error(missing, 404, f"Connector {name} has no table ns.x")
    assert_error(await client.put("/connectors/nobody/tables/ns.a/pause"), 404)
    assert (await client.put(f"/connectors/{name}/tables/ns.a/pause")).status_code == 202
    last = await client.put(f"/connectors/{name}/tables/ns.b/pause")
    assert_error(last, 400, "No table would be left that is written: pause the connector instead.")

"""Modes of a rewind: what cannot be is said before anything is moved."""

from uuid import uuid4

import httpx
import pytest
from tests.contract.beyond_connect.conftest import Create
from tests.support.connect_rest import assert_error, until_state

pytestmark = pytest.mark.asyncio(loop_scope="session")
MOVE = {
    "offsets": [
        {"partition": {"kafka_topic": "t", "kafka_partition": 0}, "offset": {"kafka_offset": 1}}
    ]
}


async def refused(client: httpx.AsyncClient, name: str, mode: str, message: str | None) -> None:
    await client.put(f"/connectors/{name}/stop")
    await until_state(client, name, "STOPPED")
    url = f"/connectors/{name}/offsets?mode={mode}"
    for answer in (await client.patch(url, json=MOVE), await client.delete(url)):
        assert_error(answer, 400, message)


async def test_what_is_no_mode(client: httpx.AsyncClient, create: Create) -> None:
    await refused(client, await create(), "twice", None)


@pytest.mark.parametrize("mode", ["once", "again", "branch"])
@pytest.mark.parametrize(
    "config",
    [
        {"connector.class": "FileStreamSink", "file": "f", "topics": "t"},
        {"connector.class": "FileStreamSource", "file": "f", "topic": "t"},
    ],
)
async def test_where_no_table_is_written_there_is_no_mode(
    client: httpx.AsyncClient, config: dict[str, str], mode: str
) -> None:
    name = f"files-{uuid4().hex[:8]}"
    made = await client.post("/connectors", json={"name": name, "config": config})
    assert made.status_code == 201, made.text
    await refused(
        client,
        name,
        mode,
        "This connector writes to no Iceberg table, and what it has written stays: leave out the "
        "parameter mode.",
    )
    await client.delete(f"/connectors/{name}")


@pytest.mark.parametrize("mode", ["once", "branch"])
async def test_tables_that_records_name_cannot_be_gone_through(
    client: httpx.AsyncClient, create: Create, mode: str
) -> None:
    named = {"iceberg.tables.dynamic-enabled": "true", "iceberg.tables.route-field": "table"}
    name = await create(**{"iceberg.tables": "", **named})
    await refused(
        client,
        name,
        mode,
        f"mode={mode} takes rows back from the tables listed in iceberg.tables, and the records of "
        "this connector name theirs. Delete the rows yourself, and leave out the parameter.",
    )

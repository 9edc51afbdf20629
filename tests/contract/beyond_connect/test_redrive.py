"""Redrive of dead letters: what is asked for reaches the next worker."""

import httpx
import pytest
from tests.contract.beyond_connect.conftest import Create
from tests.support.connect_rest import assert_error, until_state
from tests.support.control_api import eventually

from frazil.control_api.engine.fake import FakeEngine

pytestmark = pytest.mark.asyncio(loop_scope="session")
LETTERS = {"errors.tolerance": "all", "frazil.dead.letters.table": "streaming.dead"}


async def test_a_new_worker_gets_the_order(
    client: httpx.AsyncClient, create: Create, engine: FakeEngine
) -> None:
    name = await create(**LETTERS)
    await until_state(client, name, "RUNNING")
    starts = len([one for one, _ in engine.starts if one == name])
    asked = await client.post(f"/connectors/{name}/dlq/redrive?reason=row&table=streaming.apilogs")
    assert asked.status_code == 202
    order = asked.json()
    assert list(order) == ["number", "before"]

    async def has_restarted() -> bool:
        return len([one for one, _ in engine.starts if one == name]) == starts + 1

    await eventually("a new worker", has_restarted)
    again = (await client.post(f"/connectors/{name}/dlq/redrive")).json()
    assert again["number"] > order["number"]


async def test_who_keeps_no_letters_is_told_what_to_set(
    client: httpx.AsyncClient, create: Create
) -> None:
    name = await create()
    answer = await client.post(f"/connectors/{name}/dlq/redrive")
    assert_error(
        answer,
        400,
        "This connector keeps no letters that could be read again: set "
        "frazil.dead.letters.table. Those in a topic can be produced to it once more.",
    )


async def test_reasons_and_names_that_there_are_not(
    client: httpx.AsyncClient, create: Create
) -> None:
    name = await create(**LETTERS)
    answer = await client.post(f"/connectors/{name}/dlq/redrive?reason=mood")
    assert answer.status_code == 400
    assert "converter" in answer.text
    answer = await client.post("/connectors/nobody/dlq/redrive")
    assert_error(answer, 404, "Connector nobody not found")

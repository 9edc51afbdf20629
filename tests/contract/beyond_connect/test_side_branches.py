"""Side branches of rewinds: a user's word on them reaches the next worker, and is then done."""

import httpx
import pytest
from fastapi import FastAPI
from tests.contract.beyond_connect.conftest import Create
from tests.support.connect_rest import assert_error, until_state
from tests.support.control_api import eventually

from frazil.contracts.offsets import Mode, Rewind

pytestmark = pytest.mark.asyncio(loop_scope="session")
WISH = Rewind(number=7, offsets={"t": {0: 1}}, mode=Mode.BRANCH, branch="mine")


async def begun(app: FastAPI, client: httpx.AsyncClient, name: str) -> None:
    """Have a branch as if a broker had moved the group for it."""
    await client.put(f"/connectors/{name}/stop")
    await until_state(client, name, "STOPPED")
    app.state.service.rewind(name, lambda _: WISH)
    assert (await state(client, name)) == "pending"
    await client.put(f"/connectors/{name}/resume")
    await until(client, name, "open")


async def state(client: httpx.AsyncClient, name: str) -> str | None:
    answer = await client.get(f"/connectors/{name}/offsets/branch")
    if answer.status_code == 404:
        return None
    assert answer.json() == {"branch": "mine", "rewind": 7, "state": answer.json()["state"]}
    return str(answer.json()["state"])


async def until(client: httpx.AsyncClient, name: str, wanted: str | None) -> None:
    async def is_so() -> bool:
        return await state(client, name) == wanted

    await eventually(f"the branch is {wanted}", is_so)


@pytest.mark.parametrize(
    ("method", "path", "said"), [("POST", "/publish", "publishing"), ("DELETE", "", "dropping")]
)
async def test_a_branch_ends_with_a_new_worker(
    app: FastAPI, client: httpx.AsyncClient, create: Create, method: str, path: str, said: str
) -> None:
    name = await create()
    await until_state(client, name, "RUNNING")
    await begun(app, client, name)
    answer = await client.request(method, f"/connectors/{name}/offsets/branch{path}")
    assert (answer.status_code, answer.json()["state"]) == (202, said)
    await until(client, name, None)
    again = await client.request(method, f"/connectors/{name}/offsets/branch{path}")
    assert_error(again, 404, f"Connector {name} writes to no side branch")


async def test_rewinds_wait_for_its_end(
    app: FastAPI, client: httpx.AsyncClient, create: Create
) -> None:
    name = await create()
    await until_state(client, name, "RUNNING")
    await begun(app, client, name)
    await client.put(f"/connectors/{name}/stop")
    await until_state(client, name, "STOPPED")
    answer = await client.delete(f"/connectors/{name}/offsets?mode=once")
    assert "writes to branch mine" in assert_error(answer, 409)


async def test_a_name_is_read_before_anything_is_moved(
    client: httpx.AsyncClient, create: Create
) -> None:
    name = await create()
    await client.put(f"/connectors/{name}/stop")
    await until_state(client, name, "STOPPED")
    answer = await client.delete(f"/connectors/{name}/offsets?mode=branch&branch=main")
    why = "mode=branch cannot be: branch main is where rows go as it is."
    assert_error(answer, 400, why)

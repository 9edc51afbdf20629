"""The topics of a connector, and their reset."""

import httpx
import pytest
from tests.support.control_api import eventually

pytestmark = pytest.mark.asyncio(loop_scope="session")


async def topics(client: httpx.AsyncClient, name: str) -> list[str]:
    body = (await client.get(f"/connectors/{name}/topics")).json()
    assert list(body) == [name]
    assert list(body[name]) == ["topics"]
    found: list[str] = body[name]["topics"]
    return found


async def test_topics_that_were_read_are_forgotten_by_a_reset(
    client: httpx.AsyncClient, running: str
) -> None:
    async def has_read() -> bool:
        return await topics(client, running) == ["apilogs"]

    await eventually("its topic is known", has_read)
    response = await client.put(f"/connectors/{running}/topics/reset")
    assert (response.status_code, response.content) == (202, b"")
    assert "content-type" not in response.headers
    assert await topics(client, running) == []
    # Its worker is looked at again and again, and has read nothing since.
    await client.post(f"/connectors/{running}/restart")
    assert await topics(client, running) == []


async def test_nobodys_topics_can_be_reset_too(client: httpx.AsyncClient) -> None:
    assert (await client.put("/connectors/nope/topics/reset")).status_code == 202
    assert await topics(client, "nope") == []

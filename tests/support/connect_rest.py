"""What tests of Connect's REST API share: waiting for a state, the shape of errors."""

import httpx
from tests.support.control_api import eventually

Json = dict[str, object]


async def until_healthy(client: httpx.AsyncClient) -> None:
    async def is_healthy() -> bool:
        return (await client.get("/health")).status_code == 200

    await eventually("the server is healthy", is_healthy)


async def until_state(client: httpx.AsyncClient, name: str, state: str) -> Json:
    async def is_there() -> bool:
        response = await client.get(f"/connectors/{name}/status")
        return bool(response.json()["connector"]["state"] == state)

    await eventually(f"{name} is {state}", is_there)
    status: Json = (await client.get(f"/connectors/{name}/status")).json()
    return status


def assert_error(response: httpx.Response, status: int, message: str | None = None) -> str:
    """Check the shape of an error, and its message if it is given; return the message."""
    assert response.status_code == status, response.text
    body = response.json()
    assert list(body) == ["error_code", "message"]
    assert body["error_code"] == status
    if message is not None:
        assert body["message"] == message
    text: str = body["message"]
    return text

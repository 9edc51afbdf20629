"""What tests of Connect's REST API share: waiting for a state, the shape of errors."""

import asyncio
from dataclasses import dataclass
from typing import Any

import httpx
from tests.support.control_api import eventually

Json = dict[str, Any]


class PatientTransport(httpx.AsyncHTTPTransport):
    """Asks again while a genuine worker rebalances, as Connect's own clients do."""

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        for _ in range(20):
            response = await super().handle_async_request(request)
            if response.status_code not in (409, 500) or not _is_passing(await response.aread()):
                break
            await asyncio.sleep(0.5)
        return response


def _is_passing(body: bytes) -> bool:
    return b"rebalance" in body or b"stale configuration" in body


@dataclass(frozen=True)
class Kinds:
    """Aliases of a source and a sink, and the least that they need."""

    source: str
    source_key: str
    sink: str

    def source_config(self, **more: Any) -> dict[str, Any]:
        return {"connector.class": self.source, self.source_key: "t", "tasks.max": 1} | more

    def sink_config(self, **more: Any) -> dict[str, Any]:
        return {"connector.class": self.sink, "topics": "t"} | more


async def until_healthy(client: httpx.AsyncClient) -> None:
    async def is_healthy() -> bool:
        return (await client.get("/health")).status_code == 200

    await eventually("the server is healthy", is_healthy)


async def until_state(client: httpx.AsyncClient, name: str, state: str) -> Json:
    status: Json = {}

    async def is_there() -> bool:
        nonlocal status
        response = await client.get(f"/connectors/{name}/status")
        # A genuine worker takes a moment after a create.
        status = response.json() if response.status_code == 200 else {"connector": {}}
        return bool(response.status_code == 200 and response.json()["connector"]["state"] == state)

    await eventually(f"{name} is {state}", is_there)
    return status


async def until_running(client: httpx.AsyncClient, name: str) -> dict[str, Any]:
    status: dict[str, Any] = {}

    async def runs() -> bool:
        nonlocal status
        status = await until_state(client, name, "RUNNING")
        states = [task["state"] for task in status["tasks"]]
        return states == ["RUNNING"]

    await eventually(f"{name} and its task run", runs)
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


async def check_sink_offsets(client: httpx.AsyncClient, name: str, topic: str) -> None:
    """Move a stopped sink, look, let it begin anew, look again."""
    path = f"/connectors/{name}/offsets"
    partition = {"kafka_topic": topic, "kafka_partition": 0}
    moved = {"offsets": [{"partition": partition, "offset": {"kafka_offset": 5}}]}
    response = await client.patch(path, json=moved)
    assert response.status_code == 200, response.text
    assert "altered successfully" in response.json()["message"]
    assert (await client.get(path)).json() == moved
    response = await client.delete(path)
    assert response.status_code == 200, response.text
    assert "reset successfully" in response.json()["message"]
    assert (await client.get(path)).json() == {"offsets": []}

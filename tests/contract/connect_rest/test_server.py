"""The server itself: root, health, metrics."""

import re

import httpx
import pytest

pytestmark = pytest.mark.asyncio(loop_scope="session")


async def test_the_root_tells_a_version_that_clients_can_parse(client: httpx.AsyncClient) -> None:
    response = await client.get("/")
    body = response.json()
    assert list(body) == ["version", "commit", "kafka_cluster_id"]
    assert re.match(r"^\d+\.\d+", body["version"])


async def test_health_has_connects_words_and_our_own_beside_them(
    client: httpx.AsyncClient,
) -> None:
    response = await client.get("/health")
    body = response.json()
    assert response.status_code == 200
    assert body["status"] == "healthy"
    assert body["message"] == "Worker has completed startup and is ready to handle requests."
    assert set(body["frazil"]) == {"version", "role", "loops", "broker", "engine"}
    assert body["frazil"]["loops"] == "running"

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
    assert set(body["frazil"]) == {"version", "loops", "broker"}
    assert body["frazil"]["loops"] == "running"


async def test_metrics_count_connectors_by_state_and_calls_by_route(
    client: httpx.AsyncClient, running: str
) -> None:
    response = await client.get("/metrics", headers={"Accept": "text/plain"})
    assert response.status_code == 200
    assert 'frazil_connectors{state="RUNNING"}' in response.text
    assert 'route="/connectors/{connector}/status"' in response.text
    assert running not in response.text

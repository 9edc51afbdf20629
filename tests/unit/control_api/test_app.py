"""The application as a whole: its start, its end, and what it says when something inside breaks."""

from collections.abc import AsyncIterator
from pathlib import Path

import httpx
import pytest
from fastapi import FastAPI
from starlette.requests import ClientDisconnect
from structlog.typing import EventDict
from tests.support.connect_rest import assert_error, until_healthy, until_state
from tests.support.control_api import sink_config

from frazil.control_api.app import create_app
from frazil.control_api.core.service import ConnectorService
from frazil.control_api.engine.fake import FakeEngine
from frazil.control_api.kafka import broker
from frazil.control_api.plant import SystemClock
from frazil.control_api.settings import Settings


@pytest.fixture(autouse=True)
def _no_broker(monkeypatch: pytest.MonkeyPatch) -> None:
    async def cluster_id(_servers: str) -> str:
        return "cluster-1"

    monkeypatch.setattr(broker, "_cluster_id", cluster_id)


def client_of(app: FastAPI) -> httpx.AsyncClient:
    transport = httpx.ASGITransport(app, raise_app_exceptions=False)
    return httpx.AsyncClient(transport=transport, base_url="http://test")


async def run_until_running(app: FastAPI, *, create: bool = True) -> None:
    async with app.router.lifespan_context(app), client_of(app) as client:
        if create:
            body = {"name": "logs", "config": sink_config()}
            await client.post("/connectors", json=body)
        await until_state(client, "logs", "RUNNING")


@pytest.fixture
def machine() -> FakeEngine:
    return FakeEngine(SystemClock())


async def test_workers_outlive_the_api_and_are_adopted_by_the_next(
    tmp_path: Path, machine: FakeEngine
) -> None:
    await run_until_running(create_app(Settings(home=tmp_path), machine))
    assert (await machine.inspect("logs")).living
    await run_until_running(create_app(Settings(home=tmp_path), machine), create=False)
    assert len(machine.starts) == 1


async def test_workers_end_with_the_api_if_that_is_wanted_and_start_again_with_it(
    tmp_path: Path, machine: FakeEngine
) -> None:
    settings = Settings(home=tmp_path, stop_workers_on_exit=True)
    await run_until_running(create_app(settings, machine))
    assert not (await machine.inspect("logs")).living
    await run_until_running(create_app(settings, machine), create=False)
    assert len(machine.starts) == 2


async def test_the_broker_is_named_when_it_answers(tmp_path: Path, machine: FakeEngine) -> None:
    app = create_app(Settings(home=tmp_path), machine)
    async with app.router.lifespan_context(app), client_of(app) as client:
        await until_healthy(client)
        assert (await client.get("/")).json()["kafka_cluster_id"] == "cluster-1"
        assert (await client.get("/health")).json()["frazil"]["broker"] == "connected"


async def test_a_loop_that_dies_makes_the_server_unhealthy(
    tmp_path: Path, machine: FakeEngine
) -> None:
    async def dies() -> None:
        raise RuntimeError("a bug")

    app = create_app(Settings(home=tmp_path), machine)
    async with app.router.lifespan_context(app), client_of(app) as client:
        await until_healthy(client)
        app.state.plant.guard.start("some-loop", dies)
        response = await client.get("/health")
        response = await client.get("/health")
    assert response.status_code == 500
    assert response.json()["status"] == "unhealthy"
    assert "some-loop ended" in response.json()["message"]
    assert "some-loop ended" in response.json()["frazil"]["loops"]


async def test_an_error_that_nobody_expected_is_a_500_with_an_id_and_no_more(
    tmp_path: Path, machine: FakeEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    def breaks(_service: ConnectorService) -> None:
        raise RuntimeError("password=hunter2")

    monkeypatch.setattr(ConnectorService, "all", breaks)
    app = create_app(Settings(home=tmp_path), machine)
    async with app.router.lifespan_context(app), client_of(app) as client:
        message = assert_error(await client.get("/connectors"), 500)
    assert message.startswith("Internal error ")
    assert "hunter2" not in message


async def test_a_client_that_leaves_within_its_body_is_no_error_of_ours(
    tmp_path: Path, machine: FakeEngine, lines: list[EventDict]
) -> None:
    class Broken(httpx.AsyncByteStream):
        async def __aiter__(self) -> AsyncIterator[bytes]:
            yield b'{"na'
            raise ClientDisconnect

    app = create_app(Settings(home=tmp_path), machine)
    async with app.router.lifespan_context(app), client_of(app) as client:
        await until_healthy(client)
        headers = {"Content-Type": "application/json"}
        answer = await client.post("/connectors", content=Broken(), headers=headers)
    assert answer.status_code == 400
    assert "request_failed" not in [line["event"] for line in lines]

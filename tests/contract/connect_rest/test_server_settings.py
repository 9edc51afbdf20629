"""Settings that change what callers see: CORS, headers, what is switched off, the time limit."""

import asyncio
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest
from pydantic import ValidationError
from tests.support.asked import asked
from tests.support.connect_rest import assert_error, until_healthy
from tests.support.control_api import sink_config

from frazil.control_api.app import create_app
from frazil.control_api.settings import EngineKind, Settings

ORIGIN = "https://console.test"


@asynccontextmanager
async def server(home: Path, **settings: Any) -> AsyncIterator[httpx.AsyncClient]:
    app = create_app(
        Settings(home=home, engine=EngineKind.FAKE, bootstrap_servers="127.0.0.1:1", **settings)
    )

    @app.get("/slow")
    async def slow() -> None:
        await asyncio.sleep(60)

    async with asked(app) as client:
        await until_healthy(client)
        yield client


async def test_without_settings_there_are_no_headers_of_cors(tmp_path: Path) -> None:
    async with server(tmp_path) as client:
        response = await client.get("/", headers={"Origin": ORIGIN})
    assert "vary" not in response.headers
    assert "access-control-allow-origin" not in response.headers


async def test_allowed_origins_are_told_so_in_every_answer(tmp_path: Path) -> None:
    async with server(tmp_path, access_control_allow_origin=ORIGIN) as client:
        for path in ("/connectors", "/nope"):
            response = await client.get(path, headers={"Origin": ORIGIN})
            assert response.headers["access-control-allow-origin"] == ORIGIN
            assert response.headers["vary"] == "Origin"
        stranger = await client.get("/connectors", headers={"Origin": "https://evil.test"})
        assert "access-control-allow-origin" not in stranger.headers


async def test_a_preflight_is_answered_as_other_options_are(tmp_path: Path) -> None:
    asked = {"Origin": ORIGIN, "Access-Control-Request-Method": "PUT"}
    settings = {"access_control_allow_origin": "*", "access_control_allow_methods": "GET,PUT"}
    async with server(tmp_path, **settings) as client:
        response = await client.options("/connectors/a/config", headers=asked)
    assert response.status_code == 200
    assert response.headers["access-control-allow-origin"] == ORIGIN
    assert response.headers["access-control-allow-methods"] == "GET,PUT"
    assert response.headers["access-control-allow-headers"] == "Content-Type"
    assert response.headers["access-control-max-age"] == "60"
    assert response.headers["allow"] == "HEAD,GET,OPTIONS,PUT,PATCH"


async def test_every_answer_carries_the_headers_that_are_wanted(tmp_path: Path) -> None:
    rules = 'set X-Frame-Options: DENY, "add Cache-Control: no-cache, no-store", setDate Expires: 0'
    async with server(tmp_path, response_http_headers=rules) as client:
        for path in ("/connectors", "/nope"):
            headers = (await client.get(path)).headers
            assert headers["x-frame-options"] == "DENY"
            assert headers["cache-control"] == "no-cache, no-store"
            assert re.fullmatch(r"\w{3}, .* GMT", headers["expires"])


def test_headers_that_make_no_sense_are_refused_at_the_start(tmp_path: Path) -> None:
    with pytest.raises(ValidationError, match="no header rule"):
        Settings(home=tmp_path, response_http_headers="X-Frame-Options: DENY")


async def test_the_routes_of_loggers_can_be_off(tmp_path: Path) -> None:
    async with server(tmp_path, admin=False) as client:
        for path in ("/admin/loggers", "/admin/loggers/root"):
            response = await client.get(path)
            assert_error(response, 404, "HTTP 404 Not Found")
            assert "content-type" not in response.headers


async def test_topics_can_be_untracked(tmp_path: Path) -> None:
    async with server(tmp_path, topic_tracking=False) as client:
        for method, path in (("GET", "topics"), ("PUT", "topics/reset")):
            response = await client.request(method, f"/connectors/nope/{path}")
            assert_error(response, 403, "Topic tracking is disabled.")


async def test_topics_can_be_kept_from_a_reset(tmp_path: Path) -> None:
    async with server(tmp_path, topic_tracking_reset=False) as client:
        response = await client.put("/connectors/nope/topics/reset")
        assert_error(response, 403, "Topic tracking reset is disabled.")
        assert (await client.get("/connectors/nope/topics")).status_code == 200


async def test_what_takes_too_long_is_given_up(tmp_path: Path) -> None:
    async with server(tmp_path, request_timeout=0.05) as client:
        assert_error(await client.get("/slow"), 500, "Request timed out")


async def test_what_connectors_may_take_is_bounded(tmp_path: Path) -> None:
    bounds = {"max_connectors": 1, "max_tasks": 2, "max_driver_memory": "1g"}
    async with server(tmp_path, **bounds) as client:

        async def create(name: str, **config: str) -> httpx.Response:
            body = {"name": name, "config": sink_config(**config)}
            return await client.post("/connectors", json=body)

        assert_error(await create("a", **{"tasks.max": "3"}), 400)
        assert_error(await create("a", **{"frazil.driver.memory": "2g"}), 400)
        assert (await create("a")).status_code == 201
        assert_error(await create("b"), 400)
        planned = await client.put("/connectors/b/config?dry_run=true", json=sink_config())
        assert_error(planned, 400)


async def pieces(size: int) -> AsyncIterator[bytes]:
    for _ in range(size // 1024):
        yield b" " * 1024


@pytest.mark.parametrize("announced", [True, False])
@pytest.mark.parametrize(("size", "status"), [(1024 * 1024, 400), (1025 * 1024, 413)])
async def test_a_body_may_have_a_megabyte(
    tmp_path: Path, *, announced: bool, size: int, status: int
) -> None:
    async with server(tmp_path) as client:
        for method, path in [
            ("POST", "/connectors"),
            ("PUT", "/connectors/logs/config"),
            ("PUT", "/connector-plugins/IcebergSinkConnector/config/validate"),
        ]:
            response = await client.request(
                method,
                path,
                content=b" " * size if announced else pieces(size),
                headers={"Content-Type": "application/json"},
            )
            message = assert_error(response, status)
            assert ("1048576 bytes, and this one has more" in message) is (status == 413)

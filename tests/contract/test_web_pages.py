"""Both servers, asked as a browser asks that a web page of another site has sent."""

import asyncio
import socket
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest
from fastapi import FastAPI
from tests.support.access import CREDENTIALS, WRITER
from tests.support.asked import asked
from tests.support.connect_rest import assert_error, until_healthy
from tests.support.control_api import sink_config
from tests.support.served import served

from frazil.control_api.app import create_app as control_api
from frazil.control_api.settings import EngineKind
from frazil.control_api.settings import Settings as ControlSettings
from frazil.table_catalog.app import create_app as table_catalog
from frazil.table_catalog.settings import Settings as CatalogSettings

REBOUND = {"Host": "rebind.attacker.example:8083"}
CROSS_SITE = {"Origin": "https://evil.example", "Sec-Fetch-Site": "cross-site"}
CONSOLE = "https://console.corp.example"


def connect(home: Path, **settings: Any) -> FastAPI:
    return control_api(
        ControlSettings(
            home=home, engine=EngineKind.FAKE, bootstrap_servers="127.0.0.1:1", **settings
        )
    )


def catalog(home: Path, **settings: Any) -> FastAPI:
    return table_catalog(CatalogSettings(home=home, warehouses=("lake",), **settings))


@pytest.fixture
async def client(tmp_path: Path) -> AsyncIterator[httpx.AsyncClient]:
    async with asked(connect(tmp_path, access_control_allow_origin=CONSOLE)) as client:
        await until_healthy(client)
        created = await client.post("/connectors", json={"name": "logs", "config": sink_config()})
        assert created.status_code == 201
        yield client


class TestTheControlApi:
    async def test_answers_nothing_under_a_name_that_a_page_made_up(
        self, client: httpx.AsyncClient
    ) -> None:
        for method, path in [
            ("GET", "/"),
            ("GET", "/connectors/logs/config"),
            ("GET", "/nope"),
            ("POST", "/connectors"),
            ("OPTIONS", "/connectors"),
        ]:
            answer = await client.request(method, path, headers=REBOUND)
            assert answer.status_code == 403, (method, path)
            assert "FRAZIL_ALLOWED_HOSTS" in answer.json()["message"]

    async def test_refuses_each_call_without_a_body_that_another_site_sends(
        self, client: httpx.AsyncClient
    ) -> None:
        for method, path in [
            ("POST", "/connectors/logs/restart"),
            ("POST", "/connectors/logs/tasks/0/restart"),
            ("POST", "/connectors/logs/rollback?version=1"),
            ("POST", "/connectors/logs/offsets/branch/publish"),
            ("POST", "/connectors/logs/dlq/redrive"),
            ("PUT", "/connectors/logs/pause"),
            ("DELETE", "/connectors/logs"),
        ]:
            answer = await client.request(method, path, headers=CROSS_SITE)
            assert_error(
                answer,
                403,
                "a web page of https://evil.example has sent this, and such a page may change "
                "nothing here",
            )
        assert (await client.get("/connectors")).json() == ["logs"]

    async def test_takes_calls_of_a_page_that_cors_allows(self, client: httpx.AsyncClient) -> None:
        page = {"Origin": CONSOLE, "Sec-Fetch-Site": "cross-site"}
        answer = await client.put("/connectors/logs/pause", headers=page)
        assert answer.status_code == 202
        assert answer.headers["access-control-allow-origin"] == CONSOLE

    async def test_takes_further_names_by_a_setting(self, tmp_path: Path) -> None:
        allowed = {"allowed_hosts": ("*.corp.example",), "advertised_host": "other.example"}
        async with asked(connect(tmp_path / "named", **allowed)) as client:
            await until_healthy(client)
            for name in ("connect.corp.example:8083", "other.example"):
                answer = await client.get("/connectors", headers={"Host": name})
                assert answer.status_code == 200
            assert (await client.get("/connectors", headers=REBOUND)).status_code == 403

    async def test_that_asks_for_credentials_has_any_name_and_yet_refuses_other_sites(
        self, tmp_path: Path
    ) -> None:
        file = tmp_path / "credentials.toml"
        await asyncio.to_thread(file.write_text, CREDENTIALS)
        async with asked(connect(tmp_path, credentials=file)) as client:
            await until_healthy(client)
            answer = await client.get("/connectors", headers=WRITER | REBOUND)
            assert answer.status_code == 200
            assert (await client.get("/connectors", headers=REBOUND)).status_code == 401
            # The browser adds what it remembers.
            answer = await client.post("/connectors/x/restart", headers=WRITER | CROSS_SITE)
            assert_error(answer, 403)


class TestTheTableCatalog:
    async def test_that_is_open_refuses_what_a_page_sends(self, tmp_path: Path) -> None:
        async with asked(catalog(tmp_path, open=True)) as client:
            config = "/_iceberg/v1/config?warehouse=lake"
            assert (await client.get(config)).status_code == 200
            answer = await client.get(config, headers=REBOUND)
            assert answer.status_code == 403
            assert "FRAZIL_ALLOWED_HOSTS" in answer.json()["error"]["message"]
            answer = await client.post("/_iceberg/v1/warehouses", headers=CROSS_SITE)
            assert answer.status_code == 403
            assert answer.json()["error"]["type"] == "ForbiddenException"

    async def test_with_keys_has_any_name_for_no_page_can_sign(self, tmp_path: Path) -> None:
        keys = tmp_path / "keys.toml"
        await asyncio.to_thread(keys.touch, 0o600)
        async with asked(catalog(tmp_path, keys=keys)) as client:
            assert (await client.get("/health", headers=REBOUND)).status_code == 200


@contextmanager
def talking(url: str) -> Iterator[socket.socket]:
    place = httpx.URL(url)
    assert place.port is not None
    with socket.create_connection((place.host, place.port), timeout=15) as connection:
        yield connection


class TestOnTheWire:
    @pytest.fixture
    def url(self, tmp_path: Path) -> Iterator[str]:
        with served(connect(tmp_path)) as url:
            yield url

    @pytest.mark.parametrize(
        ("request_head", "status"),
        [
            (b"GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n", 200),
            (b"GET / HTTP/1.0\r\n\r\n", 200),
            (b"GET / HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n", 403),
            (b"GET / HTTP/1.0\r\nHost: evil.example\r\n\r\n", 403),
            # The name of an absolute target is for proxies; the header is what browsers fill in.
            (b"GET http://localhost/ HTTP/1.0\r\nHost: evil.example\r\n\r\n", 403),
            (b"GET / HTTP/1.1\r\nHost: a\r\nHost: evil.example\r\nConnection: close\r\n\r\n", 403),
        ],
    )
    def test_the_host_header_decides(self, url: str, request_head: bytes, status: int) -> None:
        with talking(url) as connection:
            connection.sendall(request_head)
            assert connection.recv(65536).startswith(b"HTTP/1.1 %d " % status)

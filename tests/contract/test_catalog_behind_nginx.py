"""The catalog's door on real sockets: what a proxy may do to a signed request and what not."""

import threading
from collections.abc import Iterator
from datetime import UTC, datetime

import httpx
import pytest
import uvicorn
from starlette.requests import Request
from starlette.responses import PlainTextResponse
from starlette.types import Receive, Scope, Send
from tests.support import nginx
from tests.support.ports import free_port
from tests.support.signed_requests import KEY_ID, SECRET, sign

from frazil.table_catalog.api.access import Access, Door
from frazil.table_catalog.core.keys import Key, Keyring
from frazil.table_catalog.core.rights import Principal

PATH = "/_iceberg/v1/lake/namespaces/streaming%1Fgr%C3%BCn/tables/a%20b%2Bc~d"
PORTS = ("behind", "kept", "changed", "without_port")


async def routes(scope: Scope, receive: Receive, send: Send) -> None:
    body = await Request(scope, receive).body()
    await PlainTextResponse(f"{len(body)} bytes")(scope, receive, send)


@pytest.fixture(scope="module")
def ports() -> Iterator[dict[str, int]]:
    ports = {name: free_port() for name in PORTS}
    keyring = Keyring({KEY_ID: Key(SECRET, Principal(KEY_ID))})
    door = Door(
        keyring=lambda: keyring,
        now=lambda: datetime.now(UTC),
        most_bytes=1_000_000,
        most_bytes_at_once=2_000_000,
    )
    config = uvicorn.Config(
        Access(routes, door), port=ports["behind"], lifespan="off", log_config=None
    )
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run)
    thread.start()
    try:
        yield ports
    finally:
        server.should_exit = True
        thread.join(timeout=10)


@pytest.fixture(scope="module")
def proxied(
    ports: dict[str, int], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[dict[str, int]]:
    binary = nginx.find_nginx()
    if binary is None:
        pytest.skip("nginx is not installed")
    with nginx.running(binary, tmp_path_factory.mktemp("nginx"), **ports):
        yield ports


def post(port: int, body: bytes = b"{}" * 50_000) -> httpx.Response:
    sent = sign(
        "POST",
        PATH,
        query="a=%C3%BC&b=",
        body=body,
        headers={"Accept-Encoding": "gzip", "Content-Length": str(len(body))},
        host=f"127.0.0.1:{port}",
    )
    url = f"http://127.0.0.1:{port}{sent.head.path}?{sent.head.query}"
    transport = httpx.HTTPTransport(retries=3)
    with httpx.Client(transport=transport, trust_env=False) as client:
        return client.post(url, content=body, headers=dict(sent.head.headers))


def test_a_signed_request_is_let_in(ports: dict[str, int]) -> None:
    assert post(ports["behind"]).text == "100000 bytes"


def test_a_proxy_that_keeps_the_host_is_not_noticed(proxied: dict[str, int]) -> None:
    assert post(proxied["kept"]).text == "100000 bytes"


@pytest.mark.parametrize("port", ["changed", "without_port"])
def test_a_proxy_that_changes_the_host_is_refused(proxied: dict[str, int], port: str) -> None:
    answer = post(proxied[port])
    assert answer.status_code == 403
    assert "changed the method, the path, the Host" in answer.json()["error"]["message"]

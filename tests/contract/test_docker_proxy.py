"""The proxy before the Docker engine's socket: how it passes on, refuses, and lets go."""

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from pathlib import Path

import httpx
import pytest
from tests.support.control_api import eventually

from frazil.control_api.core.errors import EngineError
from frazil.control_api.docker_proxy.rules import LARGEST_BODY, Rules
from frazil.control_api.docker_proxy.server import DockerProxy, listening
from frazil.control_api.engine.docker import Daemon
from frazil.control_api.engine.docker_spec import DockerOptions

OPTIONS = DockerOptions(instance="blue", image="frazil-worker:1")
EVENTS = {
    "filters": json.dumps({"type": ["container"], "label": ["frazil.instance=blue"]}),
}
CONTAINERS = {"ours": "blue", "theirs": "green"}


class StandInEngine:
    """Knows two containers, and repeats what it was asked; its events are those of a test."""

    def __init__(self) -> None:
        self.asked: list[bytes] = []
        self.events: asyncio.Queue[bytes] = asyncio.Queue()
        self.listeners = 0

    async def connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(ConnectionError, asyncio.IncompleteReadError):
            await self._answer(reader, writer)
        writer.close()

    async def _answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = await reader.readuntil(b"\r\n\r\n")
        length = [
            line for line in head.split(b"\r\n") if line.lower().startswith(b"content-length")
        ]
        body = await reader.readexactly(int(length[0].split(b":")[1])) if length else b""
        line = head.partition(b"\r\n")[0].decode()
        if "/events" in line:
            await self._tell(reader, writer)
        elif "/version" in line:
            writer.write(_json(b'{"ApiVersion":"1.45"}'))
        elif line.startswith("GET /containers/"):
            name = line.split("/")[2]
            writer.write(_inspected(name))
        else:
            self.asked.append(head + body)
            writer.write(b"HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n")

    async def _tell(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.listeners += 1
        writer.write(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
        leaving = asyncio.ensure_future(reader.read(1))
        while not leaving.done():
            event = asyncio.ensure_future(self.events.get())
            await asyncio.wait((event, leaving), return_when=asyncio.FIRST_COMPLETED)
            if event.done():
                writer.write(b"%x\r\n%s\r\n" % (len(event.result()), event.result()))
            event.cancel()
        self.listeners -= 1


def _inspected(name: str) -> bytes:
    if name not in CONTAINERS:
        body = b'{"message":"No such container"}'
        return b"HTTP/1.1 404 Not Found\r\nContent-Length: %d\r\n\r\n%s" % (len(body), body)
    labels = {"frazil.instance": CONTAINERS[name]}
    body = json.dumps({"Id": f"id-of-{name}", "Config": {"Labels": labels}}).encode()
    return _json(body)


def _json(body: bytes) -> bytes:
    return b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%s" % (len(body), body)


@pytest.fixture
async def engine(tmp_path: Path) -> AsyncIterator[StandInEngine]:
    engine = StandInEngine()
    async with _serving(engine.connected, tmp_path / "engine.sock"):
        yield engine


@asynccontextmanager
async def _serving(
    connected: Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]], at: Path
) -> AsyncIterator[None]:
    server = await asyncio.start_unix_server(connected, at)
    try:
        yield
    finally:
        server.close()


@pytest.fixture
async def client(tmp_path: Path) -> AsyncIterator[httpx.AsyncClient]:
    over = asyncio.Event()
    proxy = DockerProxy(Rules(OPTIONS), tmp_path / "engine.sock")
    served = asyncio.ensure_future(proxy.serve(listening(tmp_path / "proxy.sock"), over))
    transport = httpx.AsyncHTTPTransport(uds=str(tmp_path / "proxy.sock"))
    async with httpx.AsyncClient(transport=transport, base_url="http://docker") as client:
        yield client
    over.set()
    await served


async def test_a_request_is_made_anew_for_the_container_that_was_looked_at(
    client: httpx.AsyncClient, engine: StandInEngine
) -> None:
    headers = {"X-Registry-Auth": "hush", "Upgrade": "tcp", "X-Anything": "1"}
    answer = await client.post("/v1.45/containers/ours/start", content=b"{}", headers=headers)
    assert answer.status_code == 204
    (asked,) = engine.asked
    assert asked == (
        b"POST /v1.45/containers/id-of-ours/start HTTP/1.1\r\n"
        b"Host: docker\r\nConnection: close\r\n\r\n"
    )


async def test_what_is_put_into_a_container_arrives_whole(
    client: httpx.AsyncClient, engine: StandInEngine
) -> None:
    archive = bytes(range(256)) * 8192
    url = "/v1.45/containers/ours/archive?path=/run/frazil"
    assert (await client.put(url, content=archive)).status_code == 204
    head, _, body = engine.asked[0].partition(b"\r\n\r\n")
    assert head.startswith(b"PUT /v1.45/containers/id-of-ours/archive?path=%2Frun%2Ffrazil ")
    assert body == archive


async def test_credentials_of_a_registry_reach_the_engine_with_a_pull_alone(
    client: httpx.AsyncClient, engine: StandInEngine
) -> None:
    asked = {"fromImage": "frazil-worker", "tag": "1"}
    await client.post("/images/create", params=asked, headers={"X-Registry-Auth": "hush"})
    assert b"X-Registry-Auth: hush" in engine.asked[0]


async def test_a_container_of_another_is_not_asked_for_anything(
    client: httpx.AsyncClient, engine: StandInEngine
) -> None:
    for method, path in (
        ("POST", "/containers/theirs/start"),
        ("POST", "/containers/theirs/kill?signal=SIGKILL"),
        ("GET", "/containers/theirs/json"),
        ("GET", "/containers/theirs/logs?stdout=1"),
        ("GET", "/containers/theirs/archive?path=/run/frazil"),
        ("PUT", "/containers/theirs/archive?path=/run/frazil"),
        ("DELETE", "/containers/theirs"),
    ):
        answer = await client.request(method, path)
        assert answer.status_code == 403, path
        assert answer.json() == {
            "message": "not through this proxy: the container is not one of blue"
        }
    assert engine.asked == []


async def test_of_a_container_that_is_not_there_the_engine_says_so(
    client: httpx.AsyncClient, engine: StandInEngine
) -> None:
    answer = await client.post("/containers/nobody/start")
    assert (answer.status_code, answer.json()) == (404, {"message": "No such container"})
    assert engine.asked == []


async def test_a_stream_is_passed_on_as_it_comes_and_let_go_with_its_listener(
    client: httpx.AsyncClient, engine: StandInEngine
) -> None:
    async with client.stream("GET", "/events", params=EVENTS) as events:
        parts = events.aiter_raw()
        for event in (b'{"a":1}\n', b'{"b":2}\n'):
            engine.events.put_nowait(event)
            assert await anext(parts) == event
        assert engine.listeners == 1

    async def is_let_go() -> bool:
        return engine.listeners == 0

    await eventually("the engine's stream is closed", is_let_go)


async def test_without_an_engine_the_answer_says_so(client: httpx.AsyncClient) -> None:
    answer = await client.get("/version")
    assert answer.status_code == 502
    assert answer.json()["message"].endswith("engine.sock: No such file or directory")


@pytest.mark.usefixtures("client")
async def test_the_control_api_hears_that_the_engine_is_away_at_first_and_later(
    tmp_path: Path,
) -> None:
    daemon = Daemon(f"unix://{tmp_path / 'proxy.sock'}")
    why = "is out of reach: no Docker engine at .*engine.sock: No such file or directory"
    with pytest.raises(EngineError, match=why):
        await daemon.inspect("ours")
    async with _serving(StandInEngine().connected, tmp_path / "engine.sock"):
        with pytest.raises(EngineError, match="not through this proxy"):
            await daemon.inspect("theirs")
        assert daemon.trouble is None
    await asyncio.to_thread((tmp_path / "engine.sock").unlink, missing_ok=True)
    with pytest.raises(EngineError, match=why):
        await daemon.inspect("ours")
    assert daemon.trouble is not None
    daemon.close()


@pytest.mark.usefixtures("engine")
async def test_what_is_larger_than_needed_is_not_read_to_its_end(client: httpx.AsyncClient) -> None:
    url = "/containers/ours/archive?path=/run/frazil"
    with suppress(httpx.WriteError):
        answer = await client.put(url, content=bytes(LARGEST_BODY + 1))
        assert answer.status_code == 413
    headers = {"X-Long": "x" * 100_000}
    with suppress(httpx.WriteError):
        assert (await client.get("/version", headers=headers)).status_code == 431


@pytest.mark.usefixtures("engine", "client")
async def test_what_is_no_http_is_answered_as_such(tmp_path: Path) -> None:
    for words in (b"GET\r\n\r\n", b"GET /_ping HTTP/1.1\r\nContent-Length: 1, 2\r\n\r\n"):
        reader, writer = await asyncio.open_unix_connection(tmp_path / "proxy.sock")
        writer.write(words)
        assert (await reader.read()).startswith(b"HTTP/1.1 400 ")
        writer.close()


@pytest.mark.usefixtures("engine", "client")
async def test_the_socket_is_its_groups_alone(tmp_path: Path) -> None:
    mode = await asyncio.to_thread((tmp_path / "proxy.sock").stat)
    assert mode.st_mode & 0o777 == 0o660

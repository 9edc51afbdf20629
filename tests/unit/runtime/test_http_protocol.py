"""When a client is too slow, on a clock that the test turns: whose turn it is decides."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, ClassVar

import pytest
from starlette.types import Receive, Scope, Send
from uvicorn.config import Config
from uvicorn.server import ServerState

from frazil.runtime.http_protocol import BoundedHttpProtocol, Bounds

HEAD = b"PUT / HTTP/1.1\r\nHost: x\r\nContent-Length: 100000\r\n"
LARGE = b"x" * 90_000


class Slow(BoundedHttpProtocol):
    bounds: ClassVar[Bounds] = Bounds(
        head_seconds=20, body_seconds=20, body_rate=10, rest_seconds=5
    )


class Transport(asyncio.Transport):
    def __init__(self) -> None:
        super().__init__()
        self.written = b""
        self.closed = False

    def write(self, data: bytes | bytearray | memoryview) -> None:
        self.written += data

    def close(self) -> None:
        self.closed = True

    def is_closing(self) -> bool:
        return self.closed

    def pause_reading(self) -> None: ...

    def resume_reading(self) -> None: ...


@dataclass
class Timer:
    when: float
    call: Callable[[], None]
    cancelled: bool = False

    def cancel(self) -> None:
        self.cancelled = True


@dataclass
class Clock:
    """The running loop, but for its time, which passes when the test says so."""

    now: float = 0.0
    timers: list[Timer] = field(default_factory=list)

    def time(self) -> float:
        return self.now

    def call_later(self, delay: float, call: Callable[[], None]) -> Timer:
        self.timers.append(Timer(self.now + delay, call))
        return self.timers[-1]

    def create_task(self, work: Any) -> "asyncio.Task[Any]":
        return asyncio.get_running_loop().create_task(work)

    async def pass_by(self, seconds: int) -> None:
        for _ in range(seconds):
            self.now += 1
            for timer in [timer for timer in self.timers if timer.when <= self.now]:
                self.timers.remove(timer)
                if not timer.cancelled:
                    timer.call()
            await settle()


async def settle() -> None:
    """Let the application go on until it waits again."""
    for _ in range(10):
        await asyncio.sleep(0)


class Server:
    """One connection to an application that reads and answers when it may."""

    def __init__(self) -> None:
        self.clock = Clock()
        self.transport = Transport()
        self.reads, self.begins, self.ends = asyncio.Event(), asyncio.Event(), asyncio.Event()
        config = Config(self._serve, interface="asgi3", ws="none", log_config=None)
        self.protocol = Slow(config, ServerState(), {}, self.clock)  # type: ignore[arg-type]
        self.protocol.connection_made(self.transport)

    async def _serve(self, _scope: Scope, receive: Receive, send: Send) -> None:
        await self.reads.wait()
        while not self.begins.is_set():
            message = await receive()
            if message["type"] == "http.disconnect" or not message["more_body"]:
                break
        await self.begins.wait()
        headers = [(b"content-length", b"4")]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        await self.ends.wait()
        await send({"type": "http.response.body", "body": b"done"})

    async def receive(self, data: bytes) -> None:
        self.protocol.data_received(data)
        await settle()

    @property
    def answer(self) -> bytes:
        return self.transport.written.partition(b"\r\n")[0]


@pytest.fixture
async def server() -> Server:
    return Server()


async def test_a_head_that_comes_byte_by_byte_has_one_deadline(server: Server) -> None:
    for byte in b"GET / HTTP/1.1\r\nHost: some.host":
        server.protocol.data_received(bytes([byte]))
        await server.clock.pass_by(1)
    assert server.answer == b"HTTP/1.1 408 Request Timeout"
    assert server.transport.closed


async def test_a_body_that_comes_slowly_but_steadily_is_taken(server: Server) -> None:
    server.reads.set()
    await server.receive(HEAD + b"\r\n")
    for _ in range(200):
        await server.receive(b"x" * 20)
        await server.clock.pass_by(1)
    assert not server.transport.closed


async def test_a_body_that_drips_is_not(server: Server) -> None:
    server.reads.set()
    await server.receive(HEAD + b"\r\n")
    for _ in range(30):
        await server.receive(b"x")
        await server.clock.pass_by(1)
    assert server.answer == b"HTTP/1.1 408 Request Timeout"
    assert server.transport.closed


async def test_a_client_is_not_blamed_while_the_application_does_not_read(server: Server) -> None:
    await server.receive(HEAD + b"\r\n" + LARGE)
    await server.clock.pass_by(100)
    assert not server.transport.closed
    server.reads.set()
    await settle()
    await server.clock.pass_by(50)
    assert server.answer == b"HTTP/1.1 408 Request Timeout"


async def test_a_client_that_waits_for_100_continue_is_not_blamed(server: Server) -> None:
    await server.receive(HEAD + b"Expect: 100-continue\r\n\r\n")
    await server.clock.pass_by(100)
    assert not server.transport.closed
    server.reads.set()
    await settle()
    assert server.answer == b"HTTP/1.1 100 Continue"


async def test_an_answer_may_last_for_days_and_half_a_request_behind_it_does_not_end_it(
    server: Server,
) -> None:
    server.reads.set()
    server.begins.set()
    await server.receive(b"GET /events HTTP/1.1\r\nHost: x\r\n\r\nGET /ne")
    await server.clock.pass_by(500)
    assert not server.transport.closed
    server.ends.set()
    await settle()
    await server.clock.pass_by(50)
    assert server.transport.closed


async def test_the_rest_of_a_body_that_is_answered_already_is_not_read_for_ever(
    server: Server,
) -> None:
    for event in (server.reads, server.begins, server.ends):
        event.set()
    await server.receive(HEAD + b"\r\n")
    assert server.transport.written.endswith(b"done")
    for _ in range(30):
        await server.receive(b"x" * 1000)
        await server.clock.pass_by(1)
    assert server.transport.closed
    assert b"408" not in server.transport.written


async def test_a_connection_that_is_gone_leaves_no_timer(server: Server) -> None:
    server.protocol.connection_lost(None)
    assert all(timer.cancelled for timer in server.clock.timers)

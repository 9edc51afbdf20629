"""What workers say of themselves is read within bounds, for they run what connectors bring."""

import asyncio
import gzip
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress

import pytest

from frazil.control_api.core.observation import Worker
from frazil.control_api.engine import polling
from frazil.control_api.engine.polling import StatusPoll

MEMBERS = b'{"logs":"RUNNING"}'
Answer = Callable[[asyncio.StreamWriter], Awaitable[None]]


@asynccontextmanager
async def worker(answer: Answer) -> AsyncIterator[tuple[str, list[bytes]]]:
    """Serve one answer to all; return the address, and what was asked."""
    asked: list[bytes] = []
    connections: list[asyncio.Task[None] | None] = []

    async def connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        connections.append(asyncio.current_task())
        asked.append(await reader.readuntil(b"\r\n\r\n"))
        with suppress(ConnectionError):
            await answer(writer)
        writer.close()
        with suppress(ConnectionError):
            await writer.wait_closed()

    server = await asyncio.start_server(connected, "127.0.0.1", 0)
    host, port = server.sockets[0].getsockname()
    try:
        yield f"{host}:{port}", asked
    finally:
        server.close()
        await asyncio.gather(*filter(None, connections), return_exceptions=True)


@pytest.fixture
async def poll() -> AsyncIterator[StatusPoll]:
    poll = StatusPoll()
    yield poll
    await poll.close()


def head(*headers: bytes) -> bytes:
    return b"\r\n".join((b"HTTP/1.1 200 OK", b"Connection: close", *headers, b"", b""))


async def test_a_worker_is_asked_for_what_is_not_compressed(poll: StatusPoll) -> None:
    async def answer(writer: asyncio.StreamWriter) -> None:
        writer.write(head() + MEMBERS)

    async with worker(answer) as (address, asked):
        assert await poll.members(address) == {"logs": "RUNNING"}
    assert b"\r\naccept-encoding: identity\r\n" in asked[0].lower()


async def test_what_is_compressed_all_the_same_is_not_unpacked(poll: StatusPoll) -> None:
    async def answer(writer: asyncio.StreamWriter) -> None:
        writer.write(head(b"Content-Encoding: gzip") + gzip.compress(MEMBERS))

    async with worker(answer) as (address, _):
        assert await poll.members(address) is None


async def test_an_answer_without_end_is_not_read_to_its_end(poll: StatusPoll) -> None:
    async def answer(writer: asyncio.StreamWriter) -> None:
        writer.write(head())
        while True:
            writer.write(b" " * 65536)
            await writer.drain()

    async with worker(answer) as (address, _):
        assert await poll.members(address) is None
        seen = await poll.ask("logs", Worker(1, alive=True), address)
        assert seen.status is None


async def test_an_answer_in_drops_is_given_up(
    poll: StatusPoll, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(polling, "_SECONDS_IN_ALL", 0.2)

    async def answer(writer: asyncio.StreamWriter) -> None:
        writer.write(head())
        while True:
            writer.write(b" ")
            await writer.drain()
            await asyncio.sleep(0.01)

    async with worker(answer) as (address, _):
        assert await poll.members(address) is None

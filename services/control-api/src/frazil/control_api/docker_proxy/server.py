"""The proxy: one connection to the engine for each request, whose answer is passed on as it comes.

Events, logs and the progress of a pull last for as long as somebody listens: bytes are copied when
they are there, and either end that goes ends the other.
"""

import asyncio
import json
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path

from frazil.control_api.docker_proxy.errors import MalformedError, RefusedError
from frazil.control_api.docker_proxy.rules import LARGEST_BODY, Forward, Rules
from frazil.control_api.docker_proxy.wire import (
    Request,
    answer_bytes,
    read_answer,
    read_request,
    request_bytes,
)
from frazil.runtime.logs import get_logger

log = get_logger(__name__)

_PART = 64 * 1024
_REQUEST_SECONDS = 30.0
_FORBIDDEN, _BAD_GATEWAY, _OK = 403, 502, 200
_LARGEST_INSPECTION = 4 * 1024 * 1024


def listening(path: Path) -> socket.socket:
    """Make a socket that this process's group may use; nobody else."""
    # A process that was killed leaves its own behind.
    path.unlink(missing_ok=True)
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(str(path))
    path.chmod(0o660)
    listener.listen()
    return listener


class EngineAwayError(Exception):
    """No engine answers at its socket."""


class DockerProxy:
    def __init__(self, rules: Rules, engine: Path) -> None:
        self._rules = rules
        self._engine = engine

    async def serve(self, listener: socket.socket, until: asyncio.Event) -> None:
        server = await asyncio.start_unix_server(self._connected, sock=listener)
        try:
            await until.wait()
        finally:
            # Not waited for: streams of events have no end of their own.
            server.close()

    async def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            await self._answer(reader, writer)
        except (ConnectionError, TimeoutError):
            pass  # whoever asked is gone, or never did
        finally:
            writer.close()
            with suppress(ConnectionError):
                await writer.wait_closed()

    async def _answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        request = None
        try:
            async with asyncio.timeout(_REQUEST_SECONDS):
                request = await read_request(reader, largest=LARGEST_BODY)
            if request is not None:
                await self._pass_on(request, reader, writer)
        except RefusedError as error:
            asked = request and f"{request.method} {request.target.partition('?')[0]}"
            log.warning("refused", request=asked, reason=str(error))
            await _say(writer, _FORBIDDEN, f"not through this proxy: {error}")
        except MalformedError as error:
            await _say(writer, error.status, str(error))
        except EngineAwayError as error:
            await _say(writer, _BAD_GATEWAY, str(error))

    async def _pass_on(
        self, request: Request, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        forward = self._rules.forward(request.method, request.target, request.body)
        container = ""
        if forward.container is not None:
            status, body = await self._inspect(forward.container)
            if status != _OK:
                writer.write(answer_bytes(status, body))
                await writer.drain()
                return
            container = self._rules.owned(json.loads(body))
        async with self._asked(_bytes_of(forward, container, request)) as answer:
            await _copy_while_both_are_there(answer, writer, reader)

    async def _inspect(self, container: str) -> tuple[int, bytes]:
        async with self._asked(request_bytes("GET", f"/containers/{container}/json")) as answer:
            return await read_answer(answer, largest=_LARGEST_INSPECTION)

    @asynccontextmanager
    async def _asked(self, request: bytes) -> AsyncIterator[asyncio.StreamReader]:
        """Send a request to the engine. Raises EngineAwayError."""
        try:
            answer, engine = await asyncio.open_unix_connection(self._engine)
        except OSError as error:
            reason = error.strerror or type(error).__name__
            raise EngineAwayError(f"no Docker engine at {self._engine}: {reason}") from None
        try:
            engine.write(request)
            await engine.drain()
            yield answer
        finally:
            engine.close()
            with suppress(ConnectionError):
                await engine.wait_closed()


def _bytes_of(forward: Forward, container: str, request: Request) -> bytes:
    return request_bytes(
        forward.method,
        forward.target(container),
        body=forward.body,
        content_type=forward.content_type,
        registry_auth=request.registry_auth if forward.needs_registry else None,
    )


async def _copy_while_both_are_there(
    answer: asyncio.StreamReader, writer: asyncio.StreamWriter, reader: asyncio.StreamReader
) -> None:
    copying = asyncio.ensure_future(_copy(answer, writer))
    # Whoever asked says nothing more: what comes now is the end.
    leaving = asyncio.ensure_future(reader.read(1))
    try:
        await asyncio.wait((copying, leaving), return_when=asyncio.FIRST_COMPLETED)
    finally:
        for task in (copying, leaving):
            task.cancel()
        await asyncio.gather(copying, leaving, return_exceptions=True)


async def _copy(answer: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    while part := await answer.read(_PART):
        writer.write(part)
        await writer.drain()


async def _say(writer: asyncio.StreamWriter, status: int, sentence: str) -> None:
    writer.write(answer_bytes(status, json.dumps({"message": sentence}).encode()))
    await writer.drain()

"""Requests and answers of HTTP/1.1 as bytes, by h11; what is larger than needed is not read on."""

import asyncio
from dataclasses import dataclass

import h11

from frazil.control_api.docker_proxy.errors import MalformedError

_PART = 64 * 1024
_TOO_LARGE = 413


@dataclass(frozen=True, slots=True)
class Request:
    method: str
    target: str
    body: bytes
    registry_auth: str | None


async def read_request(reader: asyncio.StreamReader, *, largest: int) -> Request | None:
    """Return the first request of a connection; None if there is none.

    Raises MalformedError.
    """
    connection = h11.Connection(h11.SERVER)
    try:
        head, body = await _read(connection, reader, largest)
    except h11.RemoteProtocolError as error:
        raise MalformedError(error.error_status_hint, str(error)) from None
    if not isinstance(head, h11.Request):
        return None
    auth = next((text for name, text in head.headers if name == b"x-registry-auth"), None)
    return Request(
        head.method.decode(), head.target.decode(), body, auth.decode("latin-1") if auth else None
    )


async def read_answer(reader: asyncio.StreamReader, *, largest: int) -> tuple[int, bytes]:
    """Return the status and the body. Raises MalformedError."""
    connection = h11.Connection(h11.CLIENT)
    connection.send(h11.Request(method="GET", target="/", headers=[("Host", "docker")]))
    connection.send(h11.EndOfMessage())
    try:
        head, body = await _read(connection, reader, largest)
    except h11.RemoteProtocolError as error:
        raise MalformedError(502, f"the engine's answer is no HTTP: {error}") from None
    if not isinstance(head, h11.Response):
        raise MalformedError(502, "the engine gave no answer")
    return head.status_code, body


async def _read(
    connection: h11.Connection, reader: asyncio.StreamReader, largest: int
) -> tuple[h11.Event | None, bytes]:
    head: h11.Event | None = None
    body = bytearray()
    while True:
        match event := connection.next_event():
            case h11.NEED_DATA:
                connection.receive_data(await reader.read(_PART))
            case h11.Request() | h11.Response():
                head = event
            case h11.Data():
                body += event.data
                if len(body) > largest:
                    raise MalformedError(_TOO_LARGE, f"more than {largest} bytes are not needed")
            case h11.EndOfMessage() | h11.ConnectionClosed() | h11.PAUSED:
                return head, bytes(body)


def request_bytes(
    method: str,
    target: str,
    *,
    body: bytes = b"",
    content_type: str | None = None,
    registry_auth: str | None = None,
) -> bytes:
    """Write a request after whose answer the engine closes the connection."""
    headers = [("Host", "docker"), ("Connection", "close")]
    if body or content_type:
        headers.append(("Content-Length", str(len(body))))
    if content_type:
        headers.append(("Content-Type", content_type))
    if registry_auth:
        headers.append(("X-Registry-Auth", registry_auth))
    connection = h11.Connection(h11.CLIENT)
    head = connection.send(h11.Request(method=method, target=target, headers=headers))
    data = connection.send(h11.Data(data=body)) if body else b""
    return (head or b"") + (data or b"") + (connection.send(h11.EndOfMessage()) or b"")


def answer_bytes(status: int, body: bytes) -> bytes:
    head = (
        f"HTTP/1.1 {status} \r\nContent-Type: application/json\r\n"
        f"Content-Length: {len(body)}\r\nConnection: close\r\n\r\n"
    )
    return head.encode() + body

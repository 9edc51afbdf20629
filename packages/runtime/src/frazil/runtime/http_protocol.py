"""HTTP/1.1 on one connection: uvicorn's protocol, with bounds on what a client may send and when.

uvicorn alone bounds neither headers nor the time that they take. After an offer to change the
protocol (`Upgrade`), which Java's HTTP client makes with its first request, it loses the body.
"""

import asyncio
from dataclasses import dataclass
from http import HTTPStatus
from typing import ClassVar

import httptools
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from frazil.runtime.logs import get_logger

log = get_logger(__name__)


@dataclass(frozen=True, slots=True)
class Bounds:
    """What one server takes from its clients before any code of ours looks at a request."""

    connections: int = 512
    # Of the request line and all headers.
    head_bytes: int = 64 * 1024
    # From the first byte, or from the connection, to the end of the headers.
    head_seconds: float = 20.0
    # Longest silence within a body, and the fewest bytes that have to come in a second.
    body_seconds: float = 20.0
    body_rate: float = 1024.0
    # What is left of a body that has been answered already is read for so long.
    rest_seconds: float = 5.0


class RefusedError(Exception):
    """The connection ends with this answer."""

    def __init__(self, status: HTTPStatus, sentence: str) -> None:
        super().__init__(sentence)
        self.status = status
        self.sentence = sentence

    def answer(self) -> bytes:
        body = self.sentence.encode()
        head = [
            f"HTTP/1.1 {self.status} {self.status.phrase}",
            "content-type: text/plain; charset=utf-8",
            f"content-length: {len(body)}",
            "connection: close",
        ]
        if self.status is HTTPStatus.SERVICE_UNAVAILABLE:
            head.append("retry-after: 1")
        return "\r\n".join([*head, "", ""]).encode() + body


class BoundedHttpProtocol(HttpToolsProtocol):
    """Refuses too many connections, too much of a head, and clients that do not go on."""

    bounds: ClassVar[Bounds] = Bounds()

    # Bytes that came since the parser had something complete: a head, a part of a body.
    _pending = 0
    _in_body = False
    # When the client has to have sent the next complete thing; None: nothing is awaited from it.
    _deadline: float | None = None
    _timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        if len(self.connections) > self.bounds.connections:
            busy = f"The server has {self.bounds.connections} connections, which is its bound."
            self._refuse(RefusedError(HTTPStatus.SERVICE_UNAVAILABLE, busy))
            return
        self._await_head()
        self._timer = self.loop.call_later(self.bounds.head_seconds, self._look)

    def connection_lost(self, exc: Exception | None) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        self._unset_keepalive_if_required()
        self._pending += len(data)
        if self._deadline is None:
            self._await_head()
        try:
            self._feed(data)
            if self._pending > self.bounds.head_bytes:
                raise self._too_large()
        except RefusedError as refused:
            self._refuse(refused)
        except httptools.HttpParserError as error:
            cause = error.__context__
            invalid = RefusedError(HTTPStatus.BAD_REQUEST, "Invalid HTTP request received.")
            self._refuse(cause if isinstance(cause, RefusedError) else invalid)

    def _feed(self, data: bytes) -> None:
        try:
            self.parser.feed_data(data)
        except httptools.HttpParserUpgrade as offer:
            (read,) = offer.args
            head = self._head_without_offer()
            # The parser takes all that follows an offer for another protocol, the body too.
            self.parser = httptools.HttpRequestParser(self)
            self.parser.set_dangerous_leniencies(lenient_data_after_close=True)
            self._feed(head + data[read:])

    def _head_without_offer(self) -> bytes:
        method, version = self.parser.get_method(), self.parser.get_http_version()
        if method == b"CONNECT":
            raise RefusedError(HTTPStatus.BAD_REQUEST, "This server is no proxy.")
        lines = [b"%b %b HTTP/%b" % (method, self.url, version.encode())]
        lines += [b"%b: %b" % header for header in self.headers if header[0] != b"upgrade"]
        return b"\r\n".join([*lines, b"", b""])

    def on_message_begin(self) -> None:
        super().on_message_begin()
        self._await_head()

    def on_headers_complete(self) -> None:
        # What came with the head may be a part of the body, so it is measured only in doubt.
        if self._pending > self.bounds.head_bytes and self._head_size() > self.bounds.head_bytes:
            raise self._too_large()
        if self.parser.should_upgrade():
            return
        super().on_headers_complete()
        self._pending = 0
        self._in_body = True
        self._deadline = self.loop.time() + self.bounds.body_seconds

    def on_body(self, body: bytes) -> None:
        self._pending = 0
        super().on_body(body)
        if self._deadline is not None and not self.cycle.response_complete:
            earned = self._deadline + len(body) / self.bounds.body_rate
            self._deadline = min(earned, self.loop.time() + self.bounds.body_seconds)

    def on_message_complete(self) -> None:
        if self.parser.should_upgrade():
            return
        super().on_message_complete()
        self._pending = 0
        self._in_body = False
        self._deadline = None

    def on_response_complete(self) -> None:
        super().on_response_complete()
        if self._in_body and not self.pipeline:
            self._deadline = self.loop.time() + self.bounds.rest_seconds

    def _await_head(self) -> None:
        self._deadline = self.loop.time() + self.bounds.head_seconds

    def _look(self) -> None:
        """End a connection whose client is late; one timer serves all requests of it."""
        now = self.loop.time()
        if self._deadline is not None and not self._is_clients_turn():
            self._deadline = now + self.bounds.head_seconds
        if self._deadline is not None and self._deadline <= now:
            late = "The request did not arrive in time."
            self._refuse(RefusedError(HTTPStatus.REQUEST_TIMEOUT, late))
            return
        wait = self.bounds.head_seconds if self._deadline is None else self._deadline - now
        self._timer = self.loop.call_later(wait, self._look)

    def _is_clients_turn(self) -> bool:
        if self.flow.read_paused:
            return False
        if self._in_body:
            return not self.cycle.waiting_for_100_continue
        return self.cycle is None or self.cycle.response_complete

    def _refuse(self, refused: RefusedError) -> None:
        if self.transport.is_closing():
            return
        # Browsers open connections in advance: one that was never used ends without a word.
        unused = refused.status is HTTPStatus.REQUEST_TIMEOUT and self.scope is None
        if self._may_answer() and not unused:
            self.transport.write(refused.answer())
        self.transport.close()
        log.info("request_refused", status=refused.status, why=refused.sentence, peer=self.client)

    def _may_answer(self) -> bool:
        """Tell whether the next answer on this connection is that to the refused request."""
        if self._in_body:
            return not (self.cycle.response_started or self.pipeline)
        return self.cycle is None or self.cycle.response_complete

    def _head_size(self) -> int:
        return len(self.url) + sum(len(name) + len(value) + 4 for name, value in self.headers)

    def _too_large(self) -> RefusedError:
        status = HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE
        most = self.bounds.head_bytes
        return RefusedError(status, f"The headers of a request may have {most} bytes together.")

"""The door: no request gets past it unless one of our keys has signed it."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from frazil.runtime.logs import get_logger
from frazil.table_catalog.api.errors import answer_of
from frazil.table_catalog.core.errors import CatalogError, TooLargeError
from frazil.table_catalog.core.keys import Keyring
from frazil.table_catalog.core.replays import Replays
from frazil.table_catalog.core.rights import READING, Principal
from frazil.table_catalog.core.sigv4 import Head, claim_of, shown_key, verify
from frazil.table_catalog.core.tokens import find_bearer

log = get_logger(__name__)

_NOBODY, _EVERYBODY = Principal("nobody"), Principal.everything()


@dataclass(frozen=True, slots=True)
class Door:
    """What the middleware goes by; without a keyring everybody may do everything."""

    keyring: Callable[[], Keyring] | None
    now: Callable[[], datetime]
    most_bytes: int
    services: Sequence[str] = ("s3tables",)
    tokens: bool = False
    # Paths that nobody has to show a key for.
    unlocked: Sequence[str] = ("/health",)


@dataclass(frozen=True, slots=True)
class Passage:
    """A request that got in; a signature only if a copy of it must not."""

    principal: Principal
    body: bytes
    once: str | None = None


class Access:
    """Stands before all routes, those that do not exist included, and reads the body for them."""

    def __init__(self, app: ASGIApp, door: Door) -> None:
        self._app = app
        self._door = door
        self._replays = Replays()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        head = _head_of(scope)
        try:
            passage = await self._enter(head, receive)
        except CatalogError as error:
            log.info(
                "refused",
                key=shown_key(head),
                reason=error.message,
                method=head.method,
                path=scope["path"],
                status=error.status,
            )
            await answer_of(error)(scope, receive, send)
            return
        scope.setdefault("state", {})["principal"] = passage.principal
        await self._app(scope, _replay(passage.body, receive), self._noting(passage, send))

    async def _enter(self, head: Head, receive: Receive) -> Passage:
        door = self._door
        if door.keyring is None or head.path in door.unlocked:
            body = await _read_body(head, receive, door.most_bytes)
            return Passage(_NOBODY if door.keyring else _EVERYBODY, body)
        token = _bearer(head) if door.tokens else None
        if token is not None:
            key = find_bearer(token, door.keyring(), now=door.now().timestamp())
            return Passage(key.principal, await _read_body(head, receive, door.most_bytes))
        # Strangers are turned away before the first byte of their body is read.
        claim = claim_of(head, door.now(), services=door.services)
        key = door.keyring().find(claim.key_id)
        body = await _read_body(head, receive, door.most_bytes)
        verify(claim, head, body, secret=key.secret)
        # Under such a key the catalog answers again what it answered before, and does nothing.
        if head.method in READING or "idempotency-key" in head.headers:
            return Passage(key.principal, body)
        self._replays.refuse_late_copy(claim.signature, door.now())
        return Passage(key.principal, body, once=claim.signature)

    def _noting(self, passage: Passage, send: Send) -> Send:
        if passage.once is None:
            return send
        signature = passage.once

        async def noting_send(message: Message) -> None:
            if message["type"] == "http.response.start":
                self._replays.answered(signature, message["status"], now=self._door.now())
            await send(message)

        return noting_send


def _head_of(scope: Scope) -> Head:
    headers: dict[str, str] = {}
    for raw_name, raw_value in scope["headers"]:
        name, value = raw_name.decode("latin-1").lower(), raw_value.decode("latin-1")
        headers[name] = f"{headers[name]},{value}" if name in headers else value
    path, query = scope["raw_path"].decode("latin-1"), scope["query_string"].decode("latin-1")
    return Head(scope["method"], path, query, headers)


def _bearer(head: Head) -> str | None:
    scheme, _, token = head.headers.get("authorization", "").partition(" ")
    return token.strip() if scheme.lower() == "bearer" else None


async def _read_body(head: Head, receive: Receive, most: int) -> bytes:
    announced = head.headers.get("content-length", "0")
    if announced.isdecimal() and int(announced) > most:
        raise TooLargeError(f"the body has {announced} bytes, and {most} are taken")
    parts, size = [], 0
    while True:
        message = await receive()
        parts.append(message.get("body", b""))
        size += len(parts[-1])
        if size > most:
            raise TooLargeError(f"the body has more than the {most} bytes that are taken")
        # A client that is gone leaves half a body, which its signature does not fit.
        if not message.get("more_body", False):
            return b"".join(parts)


def _replay(body: bytes, receive: Receive) -> Receive:
    """Give out the body once; what comes after it comes from the client."""
    left: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

    async def replaying_receive() -> Message:
        return left.pop() if left else await receive()

    return replaying_receive

"""The door: no request gets past it unless one of our keys has signed it."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import partial
from hashlib import sha256

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from frazil.runtime.logs import get_logger
from frazil.table_catalog.api.errors import answer_of
from frazil.table_catalog.core.budget import Budget, Share
from frazil.table_catalog.core.errors import CatalogError
from frazil.table_catalog.core.keys import Keyring
from frazil.table_catalog.core.replays import Replays
from frazil.table_catalog.core.rights import READING, Principal
from frazil.table_catalog.core.sigv4 import (
    Head,
    check_body,
    claim_of,
    shown_key,
    stated_digest,
    verify,
)
from frazil.table_catalog.core.tokens import find_bearer

log = get_logger(__name__)

_NOBODY, _EVERYBODY = Principal("nobody"), Principal.everything()


@dataclass(frozen=True, slots=True)
class Door:
    """What the middleware goes by; without a keyring everybody may do everything."""

    keyring: Callable[[], Keyring] | None
    now: Callable[[], datetime]
    most_bytes: int
    # Of all bodies that are in memory at once.
    most_bytes_at_once: int
    services: Sequence[str] = ("s3tables",)
    # Values of Host that a signature may be for; any if there are none.
    hosts: Sequence[str] = ()
    tokens: bool = False
    # Paths that nobody has to show a key for, and how large a body they take.
    unlocked: Mapping[str, int] = field(default_factory=lambda: {"/health": 0})


@dataclass(frozen=True, slots=True)
class Passage:
    """A request that got in; of one that changes something, who signed it and how."""

    principal: Principal
    body: bytes
    once: tuple[str, str] | None = None


class Access:
    """Stands before all routes, those that do not exist included, and reads the body for them."""

    def __init__(self, app: ASGIApp, door: Door) -> None:
        self._app = app
        self._door = door
        self._budget = Budget(door.most_bytes_at_once, door.most_bytes)
        self._replays = Replays()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        share = Share(self._budget)
        try:
            await self._pass(scope, receive, send, share)
        finally:
            share.give_back()

    async def _pass(self, scope: Scope, receive: Receive, send: Send, share: Share) -> None:
        head = _head_of(scope)
        try:
            passage = await self._enter(head, receive, share)
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
        state = scope.setdefault("state", {})
        state["principal"] = passage.principal
        # Under such a key some routes answer again what they answered before, and do nothing.
        if passage.once and "idempotency-key" in head.headers:
            state["refuse_late_copy"] = partial(
                self._replays.refuse_late_copy, *passage.once, self._door.now()
            )
        await self._app(scope, _replay(passage.body, receive), self._noting(passage, send))

    async def _enter(self, head: Head, receive: Receive, share: Share) -> Passage:
        door = self._door
        if door.keyring is None:
            share.known = True
            body, _ = await _read_body(head, receive, share)
            return Passage(_EVERYBODY, body)
        if head.path in door.unlocked:
            most = door.unlocked[head.path]
            small = Share(Budget(most, most), known=True)
            body, _ = await _read_body(head, receive, small) if most else (b"", b"")
            return Passage(_NOBODY, body)
        token = _bearer(head) if door.tokens else None
        if token is not None:
            key = find_bearer(token, door.keyring(), now=door.now().timestamp())
            share.known = True
            body, _ = await _read_body(head, receive, share)
            return Passage(key.principal, body)
        return await self._enter_signed(head, receive, share, door.keyring())

    async def _enter_signed(
        self, head: Head, receive: Receive, share: Share, keyring: Keyring
    ) -> Passage:
        """Read no byte of a body before its signature is known to be good, if that can be."""
        door = self._door
        claim = claim_of(head, door.now(), services=door.services, hosts=door.hosts)
        key, stated = keyring.find(claim.key_id), stated_digest(head)
        if stated is not None:
            verify(claim, head, stated, secret=key.secret)
            share.known = True
        body, digest = await _read_body(head, receive, share)
        if stated is not None:
            check_body(stated, digest)
        else:
            verify(claim, head, digest, secret=key.secret)
        if head.method in READING:
            return Passage(key.principal, body)
        once = (claim.key_id, claim.signature)
        if "idempotency-key" not in head.headers:
            self._replays.refuse_late_copy(*once, door.now())
        return Passage(key.principal, body, once)

    def _noting(self, passage: Passage, send: Send) -> Send:
        if passage.once is None:
            return send
        once = passage.once

        async def noting_send(message: Message) -> None:
            if message["type"] == "http.response.start":
                self._replays.answered(*once, message["status"], now=self._door.now())
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


async def _read_body(head: Head, receive: Receive, share: Share) -> tuple[bytes, bytes]:
    """Read a body and its digest, as far as there is room for it."""
    announced = head.headers.get("content-length", "0")
    if announced.isdecimal():
        share.announce(int(announced))
    parts, digest = [], sha256()
    while True:
        message = await receive()
        part = message.get("body", b"")
        share.take(len(part))
        digest.update(part)
        parts.append(part)
        # A client that is gone leaves half a body, which its signature does not fit.
        if not message.get("more_body", False):
            return b"".join(parts), digest.digest()


def _replay(body: bytes, receive: Receive) -> Receive:
    """Give out the body once; what comes after it comes from the client."""
    left: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

    async def replaying_receive() -> Message:
        return left.pop() if left else await receive()

    return replaying_receive

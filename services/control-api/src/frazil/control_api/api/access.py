"""The door: no request gets past it unless its caller is known and may do what it asks for."""

import asyncio
import hashlib
from dataclasses import dataclass, field
from pathlib import Path
from typing import Self

from starlette.datastructures import Headers
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from frazil.control_api.api.errors import answer_of
from frazil.control_api.api.from_host import from_host
from frazil.control_api.core.access import Caller, Credentials, Role, needed_role
from frazil.control_api.core.errors import BadCredentialsFileError, ForbiddenError
from frazil.runtime.logs import get_logger
from frazil.runtime.watched_file import WatchedFile

log = get_logger(__name__)

_MOST_KNOWN = 1000
_HOST = Caller("host", Role.WRITE)


@dataclass(frozen=True)
class _Callers:
    credentials: Credentials
    # Who was let in once need not wait for the hash of a password again.
    let_in: dict[bytes, Caller] = field(default_factory=dict)

    @classmethod
    def parse(cls, text: str) -> Self:
        return cls(Credentials.parse(text))


class Gatekeeper:
    """Knows callers by a file, and forgets them when it has changed."""

    def __init__(self, file: Path) -> None:
        """Raise BadCredentialsFileError if the file cannot be used."""
        self.file = WatchedFile(
            file, _Callers.parse, called="credentials", error=BadCredentialsFileError
        )
        self._guess = asyncio.Lock()

    async def caller(self, authorization: str | None) -> Caller | None:
        if authorization is None:
            return None
        shown = hashlib.sha256(authorization.encode()).digest()
        known = self.file.content.let_in.get(shown)
        # One at a time: whoever guesses keeps no more than one core busy.
        return known or await self._judge(authorization, shown)

    async def _judge(self, authorization: str, shown: bytes) -> Caller | None:
        async with self._guess:
            callers = self.file.content
            caller = await asyncio.to_thread(callers.credentials.caller, authorization)
        if caller is not None:
            if len(callers.let_in) >= _MOST_KNOWN:
                callers.let_in.clear()
            callers.let_in[shown] = caller
        return caller


class Access:
    """Stands before all routes, those that do not exist included."""

    def __init__(self, app: ASGIApp, gatekeeper: Gatekeeper, *, open_to_host: bool = False) -> None:
        self._app = app
        self._gatekeeper = gatekeeper
        self._open_to_host = open_to_host

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        authorization = headers.get("authorization")
        caller = await self._gatekeeper.caller(authorization)
        # Whoever shows something is to be known by it.
        if authorization is None and self._open_to_host and await from_host(scope):
            caller = _HOST
        needed = needed_role(scope["method"], scope["path"])
        # Browsers ask without credentials whether they may ask with them.
        if scope["method"] == "OPTIONS" and "access-control-request-method" in headers:
            needed = None
        state = scope.setdefault("state", {})
        state["stranger"] = caller is None
        state["may_write"] = caller is not None and caller.role.covers(Role.WRITE)
        if needed is None or (caller is not None and caller.role.covers(needed)):
            await self._app(scope, receive, send)
            return
        answer = _unknown() if caller is None else answer_of(_refusal(caller, needed))
        log.info(
            "refused",
            caller=caller and caller.name,
            method=scope["method"],
            path=scope["path"],
            status=answer.status_code,
        )
        await answer(scope, receive, send)


def _unknown() -> PlainTextResponse:
    """Answer as Connect's own extension for basic authentication does."""
    challenge = {"WWW-Authenticate": 'Basic realm="Frazil", charset="UTF-8"'}
    return PlainTextResponse("User cannot access the resource.", 401, challenge)


def _refusal(caller: Caller, needed: Role) -> ForbiddenError:
    return ForbiddenError(
        f"{caller.name} has the role {caller.role}, and this call needs the role {needed}"
    )

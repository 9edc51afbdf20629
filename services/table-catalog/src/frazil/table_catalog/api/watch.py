"""Stands outside of all: decodes paths as Java writes them, and bounds each call."""

import asyncio
from urllib.parse import unquote

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from frazil.runtime.logs import get_logger
from frazil.table_catalog.api.errors import answer_of
from frazil.table_catalog.core.errors import CatalogError, CommitUnknownError, TooSlowError
from frazil.table_catalog.core.rights import READING

log = get_logger(__name__)


class Watch:
    def __init__(self, app: ASGIApp, seconds: float) -> None:
        self._app = app
        self._seconds = seconds

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        # Java's client writes a space in a path as a plus, everybody writes a plus as %2B.
        scope["path"] = unquote(scope["raw_path"].decode("latin-1").replace("+", "%20"))
        call = _Call(send)
        task = asyncio.ensure_future(self._app(scope, receive, call.send))
        await asyncio.wait((task,), timeout=self._seconds)
        if task.done() or call.answered:
            await task
            return
        # Its thread cannot be stopped, and will do what it does; the client has to look.
        task.add_done_callback(_note_end)
        log.warning("too_slow", method=scope["method"], path=scope["path"])
        call.given_up = True
        await answer_of(self._slow(scope["method"]))(scope, receive, send)

    def _slow(self, method: str) -> CatalogError:
        why = f"no answer within {self._seconds:g} s"
        if method in READING:
            return TooSlowError(why)
        return CommitUnknownError(f"{why}; what was asked may yet be done")


class _Call:
    """What became of one request."""

    def __init__(self, send: Send) -> None:
        self._send = send
        self.answered = False
        self.given_up = False

    async def send(self, message: Message) -> None:
        if self.given_up:
            return
        if message["type"] == "http.response.start":
            self.answered = True
        await self._send(message)


def _note_end(task: "asyncio.Future[None]") -> None:
    if not task.cancelled() and (error := task.exception()) is not None:
        log.warning("slow_request_failed", why=repr(error))

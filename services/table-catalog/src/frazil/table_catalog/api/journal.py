"""A line in the log for each call that got in: those that change something, or fail, as info."""

import time

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from frazil.runtime.logs import get_logger
from frazil.table_catalog.core.rights import READING

log = get_logger(__name__)

_OUR_FAULT = 500


class Journal:
    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        started = time.perf_counter()

        async def noting_start(message: Message) -> None:
            if message["type"] == "http.response.start":
                _note(scope, message["status"], time.perf_counter() - started)
            await send(message)

        await self._app(scope, receive, noting_start)


def _note(scope: Scope, status: int, seconds: float) -> None:
    principal = scope.get("state", {}).get("principal")
    if principal is None:
        # Who was turned away has a line already.
        return
    quiet = scope["method"] in READING and status < _OUR_FAULT
    # Without the query, which may be signed.
    (log.debug if quiet else log.info)(
        "served",
        key=principal.name,
        method=scope["method"],
        path=scope["path"],
        status=status,
        seconds=round(seconds, 4),
    )

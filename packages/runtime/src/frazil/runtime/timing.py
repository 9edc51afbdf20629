"""Measures each call by the template of its route: with names in it, labels would be endless."""

import time
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any

from frazil.runtime.metrics import HTTP_SECONDS

# As ASGI has them: no library is needed to stand around an application.
_Message = MutableMapping[str, Any]
_Receive = Callable[[], Awaitable[_Message]]
_Send = Callable[[_Message], Awaitable[None]]
_App = Callable[[_Message, _Receive, _Send], Awaitable[None]]


class Timing:
    def __init__(self, app: _App) -> None:
        self._app = app

    async def __call__(self, scope: _Message, receive: _Receive, send: _Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        started = time.perf_counter()
        answered: float | None = None
        status = 500

        async def noting_start(message: _Message) -> None:
            nonlocal answered, status
            if message["type"] == "http.response.start":
                # Not the end: a stream may last for days.
                answered = time.perf_counter()
                status = message["status"]
            await send(message)

        try:
            await self._app(scope, receive, noting_start)
        finally:
            route = getattr(scope.get("route"), "path", "unmatched")
            seconds = (answered or time.perf_counter()) - started
            HTTP_SECONDS.labels(scope["method"], route, str(status)).observe(seconds)

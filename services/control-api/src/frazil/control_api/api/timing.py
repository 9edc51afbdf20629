"""Measures each call by the template of its route: with names in it, labels would be endless."""

import time

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from frazil.runtime.metrics import HTTP_SECONDS


class Timing:
    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        started = time.perf_counter()
        status = 500

        async def noting_status(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
            await send(message)

        try:
            await self._app(scope, receive, noting_status)
        finally:
            route = getattr(scope.get("route"), "path", "unmatched")
            seconds = time.perf_counter() - started
            HTTP_SECONDS.labels(scope["method"], route, str(status)).observe(seconds)

"""Measures each call by the template of its route: with names in it, labels would be endless."""

import time

from frazil.runtime.asgi import App, Message, Receive, Send
from frazil.runtime.metrics import HTTP_SECONDS


class Timing:
    def __init__(self, app: App) -> None:
        self._app = app

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        started = time.perf_counter()
        answered: float | None = None
        status = 500

        async def noting_start(message: Message) -> None:
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

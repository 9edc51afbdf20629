"""What surrounds every request: headers that an operator wants, and a bound on its time."""

import asyncio
import time

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from frazil.control_api.api.errors import answer_of
from frazil.control_api.api.models import ErrorBody
from frazil.control_api.core.cors import Cors
from frazil.control_api.core.errors import TooLargeError
from frazil.control_api.core.header_rules import HeaderRule

# A configuration is some kilobytes; it is stored, kept as history, and listed with all others.
_MOST_BYTES = 1024 * 1024


class AnswerHeaders:
    """Adds the headers of CORS, and those of `response.http.headers.config`."""

    def __init__(self, app: ASGIApp, cors: Cors, rules: tuple[HeaderRule, ...]) -> None:
        self._app = app
        self._cors = cors
        self._rules = rules

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        cors = dict(self._cors.headers(scope["method"], Headers(scope=scope)))

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                headers.update(cors)
                self._apply_rules(headers)
            await send(message)

        await self._app(scope, receive, send_with_headers)

    def _apply_rules(self, headers: MutableHeaders) -> None:
        now = time.time()
        for rule in self._rules:
            if rule.replaces:
                headers[rule.name] = rule.text(now)
            else:
                headers.append(rule.name, rule.text(now))


class BodyLimit:
    """Refuses a body that is too large, by its announced length or while it comes."""

    def __init__(self, app: ASGIApp, most: int = _MOST_BYTES) -> None:
        self._app = app
        self._most = most

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        # No route reads a body that comes with a question.
        if scope["type"] != "http" or scope["method"] in ("GET", "HEAD"):
            await self._app(scope, receive, send)
            return
        announced = Headers(scope=scope).get("content-length", "0")
        if announced.isdecimal() and int(announced) > self._most:
            await answer_of(TooLargeError(self._most))(scope, receive, send)
            return
        size = 0

        async def counting_receive() -> Message:
            nonlocal size
            message = await receive()
            size += len(message.get("body", b""))
            if size > self._most:
                raise TooLargeError(self._most)
            return message

        await self._app(scope, counting_receive, send)


class TimeLimit:
    """Gives up on a request whose answer has not begun in time; one that has may take longer."""

    def __init__(self, app: ASGIApp, seconds: float) -> None:
        self._app = app
        self._seconds = seconds

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        try:
            async with asyncio.timeout(self._seconds) as limit:

                async def send_and_lift(message: Message) -> None:
                    limit.reschedule(None)
                    await send(message)

                await self._app(scope, receive, send_and_lift)
        except TimeoutError:
            body = ErrorBody(error_code=500, message="Request timed out")
            await JSONResponse(body.model_dump(), 500)(scope, receive, send)

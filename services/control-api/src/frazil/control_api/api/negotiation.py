"""HTTP habits of Connect that hold for every route: paths, HEAD, media types."""

import re

from fastapi import Request
from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from frazil.control_api.core.errors import NotAcceptableError, UnsupportedMediaTypeError

_JSON = "application/json"
_ACCEPTED = {_JSON, "application/*", "*/*", "*"}
_EMPTY_SEGMENT = "//"
_MATRIX_PARAMETERS = re.compile(";[^/]*")


class ConnectPaths:
    """Lets routes match paths as sent, so that a name may hold an encoded slash.

    Also drops matrix parameters and one trailing slash, answers HEAD wherever GET is answered, and
    repeats parameters of the JSON type that the caller has asked for.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        raw = scope["raw_path"].decode("ascii", errors="replace")
        path = _MATRIX_PARAMETERS.sub("", raw)
        is_head = scope["method"] == "HEAD"
        scope = {
            **scope,
            "path": path if _EMPTY_SEGMENT in path else path.removesuffix("/") or "/",
            "method": "GET" if is_head else scope["method"],
        }
        send = _echoing(Headers(scope=scope).get("accept", ""), send)
        await self._app(scope, receive, _headless(send) if is_head else send)


def _headless(send: Send) -> Send:
    async def send_without_body(message: Message) -> None:
        if message["type"] == "http.response.start":
            await send(message)
            # The end at once: a stream may be long silent, or never end.
            await send({"type": "http.response.body"})

    return send_without_body


def _echoing(accept: str, send: Send) -> Send:
    asked = next((part for part in accept.split(",") if _essence(part) == _JSON), _JSON)
    parameters = [parameter.strip() for parameter in asked.split(";")[1:]]
    wanted = ";".join([_JSON, *(one for one in parameters if not one.startswith("q="))])
    if wanted == _JSON:
        return send

    async def send_as_asked(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            if headers.get("content-type") == _JSON:
                headers["content-type"] = wanted
        await send(message)

    return send_as_asked


def negotiate(request: Request) -> None:
    """Refuse what is not JSON. The header counts, also on calls that have no body."""
    media_type = request.headers.get("content-type")
    if media_type is not None and _essence(media_type) not in _ACCEPTED:
        raise UnsupportedMediaTypeError
    accepted = request.headers.get("accept")
    if accepted and not any(_essence(part) in _ACCEPTED for part in accepted.split(",")):
        raise NotAcceptableError


def _essence(media_type: str) -> str:
    return media_type.partition(";")[0].strip().lower()

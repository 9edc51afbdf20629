"""HTTP habits of Connect that hold for every route: paths, HEAD, media types."""

from fastapi import Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from frazil.control_api.core.errors import NotAcceptableError, UnsupportedMediaTypeError

_JSON = "application/json"
_ACCEPTED = {_JSON, "application/*", "*/*", "*"}


class ConnectPaths:
    """Lets routes match paths as sent, so that a name may hold an encoded slash.

    Also drops one trailing slash, and answers HEAD wherever GET is answered.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        path: str = scope["raw_path"].decode("ascii", errors="replace")
        is_head = scope["method"] == "HEAD"
        scope = {
            **scope,
            "path": path.removesuffix("/") or "/",
            "method": "GET" if is_head else scope["method"],
        }
        await self._app(scope, receive, _headless(send) if is_head else send)


def _headless(send: Send) -> Send:
    async def send_without_body(message: Message) -> None:
        if message["type"] == "http.response.body":
            message = {**message, "body": b""}
        await send(message)

    return send_without_body


def negotiate(request: Request) -> None:
    """Refuse what is not JSON. The header counts, also on calls that have no body."""
    media_type = request.headers.get("content-type")
    if media_type is None:
        if _has_body(request):
            raise UnsupportedMediaTypeError
    elif _essence(media_type) != _JSON:
        raise UnsupportedMediaTypeError
    accepted = request.headers.get("accept")
    if accepted and not any(_essence(part) in _ACCEPTED for part in accepted.split(",")):
        raise NotAcceptableError


def _essence(media_type: str) -> str:
    return media_type.partition(";")[0].strip().lower()


def _has_body(request: Request) -> bool:
    length = request.headers.get("content-length", "0")
    return length != "0" or "transfer-encoding" in request.headers

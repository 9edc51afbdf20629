"""The one place where errors become answers: always `{error_code, message}`."""

from uuid import uuid4

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse, Response
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect
from starlette.routing import Match

from frazil.control_api.api.models import ErrorBody
from frazil.control_api.core.errors import BadRequestError, ControlError
from frazil.runtime.logs import get_logger

log = get_logger(__name__)

_METHODS = ("HEAD", "POST", "DELETE", "GET", "OPTIONS", "PUT", "PATCH")
_REASONS = {404: "Not Found", 405: "Method Not Allowed"}


def add_error_handlers(app: FastAPI) -> None:
    app.add_exception_handler(ControlError, _control_error)
    app.add_exception_handler(HTTPException, _http_error)
    app.add_exception_handler(RequestValidationError, _validation_error)
    app.add_exception_handler(ClientDisconnect, _client_left)
    app.add_exception_handler(Exception, _unexpected_error)


def _answer(status: int, message: str, *, before_route: bool = False) -> Response:
    body = ErrorBody(error_code=status, message=message).model_dump()
    answer = JSONResponse(body, status)
    if before_route:
        # Connect's server answers these before it knows what the route would produce.
        del answer.headers["content-type"]
    return answer


def answer_of(error: ControlError) -> Response:
    answer = _answer(error.status, error.message, before_route=error.before_route)
    if error.retry_after is not None:
        answer.headers["Retry-After"] = str(error.retry_after)
    return answer


async def _control_error(_request: Request, error: Exception) -> Response:
    if not isinstance(error, ControlError):
        raise error
    return answer_of(error)


async def _http_error(request: Request, error: Exception) -> Response:
    if not isinstance(error, HTTPException):
        raise error
    if error.status_code == 405 and request.method == "OPTIONS":
        return _options(request)
    if error.status_code == 404 and "//" in request.scope["path"]:
        return answer_of(BadRequestError("Ambiguous URI empty segment"))
    reason = _REASONS.get(error.status_code, error.detail)
    return _answer(error.status_code, f"HTTP {error.status_code} {reason}", before_route=True)


async def _validation_error(_request: Request, error: Exception) -> Response:
    if not isinstance(error, RequestValidationError):
        raise error
    faults = (f"{'.'.join(map(str, one['loc'][1:]))}: {one['msg']}" for one in error.errors())
    return _answer(400, f"The request cannot be understood: {'; '.join(faults)}")


async def _client_left(_request: Request, _error: Exception) -> Response:
    """Answer a client that has left within its body, or was too slow: nobody reads it."""
    return _answer(400, "The body of the request has no end")


async def _unexpected_error(request: Request, error: Exception) -> Response:
    """Say no more than an id: what went wrong inside may name what is not the caller's to know."""
    error_id = uuid4().hex[:12]
    log.error("request_failed", error_id=error_id, path=request.url.path, exc_info=error)
    return _answer(500, f"Internal error {error_id}; the server's log has it under this id")


def _options(request: Request) -> Response:
    """Name the methods of a path; in words only for those who take plain text first."""

    def has_route(method: str) -> bool:
        scope = {**request.scope, "method": "GET" if method == "HEAD" else method}
        return any(route.matches(scope)[0] is Match.FULL for route in request.app.router.routes)

    methods = [method for method in _METHODS if method == "OPTIONS" or has_route(method)]
    accepted = request.headers.get("accept", "*/*").partition(",")[0].strip()
    as_text = accepted in ("*/*", "text/*", "text/plain")
    return Response(
        ", ".join(methods) if as_text else "",
        headers={"Allow": ",".join(methods), "Content-Type": "text/plain" if as_text else accepted},
    )

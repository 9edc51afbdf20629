"""The one place where errors become answers: always `{"error": {message, type, code}}`."""

from uuid import uuid4

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.responses import JSONResponse, Response

from frazil.runtime.logs import get_logger
from frazil.runtime.metrics import CATALOG_REFUSALS
from frazil.table_catalog.core.errors import (
    BadRequestError,
    CatalogError,
    ForbiddenError,
    NotAllowedError,
    NotAuthorizedError,
    NotFoundError,
    OAuthError,
)

log = get_logger(__name__)


def add_error_handlers(app: FastAPI) -> None:
    app.add_exception_handler(CatalogError, _catalog_error)
    app.add_exception_handler(HTTPException, _http_error)
    app.add_exception_handler(RequestValidationError, _validation_error)
    app.add_exception_handler(Exception, _unexpected_error)


def answer_of(error: CatalogError) -> Response:
    if isinstance(error, (NotAuthorizedError, ForbiddenError)):
        CATALOG_REFUSALS.labels(error.reason).inc()
    if isinstance(error, OAuthError):
        body = {"error": error.code, "error_description": error.message}
        return JSONResponse(body, error.status)
    fault = {"message": error.message, "type": error.kind, "code": error.status}
    headers = {} if error.retry_after is None else {"Retry-After": str(error.retry_after)}
    return JSONResponse({"error": fault}, error.status, headers)


async def _catalog_error(request: Request, error: Exception) -> Response:
    if not isinstance(error, CatalogError):
        raise error
    if isinstance(error, OAuthError):
        log.info("refused", reason=error.message, path=request.url.path, status=error.status)
    return answer_of(error)


async def _http_error(request: Request, error: Exception) -> Response:
    if not isinstance(error, HTTPException):
        raise error
    match error.status_code:
        case 404:
            return answer_of(NotFoundError(f"there is no route {request.url.path}"))
        case 405:
            return answer_of(NotAllowedError(f"{request.method} is not for {request.url.path}"))
    return answer_of(BadRequestError(error.detail))


async def _validation_error(_request: Request, error: Exception) -> Response:
    if not isinstance(error, RequestValidationError):
        raise error
    faults = (f"{'.'.join(map(str, one['loc']))}: {one['msg']}" for one in error.errors())
    return answer_of(BadRequestError(f"the request cannot be understood: {'; '.join(faults)}"))


async def _unexpected_error(request: Request, error: Exception) -> Response:
    """Say no more than an id: what went wrong inside may name what is not the caller's to know."""
    error_id = uuid4().hex[:12]
    log.error("request_failed", error_id=error_id, path=request.url.path, exc_info=error)
    return answer_of(CatalogError(f"Internal error {error_id}; the server's log has it"))

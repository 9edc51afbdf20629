"""Whether we can serve, and what there is to measure."""

from fastapi import APIRouter, Request, Response
from fastapi.responses import JSONResponse
from prometheus_client import CONTENT_TYPE_LATEST, generate_latest

from frazil.table_catalog.api.deps import Opened

router = APIRouter()


@router.get("/health")
def get_health(request: Request, catalog: Opened) -> JSONResponse:
    """Good if all parts answer; else a 503 that names those that do not, and why."""
    trouble = {**request.app.state.trouble(), **catalog.trouble()}
    body = {"status": "DOWN" if trouble else "UP", **trouble}
    return JSONResponse(body, 503 if trouble else 200)


@router.get("/metrics")
def get_metrics() -> Response:
    return Response(generate_latest(), media_type=CONTENT_TYPE_LATEST)

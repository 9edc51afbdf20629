"""`/v1/config`, and AIStor's own calls for warehouses."""

from typing import Annotated, Any

from fastapi import APIRouter, Query, Request, Response

from frazil.table_catalog.api.deps import Opened
from frazil.table_catalog.api.models import CreateWarehouse
from frazil.table_catalog.api.rights import principal_of
from frazil.table_catalog.catalog.warehouses import Warehouse
from frazil.table_catalog.core.answers import LIFETIME
from frazil.table_catalog.core.rights import Action

router = APIRouter(prefix="/v1")

_SPACE = "/v1/{prefix}/namespaces/{namespace}"
ENDPOINTS = (
    "GET /v1/{prefix}/namespaces",
    "POST /v1/{prefix}/namespaces",
    f"GET {_SPACE}",
    f"HEAD {_SPACE}",
    f"DELETE {_SPACE}",
    f"POST {_SPACE}/properties",
    f"GET {_SPACE}/tables",
    f"POST {_SPACE}/tables",
    f"GET {_SPACE}/tables/{{table}}",
    f"HEAD {_SPACE}/tables/{{table}}",
    f"POST {_SPACE}/tables/{{table}}",
    f"DELETE {_SPACE}/tables/{{table}}",
    f"POST {_SPACE}/tables/{{table}}/metrics",
    f"POST {_SPACE}/register",
    "POST /v1/{prefix}/tables/rename",
    "POST /v1/{prefix}/transactions/commit",
    f"GET {_SPACE}/views",
    f"POST {_SPACE}/views",
    f"GET {_SPACE}/views/{{view}}",
    f"HEAD {_SPACE}/views/{{view}}",
    f"POST {_SPACE}/views/{{view}}",
    f"DELETE {_SPACE}/views/{{view}}",
    f"POST {_SPACE}/register-view",
    "POST /v1/{prefix}/views/rename",
)


@router.get("/config")
def get_config(
    request: Request, catalog: Opened, warehouse: Annotated[str | None, Query()] = None
) -> dict[str, Any]:
    """Say which prefix a warehouse has; a bare name, `s3://name/` and an ARN name the same."""
    overrides = {}
    if warehouse is not None:
        name = warehouse.removeprefix("s3://").strip("/").rpartition("bucket/")[2]
        overrides = {"prefix": catalog.warehouses.get(name).name}
    return {
        "defaults": dict(request.app.state.client_properties),
        "overrides": overrides,
        "endpoints": (*ENDPOINTS, *request.app.state.more_endpoints),
        "idempotency-key-lifetime": LIFETIME,
    }


@router.post("/warehouses")
def create_warehouse(catalog: Opened, body: CreateWarehouse) -> dict[str, Any]:
    return _shown(catalog.warehouses.create(body.name, upgrade=body.upgrade_existing))


@router.get("/warehouses")
def list_warehouses(request: Request, catalog: Opened) -> dict[str, Any]:
    who = principal_of(request)
    seen = [one for one in catalog.warehouses.all() if who.may(Action.READ, one.name)]
    return {"warehouses": [_shown(one) for one in seen]}


@router.get("/warehouses/{prefix}")
def get_warehouse(catalog: Opened, prefix: str) -> dict[str, Any]:
    return _shown(catalog.warehouses.get(prefix))


@router.delete("/warehouses/{name}")
def delete_warehouse(catalog: Opened, name: str) -> Response:
    catalog.warehouses.delete(name)
    return Response(status_code=204)


def _shown(warehouse: Warehouse) -> dict[str, Any]:
    return {
        "name": warehouse.name,
        "location": warehouse.location,
        "created-at-ms": warehouse.created_ms,
    }

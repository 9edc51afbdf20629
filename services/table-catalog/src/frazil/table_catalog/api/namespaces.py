"""Namespaces: listed by levels and pages, made, described, emptied of properties, dropped."""

from typing import Annotated, Any

from fastapi import APIRouter, Query, Request, Response
from fastapi.responses import JSONResponse

from frazil.table_catalog.api.deps import Opened, Pages, Retry, Space, shown
from frazil.table_catalog.api.models import CreateNamespace, UpdateProperties
from frazil.table_catalog.api.rights import principal_of
from frazil.table_catalog.core.names import check_namespace, levels_of, namespace_of

router = APIRouter(prefix="/v1/{prefix}/namespaces")


def _nothing(_location: str) -> bytes:
    return b""


@router.get("")
def list_namespaces(
    catalog: Opened, prefix: str, paging: Pages, parent: Annotated[str | None, Query()] = None
) -> dict[str, Any]:
    catalog.warehouses.get(prefix)
    page = catalog.namespaces.names(prefix, namespace_of(parent) if parent else (), paging)
    listed = [levels_of(name) for name in page.items]
    return {"namespaces": listed, "next-page-token": page.next_token}


@router.post("")
def create_namespace(
    request: Request, catalog: Opened, prefix: str, *, body: CreateNamespace, ticket: Retry
) -> Response:
    who, namespace = principal_of(request), check_namespace(body.namespace)
    answer = catalog.once(
        ticket,
        lambda: catalog.namespaces.create(
            who, prefix, namespace, properties=body.properties, ticket=ticket
        ),
    )
    return shown(answer, _nothing)


@router.get("/{namespace}")
def load_namespace(catalog: Opened, prefix: str, namespace: Space) -> Response:
    properties = catalog.namespaces.get(prefix, namespace)
    return JSONResponse({"namespace": list(namespace), "properties": properties})


@router.head("/{namespace}")
def namespace_exists(catalog: Opened, prefix: str, namespace: Space) -> Response:
    catalog.namespaces.get(prefix, namespace)
    return Response(status_code=204)


@router.delete("/{namespace}")
def drop_namespace(catalog: Opened, prefix: str, namespace: Space, ticket: Retry) -> Response:
    answer = catalog.once(ticket, lambda: catalog.namespaces.drop(prefix, namespace, ticket=ticket))
    return shown(answer, _nothing)


@router.post("/{namespace}/properties")
def update_properties(
    request: Request,
    catalog: Opened,
    prefix: str,
    namespace: Space,
    *,
    body: UpdateProperties,
    ticket: Retry,
) -> Response:
    who = principal_of(request)
    answer = catalog.once(
        ticket,
        lambda: catalog.namespaces.change(
            who, prefix, namespace, removals=body.removals, updates=body.updates, ticket=ticket
        ),
    )
    return shown(answer, _nothing)

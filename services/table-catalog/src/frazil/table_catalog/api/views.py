"""Views: listed, made, loaded, replaced, registered, renamed, dropped."""

from fastapi import APIRouter, Request, Response

from frazil.table_catalog.api.deps import (
    Opened,
    Pages,
    Retry,
    Space,
    ViewName,
    listed,
    shown,
)
from frazil.table_catalog.api.models import Commit, CreateView, RegisterView, Rename
from frazil.table_catalog.api.rights import principal_of
from frazil.table_catalog.catalog.views import NewView
from frazil.table_catalog.core.answers import Answer
from frazil.table_catalog.core.names import Identifier

router = APIRouter(prefix="/v1/{prefix}")

_VIEWS = "/namespaces/{namespace}/views"
_VIEW = f"{_VIEWS}/{{view}}"


@router.get(_VIEWS)
def list_views(catalog: Opened, prefix: str, namespace: Space, paging: Pages) -> Response:
    return listed(namespace, catalog.views.names(prefix, namespace, paging))


@router.post(_VIEWS)
def create_view(
    request: Request,
    catalog: Opened,
    prefix: str,
    namespace: Space,
    *,
    body: CreateView,
    ticket: Retry,
) -> Response:
    view = NewView(
        name=body.name,
        schema=body.view_schema,
        version=body.view_version,
        location=body.location,
        properties=body.properties,
    )
    who = principal_of(request)
    answer = catalog.once(
        ticket, lambda: catalog.views.create(who, prefix, namespace, view=view, ticket=ticket)
    )
    return shown(answer, catalog.views.answer)


@router.get(_VIEW)
def load_view(catalog: Opened, prefix: str, view: ViewName) -> Response:
    location = catalog.views.locate(prefix, view)
    return shown(Answer(location=location), catalog.views.answer)


@router.head(_VIEW)
def view_exists(catalog: Opened, prefix: str, view: ViewName) -> Response:
    catalog.views.locate(prefix, view)
    return Response(status_code=204)


@router.post(_VIEW)
def replace_view(
    request: Request, catalog: Opened, prefix: str, view: ViewName, *, body: Commit, ticket: Retry
) -> Response:
    who, change = principal_of(request), body.of(view)
    answer = catalog.once(ticket, lambda: catalog.views.commit(who, prefix, change, ticket=ticket))
    return shown(answer, catalog.views.answer)


@router.delete(_VIEW)
def drop_view(catalog: Opened, prefix: str, view: ViewName, ticket: Retry) -> Response:
    answer = catalog.once(ticket, lambda: catalog.views.drop(prefix, view, ticket=ticket))
    return shown(answer, catalog.views.answer)


@router.post("/namespaces/{namespace}/register-view")
def register_view(
    request: Request,
    catalog: Opened,
    prefix: str,
    namespace: Space,
    *,
    body: RegisterView,
    ticket: Retry,
) -> Response:
    who, view = principal_of(request), Identifier.of(namespace, body.name)
    answer = catalog.once(
        ticket,
        lambda: catalog.views.register(
            who, prefix, view, location=body.metadata_location, ticket=ticket
        ),
    )
    return shown(answer, catalog.views.answer)


@router.post("/views/rename")
def rename_view(catalog: Opened, prefix: str, body: Rename, ticket: Retry) -> Response:
    source, target = body.source.parsed(), body.destination.parsed()
    answer = catalog.once(
        ticket, lambda: catalog.views.rename(prefix, source, target, ticket=ticket)
    )
    return shown(answer, catalog.views.answer)

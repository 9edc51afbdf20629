"""What routes are given: the catalog, names out of the path, pages, the key of a retry."""

from collections.abc import Callable
from typing import Annotated

from fastapi import Depends, Query, Request, Response
from fastapi.responses import JSONResponse
from pydantic_core import to_json
from starlette.concurrency import run_in_threadpool

from frazil.table_catalog.catalog.opened import Catalog
from frazil.table_catalog.core.answers import Answer, Ticket, etag
from frazil.table_catalog.core.names import Identifier, Namespace, namespace_of
from frazil.table_catalog.core.pages import Page, Paging

JSON = "application/json"

# None of these waits for anything; async they are because FastAPI gives a thread to others. Where
# that is easy they look into the request themselves: FastAPI takes 15 us for a declared parameter,
# and 40 us for a dependency. So the two busiest routes call them instead of declaring them.


async def opened(request: Request) -> Catalog:
    catalog: Catalog = request.app.state.catalog
    return catalog


async def _namespace(request: Request) -> Namespace:
    return namespace_of(request.path_params["namespace"])


async def table_named(request: Request) -> Identifier:
    return Identifier.of(await _namespace(request), request.path_params["table"])


async def _view(request: Request) -> Identifier:
    return Identifier.of(await _namespace(request), request.path_params["view"])


async def _paging(
    token: Annotated[str | None, Query(alias="pageToken")] = None,
    size: Annotated[int | None, Query(alias="pageSize", ge=1)] = None,
) -> Paging:
    return Paging(token, size)


async def ticket_of(request: Request) -> Ticket | None:
    key = request.headers.get("Idempotency-Key")
    if key is None:
        return None
    # Another caller's request is another one: he does not get an answer to what he may not ask.
    who = request.state.principal.name.encode()
    asked = (who, request.method.encode(), request.url.path.encode(), await request.body())
    return Ticket.of(request.path_params["prefix"], key, *asked)


Opened = Annotated[Catalog, Depends(opened)]
Space = Annotated[Namespace, Depends(_namespace)]
TableName = Annotated[Identifier, Depends(table_named)]
ViewName = Annotated[Identifier, Depends(_view)]
Pages = Annotated[Paging, Depends(_paging)]
Retry = Annotated[Ticket | None, Depends(ticket_of)]


async def look(catalog: Catalog, read: Callable[[], Response]) -> Response:
    """Answer with what is read: at once if it is at hand, for a thread takes thrice as long."""
    return read() if catalog.is_local else await run_in_threadpool(read)


def listed(namespace: Namespace, page: Page[str]) -> Response:
    identifiers = [{"namespace": namespace, "name": name} for name in page.items]
    document = {"identifiers": identifiers, "next-page-token": page.next_token}
    # What is no Response yet FastAPI would check first, in a thread of its own.
    return Response(to_json(document), media_type=JSON)


def shown(answer: Answer, load: Callable[[str], bytes]) -> Response:
    """Put an answer on the wire; `load` makes the document about a metadata file."""
    if answer.location is not None:
        headers = {"ETag": etag(answer.location, "all")}
        return Response(load(answer.location), media_type=JSON, headers=headers)
    return Response(status_code=204) if answer.body is None else JSONResponse(dict(answer.body))

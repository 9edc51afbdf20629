"""Tables, one at a time and several in one transaction."""

from asyncio import Semaphore
from collections.abc import Callable
from functools import partial
from typing import Annotated

from fastapi import APIRouter, BackgroundTasks, Query, Request, Response
from fastapi.responses import JSONResponse
from starlette.concurrency import run_in_threadpool

from frazil.table_catalog.api.delegation import Wished, terms_of, wished
from frazil.table_catalog.api.deps import (
    JSON,
    Opened,
    Pages,
    Retry,
    Space,
    TableName,
    listed,
    look,
    opened,
    shown,
    table_named,
)
from frazil.table_catalog.api.models import (
    Commit,
    CreateTable,
    RegisterTable,
    Rename,
    Report,
    Transaction,
)
from frazil.table_catalog.api.rights import principal_of
from frazil.table_catalog.catalog.tables import NewTable
from frazil.table_catalog.core.answers import Answer, etag, matches
from frazil.table_catalog.core.errors import BadRequestError
from frazil.table_catalog.core.names import Identifier

router = APIRouter(prefix="/v1/{prefix}")

_TABLES = "/namespaces/{namespace}/tables"
_TABLE = f"{_TABLES}/{{table}}"
_ALL, _NAMED = "all", "refs"
_REPORTS = ("scan-report", "commit-report")


@router.get(_TABLES)
async def list_tables(catalog: Opened, prefix: str, namespace: Space, paging: Pages) -> Response:
    return await look(
        catalog, lambda: listed(namespace, catalog.tables.names(prefix, namespace, paging))
    )


@router.post(_TABLES)
def create_table(
    request: Request,
    catalog: Opened,
    prefix: str,
    namespace: Space,
    *,
    body: CreateTable,
    ticket: Retry,
    wish: Wished,
) -> Response:
    table = NewTable(
        name=body.name,
        schema=body.table_schema,
        location=body.location,
        spec=body.partition_spec,
        order=body.write_order,
        properties=body.properties or {},
    )
    terms = terms_of(wish, Identifier.of(namespace, body.name))
    who = principal_of(request)
    if body.stage_create:
        staged = catalog.tables.stage(who, prefix, namespace, table=table, terms=terms)
        return JSONResponse(staged)
    answer = catalog.once(
        ticket, lambda: catalog.tables.create(who, prefix, namespace, table=table, ticket=ticket)
    )
    return shown(answer, partial(catalog.tables.answer, terms=terms))


@router.get(_TABLE)
async def load_table(request: Request) -> Response:
    catalog, table = await opened(request), await table_named(request)
    snapshots = request.query_params.get("snapshots", _ALL)
    if snapshots not in (_ALL, _NAMED):
        raise BadRequestError(f"snapshots: it is {snapshots}, and can be {_ALL} or {_NAMED}")
    terms = terms_of(await wished(request, catalog), table)

    def load() -> Response:
        location = catalog.tables.locate(request.path_params["prefix"], table)
        tag = etag(location, snapshots)
        if matches(request.headers.get("If-None-Match"), tag):
            return Response(status_code=304, headers={"ETag": tag})
        content = catalog.tables.answer(location, only_named=snapshots == _NAMED, terms=terms)
        return Response(content, media_type=JSON, headers={"ETag": tag})

    return await look(catalog, load)


@router.head(_TABLE)
async def table_exists(request: Request) -> Response:
    catalog, table = await opened(request), await table_named(request)

    def find() -> Response:
        catalog.tables.locate(request.path_params["prefix"], table)
        return Response(status_code=204)

    return await look(catalog, find)


@router.post(_TABLE)
def commit_table(
    request: Request,
    catalog: Opened,
    prefix: str,
    table: TableName,
    *,
    body: Commit,
    ticket: Retry,
) -> Response:
    who, change = principal_of(request), body.of(table)
    answer = catalog.once(
        ticket, lambda: catalog.tables.commit(who, prefix, [change], ticket=ticket)
    )
    return shown(answer, catalog.tables.answer)


@router.post("/transactions/commit")
def commit_transaction(
    request: Request, catalog: Opened, prefix: str, *, body: Transaction, ticket: Retry
) -> Response:
    who, changes = principal_of(request), [one.parsed() for one in body.table_changes]
    catalog.once(ticket, lambda: catalog.tables.commit(who, prefix, changes, ticket=ticket))
    return Response(status_code=204)


@router.delete(_TABLE)
def drop_table(
    request: Request,
    catalog: Opened,
    prefix: str,
    table: TableName,
    *,
    ticket: Retry,
    later: BackgroundTasks,
    purge: Annotated[bool, Query(alias="purgeRequested")] = False,
) -> Response:
    def drop() -> Answer:
        act = catalog.tables.purge_of(principal_of(request), prefix, table) if purge else None
        dropped = catalog.tables.drop(prefix, table, ticket=ticket)
        if act is not None:
            later.add_task(_in_turn, request.app.state.purges, act)
        return dropped

    catalog.once(ticket, drop)
    return Response(status_code=204, background=later)


async def _in_turn(purges: Semaphore, act: Callable[[], None]) -> None:
    """Leave threads to those who wait for an answer: files may be many."""
    async with purges:
        await run_in_threadpool(act)


@router.post("/namespaces/{namespace}/register")
def register_table(
    request: Request,
    catalog: Opened,
    prefix: str,
    namespace: Space,
    *,
    body: RegisterTable,
    ticket: Retry,
    wish: Wished,
) -> Response:
    who, identifier = principal_of(request), Identifier.of(namespace, body.name)
    answer = catalog.once(
        ticket,
        lambda: catalog.tables.register(
            who,
            prefix,
            identifier,
            location=body.metadata_location,
            overwrite=body.overwrite,
            ticket=ticket,
        ),
    )
    return shown(answer, partial(catalog.tables.answer, terms=terms_of(wish, identifier)))


@router.post("/tables/rename")
def rename_table(catalog: Opened, prefix: str, body: Rename, ticket: Retry) -> Response:
    source, target = body.source.parsed(), body.destination.parsed()
    answer = catalog.once(
        ticket, lambda: catalog.tables.rename(prefix, source, target, ticket=ticket)
    )
    return shown(answer, catalog.tables.answer)


@router.post(f"{_TABLE}/metrics")
def report_metrics(catalog: Opened, prefix: str, table: TableName, body: Report) -> Response:
    """Take the report and keep nothing of it."""
    if body.report_type not in _REPORTS:
        raise BadRequestError(f"the report-type is one of {', '.join(_REPORTS)}")
    catalog.tables.locate(prefix, table)
    return Response(status_code=204)

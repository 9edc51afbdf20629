"""Routes of a table's schema: what it waits for, and what a person says to that."""

from typing import Annotated

from fastapi import APIRouter, Body, Depends, Query

from frazil.contracts.schema_change import SchemaChange
from frazil.control_api.api.deps import ConnectorName, Insights, Present, Service, TableName
from frazil.control_api.api.own_models import SchemaVersion, TableSchema
from frazil.control_api.core.layout import TableLayout, undo
from frazil.control_api.core.proof import TableSource
from frazil.control_api.core.schema_rules import Decide, approve, chosen, forget, refuse

router = APIRouter(prefix="/connectors/{connector}/tables/{table}/schema")


async def _shown(
    connector: Present, table: TableName, insight: Insights
) -> tuple[SchemaChange, ...]:
    worker = (await insight.look(connector)).worker
    tables = worker.status.tables if worker and worker.status else {}
    return tables[table].changes if table in tables else ()


Shown = Annotated[tuple[SchemaChange, ...], Depends(_shown)]


def _chosen(
    table: TableName,
    shown: Shown,
    changes: Annotated[
        list[SchemaChange] | None, Body(description="Some of the changes shown; else all.")
    ] = None,
) -> tuple[SchemaChange, ...]:
    return chosen(shown, changes, table)


Chosen = Annotated[tuple[SchemaChange, ...], Depends(_chosen)]


@router.get("")
def get_schema(connector: Present, table: TableName, shown: Shown) -> TableSchema:
    """Tell what the table waits for, as its worker said last, and what was decided so far."""
    return TableSchema.of(connector.schema_rules.get(table), shown)


@router.post("/approve", status_code=202)
def approve_changes(
    name: ConnectorName, table: TableName, service: Service, changes: Chosen
) -> TableSchema:
    """Let changes happen; a new worker goes on where the table was left."""
    return _decide(service, name, table, approve(changes))


@router.post("/refuse", status_code=202)
def refuse_changes(
    name: ConnectorName, table: TableName, service: Service, changes: Chosen
) -> TableSchema:
    """Leave the table as it is; records are written without what it lacks from then on."""
    return _decide(service, name, table, refuse(changes))


def _source(connector: Present, insight: Insights) -> TableSource:
    return insight.source(connector)


async def _layout(
    source: Annotated[TableSource, Depends(_source)], table: TableName, insight: Insights
) -> TableLayout:
    return await insight.layout(source, table)


Layout = Annotated[TableLayout, Depends(_layout)]


@router.get("/versions")
def list_versions(layout: Layout) -> list[SchemaVersion]:
    """Name the schemas that the table has had, newest first."""
    return SchemaVersion.all_of(layout)


@router.post("/undo", status_code=202)
def undo_changes(
    name: ConnectorName,
    table: TableName,
    service: Service,
    layout: Layout,
    schema_id: Annotated[int, Query(description="A schema that the versions name.")],
) -> TableSchema:
    """Make an earlier schema current again, by a new worker; files stay as they are.

    Columns that it does not have are refused from then on.
    """
    return _decide(service, name, table, undo(layout, schema_id))


@router.delete("", status_code=202)
def forget_decisions(name: ConnectorName, table: TableName, service: Service) -> TableSchema:
    """Forget what was approved and refused, so that it is asked for again."""
    return _decide(service, name, table, forget)


def _decide(service: Service, name: str, table: str, decide: Decide) -> TableSchema:
    return TableSchema.of(service.rule_schema(name, table, decide).schema_rules.get(table), ())

"""Routes of single tables of a connector: each can be paused, resumed and restarted."""

from fastapi import APIRouter, Response

from frazil.contracts.worker_status import TableStatus
from frazil.control_api.api.deps import ConnectorName, Insights, Present, Service, TableName

router = APIRouter(prefix="/connectors/{connector}/tables")


@router.get("")
async def list_tables(connector: Present, insight: Insights) -> dict[str, TableStatus]:
    """Tell what the last worker said of each table."""
    worker = (await insight.look(connector)).worker
    return worker.status.tables if worker and worker.status else {}


@router.put("/{table}/pause", status_code=202, response_class=Response)
def pause_table(name: ConnectorName, table: TableName, service: Service) -> Response:
    """Leave a table out; it stays where it is while the others go on."""
    service.set_table(name, table, paused=True)
    return Response(status_code=202)


@router.put("/{table}/resume", status_code=202, response_class=Response)
def resume_table(name: ConnectorName, table: TableName, service: Service) -> Response:
    """Go on with a table where it was left."""
    service.set_table(name, table, paused=False)
    return Response(status_code=202)


@router.post("/{table}/restart", status_code=202, response_class=Response)
def restart_table(name: ConnectorName, table: TableName, service: Service) -> Response:
    """Try a table again that was set aside, by a new worker; it is resumed if it was paused."""
    service.set_table(name, table, paused=False, anew=True)
    return Response(status_code=202)

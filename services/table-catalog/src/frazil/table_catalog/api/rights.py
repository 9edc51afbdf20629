"""The rights that a call needs, looked up before its route runs: a dependency of every router."""

from fastapi import Request
from fastapi.routing import APIRoute

from frazil.runtime.logs import get_logger
from frazil.table_catalog.api.deps import ticket_of
from frazil.table_catalog.core.needs import needs
from frazil.table_catalog.core.rights import Principal

log = get_logger(__name__)


def principal_of(request: Request) -> Principal:
    """Find who calls, for routes that show less to some."""
    principal: Principal = request.state.principal
    return principal


async def require_rights(request: Request) -> None:
    principal = principal_of(request)
    _refuse_late_copy(request)
    route: str = request.scope["route"].path
    body = await request.body()
    for need in needs(request.method, route, params=request.path_params, body=body):
        if not principal.may(need.action, need.warehouse, need.namespace):
            log.info("refused", key=principal.name, needed=str(need.action), path=request.url.path)
        principal.require(need.action, need.warehouse, need.namespace)


def _refuse_late_copy(request: Request) -> None:
    """Let a copy under an `Idempotency-Key` in where the answer is remembered, and only there."""
    refuse = getattr(request.state, "refuse_late_copy", None)
    if refuse is not None and not _remembers(request.scope["route"]):
        refuse()


def _remembers(route: APIRoute) -> bool:
    return any(one.call is ticket_of for one in route.dependant.dependencies)

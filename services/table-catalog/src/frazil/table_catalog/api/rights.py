"""The rights that a call needs, looked up before its route runs: a dependency of every router."""

from fastapi import Request

from frazil.runtime.logs import get_logger
from frazil.table_catalog.core.needs import needs
from frazil.table_catalog.core.rights import Principal

log = get_logger(__name__)


def principal_of(request: Request) -> Principal:
    """Find who calls, for routes that show less to some."""
    principal: Principal = request.state.principal
    return principal


async def require_rights(request: Request) -> None:
    principal = principal_of(request)
    route: str = request.scope["route"].path
    body = await request.body()
    for need in needs(request.method, route, params=request.path_params, body=body):
        if not principal.may(need.action, need.warehouse, need.namespace):
            log.info("refused", key=principal.name, needed=str(need.action), path=request.url.path)
        principal.require(need.action, need.warehouse, need.namespace)

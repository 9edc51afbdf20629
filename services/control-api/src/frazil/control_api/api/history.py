"""Routes of what was: states and configurations of a name, and the way back to one of them."""

from typing import Annotated

from fastapi import APIRouter, Query, Request, Response

from frazil.control_api.api.deps import ConnectorName, PastOf, location
from frazil.control_api.api.models import ConnectorInfo
from frazil.control_api.api.own_models import ConfigRevision, ConnectorHistory, StateEvent

router = APIRouter(prefix="/connectors/{connector}")


@router.get("/history")
def get_history(
    name: ConnectorName,
    past: PastOf,
    limit: Annotated[
        int, Query(ge=1, le=1000, description="Most states and most configurations.")
    ] = 50,
) -> ConnectorHistory:
    """Tell it of a deleted connector too: what a name has been outlives it."""
    states, configs = past.of(name, limit)
    return ConnectorHistory(
        name=name,
        states=[StateEvent.of(change) for change in states],
        configs=[ConfigRevision.of(revision) for revision in configs],
    )


@router.post("/rollback", responses={201: {"model": ConnectorInfo}})
def roll_back(
    name: ConnectorName,
    version: Annotated[int, Query(description="A version that the history names.")],
    request: Request,
    response: Response,
    past: PastOf,
) -> ConnectorInfo:
    """Put an earlier configuration, as a PUT of it would; a deleted connector is made anew."""
    connector, created = past.roll_back(name, version)
    if created:
        response.status_code = 201
        response.headers["Location"] = location(request, name)
    return ConnectorInfo.of(connector)

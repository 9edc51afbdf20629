"""Routes of dead letters: the way back for what can be written by now."""

from datetime import UTC, datetime
from typing import Annotated

from fastapi import APIRouter, Query

from frazil.contracts.redrive import Pick
from frazil.control_api.api.deps import ConnectorName, Service
from frazil.control_api.api.own_models import RedriveOrder
from frazil.control_api.core.redrive import Reason

router = APIRouter(prefix="/connectors/{connector}/dlq")


@router.post("/redrive", status_code=202)
def redrive(
    name: ConnectorName,
    service: Service,
    reason: Annotated[
        Reason | None, Query(description="Only letters that have this reason.")
    ] = None,
    table: Annotated[
        str | None, Query(description="Only letters that this table has refused.")
    ] = None,
) -> RedriveOrder:
    """Have the letters that there are now tried again, each at most once, by a new worker."""
    pick = Pick(before=datetime.now(UTC), table=table, reason=reason)
    return RedriveOrder.of(service.redrive(name, pick))

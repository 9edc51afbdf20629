"""Routes that steer many connectors at once, chosen by the filters of the list."""

from typing import Annotated

from fastapi import APIRouter, Depends, Query

from frazil.contracts.states import Target
from frazil.control_api.api.deps import Service
from frazil.control_api.api.own_models import BulkOutcome
from frazil.control_api.api.queries import FilterQuery
from frazil.control_api.core.bulk import aim_all, restart_all
from frazil.control_api.core.connector import Connector
from frazil.control_api.core.errors import BadRequestError
from frazil.control_api.core.selection import select

router = APIRouter(prefix="/bulk")


def _chosen(
    service: Service,
    filters: FilterQuery,
    all_: Annotated[
        bool, Query(alias="all", description="Mean all connectors, where no filter is given.")
    ] = False,
) -> tuple[Connector, ...]:
    if not filters.given and not all_:
        raise BadRequestError(
            "Say which connectors are meant by state, type, class, label or search, or that all "
            "are by all=true"
        )
    return select(service.all(), filters, limit=None, after=None).connectors


Chosen = Annotated[tuple[Connector, ...], Depends(_chosen)]


@router.put("/pause", status_code=202)
def pause_connectors(chosen: Chosen, service: Service) -> BulkOutcome:
    return BulkOutcome.of(aim_all(service, chosen, Target.PAUSED))


@router.put("/resume", status_code=202)
def resume_connectors(chosen: Chosen, service: Service) -> BulkOutcome:
    return BulkOutcome.of(aim_all(service, chosen, Target.RUNNING))


@router.put("/restart", status_code=202)
def restart_connectors(
    chosen: Chosen,
    service: Service,
    only_failed: Annotated[
        bool, Query(alias="onlyFailed", description="Leave those alone that have not failed.")
    ] = False,
) -> BulkOutcome:
    return BulkOutcome.of(restart_all(service, chosen, only_failed=only_failed))

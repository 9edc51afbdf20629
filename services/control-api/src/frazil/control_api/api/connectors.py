"""Routes of connectors: list, create, configure, steer, delete."""

from typing import Annotated

from fastapi import APIRouter, Depends, Query, Request, Response
from pydantic import TypeAdapter

from frazil.contracts.states import Target
from frazil.control_api.api.bodies import FlatConfig, submission
from frazil.control_api.api.deps import (
    ConnectorName,
    Flag,
    Insights,
    Rehearsing,
    Service,
    TopicTracking,
    WorkerId,
    location,
)
from frazil.control_api.api.described import (
    CREATED,
    NO_CONTENT,
    TAKES_CONFIG,
    TAKES_CONNECTOR,
    faults,
)
from frazil.control_api.api.models import ConnectorInfo, ConnectorStatus, ConnectorTopics
from frazil.control_api.api.own_models import ConnectorHealth, DryRun
from frazil.control_api.api.queries import (
    AfterQuery,
    DryRunQuery,
    ExpandQuery,
    FilterQuery,
    LimitQuery,
    add_page_headers,
)
from frazil.control_api.core.connector import Connector
from frazil.control_api.core.errors import NotFoundError
from frazil.control_api.core.insight import Insight
from frazil.control_api.core.selection import select
from frazil.control_api.core.service import Submission
from frazil.control_api.core.topics import topics_of

router = APIRouter()

Expanded = dict[str, dict[str, ConnectorInfo | ConnectorStatus | ConnectorHealth]]
_LISTED: TypeAdapter[list[str] | Expanded] = TypeAdapter(list[str] | Expanded)


@router.get("/connectors", response_model=list[str] | Expanded)
def list_connectors(
    request: Request,
    service: Service,
    worker_id: WorkerId,
    insight: Insights,
    filters: FilterQuery,
    expand: ExpandQuery = [],  # noqa: B006 (FastAPI copies it)
    limit: LimitQuery = None,
    after: AfterQuery = None,
) -> Response:
    """List names, or objects by name with `expand` (`status`, `info`, and our own `health`)."""
    page = select(service.all(), filters, limit=limit, after=after)
    found: list[str] | Expanded = [connector.name for connector in page.connectors]
    if expand:
        found = {one.name: _expand(one, expand, worker_id, insight) for one in page.connectors}
    # FastAPI would check and copy each of a thousand bodies that were checked when they were made.
    body = _LISTED.dump_json(found, exclude_none=True)
    response = Response(body, media_type="application/json")
    if filters.given or limit is not None or after is not None:
        add_page_headers(request, response, page)
    return response


def _expand(
    connector: Connector, wanted: list[str], worker_id: str, insight: Insight
) -> dict[str, ConnectorInfo | ConnectorStatus | ConnectorHealth]:
    parts: dict[str, ConnectorInfo | ConnectorStatus | ConnectorHealth] = {}
    if "status" in wanted:
        parts["status"] = ConnectorStatus.of(connector, worker_id)
    if "info" in wanted:
        parts["info"] = ConnectorInfo.of(connector)
    if "health" in wanted:
        parts["health"] = ConnectorHealth.of(connector.name, insight.glance(connector))
    return parts


@router.post(
    "/connectors",
    status_code=201,
    openapi_extra=TAKES_CONNECTOR,
    responses={200: {"model": DryRun}, 201: CREATED, **faults(400, 409)},
)
def create_connector(
    wanted: Annotated[Submission, Depends(submission)],
    request: Request,
    response: Response,
    service: Service,
    rehearsal: Rehearsing,
    dry_run: DryRunQuery = False,
) -> ConnectorInfo | DryRun:
    if dry_run:
        response.status_code = 200
        return DryRun.of(rehearsal.plan_create(wanted))
    connector = service.create(wanted)
    response.headers["Location"] = location(request, connector.name)
    return ConnectorInfo.of_new(connector)


@router.get("/connectors/{connector}", responses=faults(404))
def get_connector(name: ConnectorName, service: Service) -> ConnectorInfo:
    return ConnectorInfo.of(service.get(name))


@router.delete("/connectors/{connector}", status_code=204, responses=faults(404))
def delete_connector(name: ConnectorName, service: Service) -> Response:
    service.delete(name)
    return Response(status_code=204)


@router.get("/connectors/{connector}/config", responses=faults(404))
def get_config(name: ConnectorName, service: Service) -> dict[str, str]:
    return dict(service.get(name).config)


@router.put(
    "/connectors/{connector}/config",
    openapi_extra=TAKES_CONFIG,
    responses={201: CREATED | {"model": ConnectorInfo}, **faults(400)},
)
def put_config(
    name: ConnectorName,
    config: FlatConfig,
    request: Request,
    response: Response,
    service: Service,
    rehearsal: Rehearsing,
    dry_run: DryRunQuery = False,
) -> ConnectorInfo | DryRun:
    if dry_run:
        return DryRun.of(rehearsal.plan_configure(name, config))
    connector, created = service.configure(name, config)
    if created:
        response.status_code = 201
        response.headers["Location"] = location(request, name)
        return ConnectorInfo.of_new(connector)
    return ConnectorInfo.of(connector)


@router.patch(
    "/connectors/{connector}/config", openapi_extra=TAKES_CONFIG, responses=faults(400, 404)
)
def patch_config(name: ConnectorName, changes: FlatConfig, service: Service) -> ConnectorInfo:
    return ConnectorInfo.of(service.patch(name, changes))


@router.get(
    "/connectors/{connector}/status", response_model_exclude_none=True, responses=faults(404)
)
def get_status(name: ConnectorName, service: Service, worker_id: WorkerId) -> ConnectorStatus:
    connector = service.find(name)
    if connector is None:
        raise NotFoundError(f"No status found for connector {name}")
    return ConnectorStatus.of(connector, worker_id)


@router.get("/connectors/{connector}/topics", responses=faults(403))
def get_topics(
    name: ConnectorName, service: Service, tracking: TopicTracking
) -> dict[str, ConnectorTopics]:
    tracking.require_on()
    connector = service.find(name)
    return {name: ConnectorTopics(topics=list(topics_of(connector) if connector else ()))}


@router.put(
    "/connectors/{connector}/topics/reset",
    status_code=202,
    response_class=Response,
    responses=faults(403),
)
def reset_topics(name: ConnectorName, service: Service, tracking: TopicTracking) -> Response:
    tracking.require_reset()
    service.forget_topics(name)
    return Response(status_code=202)


@router.put(
    "/connectors/{connector}/pause",
    status_code=202,
    response_class=Response,
    responses=faults(404),
)
def pause_connector(name: ConnectorName, service: Service) -> Response:
    service.set_target(name, Target.PAUSED)
    return Response(status_code=202)


@router.put(
    "/connectors/{connector}/resume",
    status_code=202,
    response_class=Response,
    responses=faults(404),
)
def resume_connector(name: ConnectorName, service: Service) -> Response:
    service.set_target(name, Target.RUNNING)
    return Response(status_code=202)


@router.put("/connectors/{connector}/stop", status_code=204, responses=faults(404))
def stop_connector(name: ConnectorName, service: Service) -> Response:
    service.set_target(name, Target.STOPPED)
    return Response(status_code=204)


@router.post(
    "/connectors/{connector}/restart",
    status_code=202,
    response_model=ConnectorStatus,
    response_model_exclude_none=True,
    responses={204: NO_CONTENT, **faults(404)},
)
def restart_connector(
    name: ConnectorName,
    service: Service,
    worker_id: WorkerId,
    include_tasks: Annotated[Flag, Query(alias="includeTasks")] = False,
    only_failed: Annotated[Flag, Query(alias="onlyFailed")] = False,
) -> ConnectorStatus | Response:
    """Answer with the plan if a flag is set, else with nothing."""
    connector, restarting = service.restart(name, only_failed=only_failed)
    if not only_failed and not include_tasks:
        return Response(status_code=204)
    return ConnectorStatus.of(connector, worker_id, restarting=restarting)

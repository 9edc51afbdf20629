"""Routes of connectors: list, create, configure, steer, delete."""

from typing import Annotated
from urllib.parse import quote

from fastapi import APIRouter, Depends, Request, Response

from frazil.contracts.states import Target
from frazil.control_api.api.bodies import FlatConfig, submission
from frazil.control_api.api.deps import ConnectorName, Service, WorkerId, flag
from frazil.control_api.api.models import ConnectorInfo, ConnectorStatus, ConnectorTopics
from frazil.control_api.core.connector import Connector
from frazil.control_api.core.errors import NotFoundError
from frazil.control_api.core.service import Submission

router = APIRouter()

Expanded = dict[str, dict[str, ConnectorInfo | ConnectorStatus]]


@router.get("/connectors", response_model_exclude_none=True)
def list_connectors(
    request: Request, service: Service, worker_id: WorkerId
) -> list[str] | Expanded:
    connectors = service.all()
    wanted = request.query_params.getlist("expand")
    if not wanted:
        return [connector.name for connector in connectors]
    return {connector.name: _expand(connector, wanted, worker_id) for connector in connectors}


def _expand(
    connector: Connector, wanted: list[str], worker_id: str
) -> dict[str, ConnectorInfo | ConnectorStatus]:
    parts: dict[str, ConnectorInfo | ConnectorStatus] = {}
    if "status" in wanted:
        parts["status"] = ConnectorStatus.of(connector, worker_id)
    if "info" in wanted:
        parts["info"] = ConnectorInfo.of(connector)
    return parts


@router.post("/connectors", status_code=201)
def create_connector(
    wanted: Annotated[Submission, Depends(submission)],
    request: Request,
    response: Response,
    service: Service,
) -> ConnectorInfo:
    connector = service.create(wanted)
    response.headers["Location"] = _location(request, connector.name)
    return ConnectorInfo.of(connector)


@router.get("/connectors/{connector}")
def get_connector(name: ConnectorName, service: Service) -> ConnectorInfo:
    return ConnectorInfo.of(service.get(name))


@router.delete("/connectors/{connector}", status_code=204)
def delete_connector(name: ConnectorName, service: Service) -> Response:
    service.delete(name)
    return Response(status_code=204)


@router.get("/connectors/{connector}/config")
def get_config(name: ConnectorName, service: Service) -> dict[str, str]:
    return dict(service.get(name).config)


@router.put("/connectors/{connector}/config")
def put_config(
    name: ConnectorName,
    config: FlatConfig,
    request: Request,
    response: Response,
    service: Service,
) -> ConnectorInfo:
    connector, created = service.configure(name, config)
    if created:
        response.status_code = 201
        response.headers["Location"] = _location(request, name)
    return ConnectorInfo.of(connector)


@router.patch("/connectors/{connector}/config")
def patch_config(name: ConnectorName, changes: FlatConfig, service: Service) -> ConnectorInfo:
    return ConnectorInfo.of(service.patch(name, changes))


@router.get("/connectors/{connector}/status", response_model_exclude_none=True)
def get_status(name: ConnectorName, service: Service, worker_id: WorkerId) -> ConnectorStatus:
    connector = service.find(name)
    if connector is None:
        raise NotFoundError(f"No status found for connector {name}")
    return ConnectorStatus.of(connector, worker_id)


@router.get("/connectors/{connector}/topics")
def get_topics(name: ConnectorName, service: Service) -> dict[str, ConnectorTopics]:
    connector = service.find(name)
    topics = connector.observed.topics if connector else ()
    return {name: ConnectorTopics(topics=list(topics))}


@router.put("/connectors/{connector}/pause", status_code=202)
def pause_connector(name: ConnectorName, service: Service) -> Response:
    service.set_target(name, Target.PAUSED)
    return Response(status_code=202)


@router.put("/connectors/{connector}/resume", status_code=202)
def resume_connector(name: ConnectorName, service: Service) -> Response:
    service.set_target(name, Target.RUNNING)
    return Response(status_code=202)


@router.put("/connectors/{connector}/stop", status_code=204)
def stop_connector(name: ConnectorName, service: Service) -> Response:
    service.set_target(name, Target.STOPPED)
    return Response(status_code=204)


@router.post(
    "/connectors/{connector}/restart",
    status_code=202,
    response_model=ConnectorStatus,
    response_model_exclude_none=True,
)
def restart_connector(
    name: ConnectorName, request: Request, service: Service, worker_id: WorkerId
) -> ConnectorStatus | Response:
    """Answer with the plan if a flag is given, else with nothing."""
    only_failed = flag(request, "onlyFailed")
    connector, restarting = service.restart(name, only_failed=only_failed)
    if not only_failed and not flag(request, "includeTasks"):
        return Response(status_code=204)
    return ConnectorStatus.of(connector, worker_id, restarting=restarting)


def _location(request: Request, name: str) -> str:
    return f"{request.base_url}connectors/{quote(name, safe='')}"

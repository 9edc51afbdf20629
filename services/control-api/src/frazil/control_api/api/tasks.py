"""Routes of tasks: a connector's one worker, dressed as Connect's task 0."""

from fastapi import APIRouter, Request, Response

from frazil.control_api.api.deps import ConnectorName, Service, WorkerId, segment
from frazil.control_api.api.models import ConnectorStatus, TaskInfo, TaskState
from frazil.control_api.core.errors import NotFoundError, RouteNotFoundError

router = APIRouter(prefix="/connectors/{connector}/tasks")


@router.get("")
def list_tasks(name: ConnectorName, service: Service) -> list[TaskInfo]:
    return TaskInfo.all_of(service.get(name))


@router.get("/{task}/status", response_model_exclude_none=True)
def get_task_status(
    request: Request, name: ConnectorName, service: Service, worker_id: WorkerId
) -> TaskState:
    task = _task_id(request)
    connector = service.find(name)
    states = ConnectorStatus.of(connector, worker_id).tasks if connector else []
    for state in states:
        if state.id == task:
            return state
    raise NotFoundError(f"No status found for task {name}-{task}")


@router.post("/{task}/restart", status_code=204)
def restart_task(request: Request, name: ConnectorName, service: Service) -> Response:
    service.restart_task(name, _task_id(request))
    return Response(status_code=204)


def _task_id(request: Request) -> int:
    """Read the task's number; to Connect, anything but a number is another path."""
    raw = segment(request.path_params["task"])
    if not raw.isdecimal():
        raise RouteNotFoundError
    return int(raw)

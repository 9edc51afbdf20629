"""Routes of tasks: the cores of a connector's one worker, as Connect's tasks."""

from fastapi import APIRouter, Response

from frazil.control_api.api.deps import ConnectorName, Service, TaskNumber, WorkerId
from frazil.control_api.api.described import faults
from frazil.control_api.api.models import ConnectorStatus, TaskInfo, TaskState
from frazil.control_api.core.errors import NotFoundError

router = APIRouter(prefix="/connectors/{connector}/tasks")


@router.get("", responses=faults(404))
def list_tasks(name: ConnectorName, service: Service) -> list[TaskInfo]:
    return TaskInfo.all_of(service.get(name))


@router.get("/{task}/status", response_model_exclude_none=True, responses=faults(404))
def get_task_status(
    name: ConnectorName, task: TaskNumber, service: Service, worker_id: WorkerId
) -> TaskState:
    connector = service.find(name)
    states = ConnectorStatus.of(connector, worker_id).tasks if connector else []
    for state in states:
        if state.id == task:
            return state
    raise NotFoundError(f"No status found for task {name}-{task}")


@router.post("/{task}/restart", status_code=204, responses=faults(404))
def restart_task(name: ConnectorName, task: TaskNumber, service: Service) -> Response:
    service.restart_task(name, task)
    return Response(status_code=204)

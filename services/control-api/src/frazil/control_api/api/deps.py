"""What routes ask for: the objects that the application was built with, names, flags."""

from typing import Annotated
from urllib.parse import unquote

from fastapi import Depends, Request

from frazil.control_api.core.errors import RouteNotFoundError
from frazil.control_api.core.health import Vitals
from frazil.control_api.core.service import ConnectorService


def _service(request: Request) -> ConnectorService:
    service: ConnectorService = request.app.state.service
    return service


def _worker_id(request: Request) -> str:
    worker_id: str = request.app.state.worker_id
    return worker_id


def _vitals(request: Request) -> Vitals:
    vitals: Vitals = request.app.state.vitals()
    return vitals


def _connector_name(connector: str) -> str:
    return _decoded(connector)


def _plugin_name(plugin: str) -> str:
    return _decoded(plugin)


def _task_id(task: str) -> int:
    """Read a task's number; to Connect, anything but a number is another path."""
    text = _decoded(task)
    if not (text.isascii() and text.isdecimal()):
        raise RouteNotFoundError
    return int(text)


def _decoded(raw: str) -> str:
    """Decode one segment of a path, once, without the matrix parameters behind a semicolon."""
    return unquote(raw.partition(";")[0])


def flag(request: Request, name: str) -> bool:
    """Read a boolean from the query: anything but a spelling of true is false."""
    return request.query_params.get(name, "").lower() == "true"


Service = Annotated[ConnectorService, Depends(_service)]
WorkerId = Annotated[str, Depends(_worker_id)]
VitalSigns = Annotated[Vitals, Depends(_vitals)]
ConnectorName = Annotated[str, Depends(_connector_name)]
TaskNumber = Annotated[int, Depends(_task_id)]
PluginName = Annotated[str, Depends(_plugin_name)]

"""What routes ask for: the objects that the application was built with, names, flags."""

from typing import Annotated
from urllib.parse import unquote

from fastapi import Depends, Request

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


def _connector_name(request: Request) -> str:
    return segment(request.path_params["connector"])


def _plugin_name(request: Request) -> str:
    return segment(request.path_params["plugin"])


def segment(raw: str) -> str:
    """Decode one segment of a path, once, without the matrix parameters behind a semicolon."""
    return unquote(raw.partition(";")[0])


def flag(request: Request, name: str) -> bool:
    """Read a boolean from the query: anything but a spelling of true is false."""
    return request.query_params.get(name, "").lower() == "true"


Service = Annotated[ConnectorService, Depends(_service)]
WorkerId = Annotated[str, Depends(_worker_id)]
VitalSigns = Annotated[Vitals, Depends(_vitals)]
ConnectorName = Annotated[str, Depends(_connector_name)]
PluginName = Annotated[str, Depends(_plugin_name)]

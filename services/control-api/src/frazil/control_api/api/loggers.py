"""Routes of log levels: what this process says, and how much of it."""

from typing import Annotated
from urllib.parse import unquote

from fastapi import APIRouter, Depends, Request, Response

from frazil.control_api.api.bodies import FlatConfig
from frazil.control_api.api.described import NO_CONTENT, TAKES_LEVEL, faults
from frazil.control_api.api.models import LoggerLevelBody
from frazil.control_api.core.errors import BadRequestError, NotFoundError
from frazil.runtime.log_levels import LEVELS, LogLevels

router = APIRouter(prefix="/admin/loggers")


def _levels(request: Request) -> LogLevels:
    levels: LogLevels = request.app.state.log_levels
    return levels


def _name(logger: str) -> str:
    return unquote(logger)


def _wanted(body: FlatConfig) -> str:
    level = body.get("level")
    if level is None:
        raise BadRequestError("Desired 'level' parameter was not specified in request.")
    if level.upper() not in LEVELS:
        raise NotFoundError(f"invalid log level '{level}'.")
    return level.upper()


Levels = Annotated[LogLevels, Depends(_levels)]
LoggerName = Annotated[str, Depends(_name)]
WantedLevel = Annotated[str, Depends(_wanted)]


@router.get("")
def list_loggers(levels: Levels) -> dict[str, LoggerLevelBody]:
    return {name: LoggerLevelBody.of(level) for name, level in levels.all().items()}


@router.get("/{logger}", responses=faults(404))
def get_logger_level(name: LoggerName, levels: Levels) -> LoggerLevelBody:
    level = levels.get(name)
    if level is None:
        raise NotFoundError(f"Logger {name} not found.")
    return LoggerLevelBody.of(level)


@router.put(
    "/{logger}",
    response_model=list[str],
    openapi_extra=TAKES_LEVEL,
    responses={204: NO_CONTENT, **faults(400, 404)},
)
def set_logger_level(
    name: LoggerName, level: WantedLevel, levels: Levels, scope: str = "worker"
) -> list[str] | Response:
    """Answer with the loggers that changed, or with nothing for all workers (`scope=cluster`)."""
    changed = levels.set(name, level)
    return Response(status_code=204) if scope.lower() == "cluster" else changed

"""The life of one connector in a worker: an assignment comes in, its last words stay behind."""

from collections.abc import Callable
from pathlib import Path

from pydantic import ValidationError
from structlog.contextvars import bind_contextvars

from frazil.contracts.assignment import ASSIGNMENT_FILE, Assignment
from frazil.contracts.exit_code import ExitCode
from frazil.runtime import logs
from frazil.runtime.hiding import Hiding
from frazil.worker.board import StatusBoard
from frazil.worker.errors import BadConfigError, WorkerError
from frazil.worker.trace import trace_of

log = logs.get_logger(__name__)


def read_assignment(folder: Path) -> Assignment:
    try:
        return Assignment.model_validate_json((folder / ASSIGNMENT_FILE).read_text())
    except (OSError, ValidationError) as error:
        raise BadConfigError(f"{folder / ASSIGNMENT_FILE} is not a readable assignment.") from error


def live(
    assignment: Assignment, board: StatusBoard, work: Callable[[], None], *, hiding: Hiding
) -> ExitCode:
    """Work until it is done or fails, and leave behind how it ended."""
    hiding.add(assignment.secrets)
    # From here on each line of the log says whose it is.
    bind_contextvars(connector=assignment.connector, epoch=assignment.epoch)
    log.info("worker_started", generation=assignment.generation, port=board.status.port)
    failure = _failure_of(work)
    exit_code = exit_code_of(failure)
    board.end(exit_code, None if failure is None else hiding(trace_of(failure)))
    log.info("worker_ended", exit_code=exit_code.name)
    return exit_code


def _failure_of(work: Callable[[], None]) -> Exception | None:
    try:
        work()
    except WorkerError as error:
        log.error("worker_failed", why=str(error))
        return error
    except Exception as error:  # the edge: whatever it was, it becomes the exit code
        log.exception("worker_crashed")
        return error
    return None


def exit_code_of(error: Exception | None) -> ExitCode:
    if error is None:
        return ExitCode.OK
    return error.exit_code if isinstance(error, WorkerError) else ExitCode.CRASHED

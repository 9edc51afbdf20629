"""Bounded waiting for a child process to be of use."""

import time
from collections import deque
from collections.abc import Callable
from pathlib import Path

from frazil.runtime.child import Child
from frazil.runtime.errors import UserError

_POLL_SECONDS = 0.1
_LINES_OF_LOG = 15


class ServiceFailedError(UserError):
    def __init__(self, name: str, *, reason: str, log: Path) -> None:
        super().__init__(f"{name} {reason}. The end of its log ({log}):\n{tail(log)}")


def wait_until_ready(
    name: str, ready: Callable[[], bool], *, child: Child, log: Path, seconds: float
) -> None:
    """Return when `ready()`; raise ServiceFailedError if the child ends or the time does."""
    deadline = time.monotonic() + seconds
    while not ready():
        if not child.is_alive():
            raise ServiceFailedError(name, reason="ended at once", log=log)
        if time.monotonic() > deadline:
            raise ServiceFailedError(name, reason=f"did not answer within {seconds:g} s", log=log)
        time.sleep(_POLL_SECONDS)


def tail(log: Path, lines: int = _LINES_OF_LOG) -> str:
    if not log.exists():
        return ""
    with log.open(errors="replace") as file:
        return "".join(deque(file, maxlen=lines))

"""A file whose age tells a container's health check whether the loops still turn."""

import time
from pathlib import Path
from tempfile import gettempdir

_NAME = "frazil-log-generator.alive"
_OLDEST_SECONDS = 60.0


def _file() -> Path:
    return Path(gettempdir()) / _NAME


def beat() -> None:
    _file().touch()


def is_beating() -> bool:
    try:
        return time.time() - _file().stat().st_mtime < _OLDEST_SECONDS
    except FileNotFoundError:
        return False

"""Which program runs which kind of worker; its one argument is the run folder."""

import sys
from pathlib import Path

from frazil.control_api.core.errors import EngineError

_MODULES = {"spark-sink": "frazil.spark_sink"}


def command(kind: str, folder: Path) -> list[str]:
    if kind not in _MODULES:
        raise EngineError(f"no program is known for workers of the kind {kind}")
    return [sys.executable, "-m", _MODULES[kind], str(folder)]

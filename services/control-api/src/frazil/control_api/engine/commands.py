"""The program of a worker: kind `spark-sink` is `frazil.spark_sink`; its argument is the folder."""

import sys
from importlib.util import find_spec
from pathlib import Path

from frazil.control_api.core.errors import EngineError


def command(kind: str, folder: Path) -> list[str]:
    module = module_of(kind)
    if find_spec(module) is None:
        raise EngineError(f"workers of the kind {kind} are not installed here")
    return [sys.executable, "-m", module, str(folder)]


def module_of(kind: str) -> str:
    return f"frazil.{kind.replace('-', '_')}"

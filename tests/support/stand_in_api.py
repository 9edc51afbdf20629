"""The control API as a program, but its workers are stand-ins."""

from pathlib import Path
from typing import Any
from unittest.mock import patch

from tests.support.stand_in import stand_in

from frazil.control_api.__main__ import main
from frazil.control_api.engine.process import ProcessEngine


def _engine(root: Path, **options: Any) -> ProcessEngine:
    return ProcessEngine(root, lambda _kind, folder: stand_in(folder), **options)


if __name__ == "__main__":
    with patch("frazil.control_api.plant.ProcessEngine", _engine):
        main()

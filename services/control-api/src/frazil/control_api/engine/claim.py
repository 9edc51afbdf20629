"""Sole charge of some workers: a lock on a file, which the kernel drops with this process."""

from pathlib import Path

from frazil.control_api.core.errors import EngineError
from frazil.runtime.alone import HeldLock
from frazil.runtime.private import private_folder


class Claim:
    """Two reconcilers on the same workers would end each other's."""

    def __init__(self, file: Path) -> None:
        self._folder = file.parent
        self._lock = HeldLock(file)

    def take(self) -> None:
        """Blocks for a moment. Raises EngineError while somebody else holds it."""
        private_folder(self._folder)
        if not self._lock.take():
            raise EngineError(f"another control API looks after the workers in {self._folder}")

    def release(self) -> None:
        self._lock.release()

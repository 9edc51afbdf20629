"""A worker's log: its writer begins a new file now and then, and keeps the one before."""

import os
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import IO, Self

from frazil.contracts.assignment import older_log
from frazil.control_api.engine.log_file import BLOCK, last_lines


class LogReader:
    """All methods block. Raises FileNotFoundError if there is no log."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._file: IO[bytes] = path.open("rb")

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        self._file.close()

    def tail(self, count: int, concerns: Callable[[bytes], bool]) -> list[bytes]:
        """Return so many lines, also of the file before, and last what has no line end yet."""
        # One more than wanted: the first of a file may have begun in the file before.
        lines = last_lines(self._file, count + 1, concerns)
        if len(lines) < count + 2:
            with suppress(FileNotFoundError), older_log(self._path).open("rb") as older:
                *before, rest = last_lines(older, count, concerns)
                lines = [*before, rest + lines[0], *lines[1:]]
        return lines[-count - 1 :]

    def read(self) -> bytes:
        """Return what was written since, in pieces; nothing if there is no more for now."""
        block = self._file.read(BLOCK)
        if block or not self._is_replaced():
            return block
        # The writer had turned to the new file before that got the name: this is the rest.
        block = self._file.read(BLOCK)
        if not block:
            self._file.close()
            self._file = self._path.open("rb")
            block = self._file.read(BLOCK)
        return block

    def _is_replaced(self) -> bool:
        try:
            return not os.path.samestat(self._path.stat(), os.fstat(self._file.fileno()))
        except FileNotFoundError:
            return False

"""A file that is read again when it has changed, while the process goes on."""

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Generic, TypeVar

from frazil.runtime.logs import get_logger

log = get_logger(__name__)

_PERIOD = 1.0

_Content = TypeVar("_Content")
_Stamp = tuple[int, int, int, int]


class WatchedFile(Generic[_Content]):
    """Holds what the file said when it was last good."""

    def __init__(
        self,
        file: Path,
        parse: Callable[[str], _Content],
        *,
        called: str,
        error: type[Exception],
    ) -> None:
        """Raise `error`, as `parse` does, if the file cannot be used; the message names the file.

        Its events in the log begin with what it is `called`.
        """
        self._file = file
        self._parse = parse
        self._good, self._bad = f"{called}_read", f"{called}_not_read"
        self._error = error
        self._read_at, self.content = self._read()

    async def watch_loop(self) -> None:
        while True:
            await asyncio.sleep(_PERIOD)
            await self.reread()

    async def reread(self) -> None:
        """Take over a file that has changed; one that cannot be used changes nothing."""
        try:
            if await asyncio.to_thread(_stamp, self._file) == self._read_at:
                return
            self._read_at, self.content = await asyncio.to_thread(self._read)
        except (OSError, self._error) as error:
            log.warning(self._bad, why=str(error))
            return
        log.info(self._good, file=str(self._file))

    def _read(self) -> tuple[_Stamp, _Content]:
        try:
            # Looked at first: what changes in between is read again.
            stamp = _stamp(self._file)
            return stamp, self._parse(self._file.read_text(encoding="utf-8"))
        except (OSError, UnicodeDecodeError) as error:
            # The rest of what they say may show a piece of the file.
            raise self._error(f"{self._file} cannot be read: {type(error).__name__}") from None
        except self._error as error:
            raise self._error(f"{self._file} cannot be used: {error}") from None


def _stamp(file: Path) -> _Stamp:
    found = file.stat()
    return found.st_mtime_ns, found.st_size, found.st_ino, found.st_mode

"""One process at a time: locks on files, which the kernel drops with whoever holds them."""

import fcntl
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from frazil.runtime.private import private_file


@contextmanager
def alone(file: Path) -> Iterator[None]:
    """Hold the lock of a file, which is made if needed and stays; wait for whoever has it."""
    file.parent.mkdir(parents=True, exist_ok=True)
    with file.open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def try_lock(file: IO[str], kind: int) -> bool:
    """Take a lock if nobody holds one that forbids it; closing the file lets go of it."""
    try:
        fcntl.flock(file, kind | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


class HeldLock:
    """The lock of a file for as long as one likes, or not at all: nobody waits for it."""

    def __init__(self, file: Path) -> None:
        self._file = file
        self._held: IO[str] | None = None

    def take(self) -> bool:
        """Return whether we hold it now, be it since before."""
        if self._held is not None:
            return True
        self._file.parent.mkdir(parents=True, exist_ok=True)
        held = self._file.open("w")
        # Who may open it may hold it, and so forbid it to us.
        private_file(self._file)
        if not try_lock(held, fcntl.LOCK_EX):
            held.close()
            return False
        self._held = held
        return True

    def release(self) -> None:
        if self._held is not None:
            self._held.close()
            self._held = None

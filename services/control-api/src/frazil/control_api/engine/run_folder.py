"""One run folder: the assignment, the lock that proves life, and what the worker leaves behind.

The lock is an flock on an open file that the worker inherits. The kernel drops it with the worker,
however that ends, so "does it live?" is "is it locked?", also for an API that was started later.
"""

import fcntl
import os
import shutil
import subprocess
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from pydantic import ValidationError

from frazil.contracts.assignment import ASSIGNMENT_FILE, STATUS_FILE, Assignment
from frazil.contracts.worker_status import WorkerStatus

_LOG_TAIL_BYTES = 4000
_LOG_TAIL_LINES = 20


@dataclass(frozen=True, slots=True)
class RunFolder:
    """All methods block."""

    path: Path

    @property
    def epoch(self) -> int:
        return int(self.path.name)

    def spawn(
        self, assignment: Assignment, command: Callable[[Path], Sequence[str]]
    ) -> "subprocess.Popen[bytes] | None":
        """Start the worker; None if it lives already. What a cut-off start left is replaced."""
        self.path.mkdir(parents=True, exist_ok=True)
        with (self.path / "lock").open("w") as lock:
            if not locked(lock, fcntl.LOCK_EX):
                return None
            self._clear()
            self._write_assignment(assignment)
            with (self.path / "worker.log").open("wb") as log:
                process = subprocess.Popen(
                    command(self.path),
                    cwd=self.path,
                    stdin=subprocess.DEVNULL,
                    stdout=log,
                    stderr=subprocess.STDOUT,
                    pass_fds=(lock.fileno(),),
                    start_new_session=True,  # signals to the API's terminal are not for workers
                )
        # Leaving the block closed our copy of the lock: from here on only the worker holds it.
        self._pid_file.write_text(str(process.pid))
        return process

    def is_alive(self) -> bool:
        try:
            with (self.path / "lock").open() as lock:
                return not locked(lock, fcntl.LOCK_SH)
        except FileNotFoundError:
            return False

    def was_spawned(self) -> bool:
        return self._pid_file.exists() or (self.path / STATUS_FILE).exists()

    def status(self) -> WorkerStatus | None:
        try:
            return WorkerStatus.model_validate_json((self.path / STATUS_FILE).read_bytes())
        except (FileNotFoundError, ValidationError):
            return None

    def signal(self, send: Callable[[int], None]) -> None:
        """Call with the worker's process id, if it lives: only then is the number its own."""
        pid = self._pid()
        if pid is not None and self.is_alive():
            with suppress(ProcessLookupError):
                send(pid)

    def log_tail(self) -> str:
        try:
            with (self.path / "worker.log").open("rb") as log:
                size = log.seek(0, os.SEEK_END)
                log.seek(max(size - _LOG_TAIL_BYTES, 0))
                text = log.read().decode(errors="replace")
        except FileNotFoundError:
            return ""
        return "\n".join(text.splitlines()[-_LOG_TAIL_LINES:])

    def remove(self) -> None:
        shutil.rmtree(self.path, ignore_errors=True)

    @property
    def _pid_file(self) -> Path:
        return self.path / "pid"

    def _pid(self) -> int | None:
        with suppress(FileNotFoundError, ValueError):
            return int(self._pid_file.read_text())
        status = self.status()
        return status.pid if status else None

    def _clear(self) -> None:
        for file in (self._pid_file, self.path / STATUS_FILE):
            file.unlink(missing_ok=True)

    def _write_assignment(self, assignment: Assignment) -> None:
        with _private(self.path / ASSIGNMENT_FILE) as file:
            file.write(assignment.model_dump_json())


@contextmanager
def _private(path: Path) -> Iterator[IO[str]]:
    """Open a new file that nobody but its owner has ever been able to read."""
    path.unlink(missing_ok=True)
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
        yield file


def locked(file: IO[str], kind: int) -> bool:
    """Try to take a lock; false if somebody holds one that forbids it."""
    try:
        fcntl.flock(file, kind | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True

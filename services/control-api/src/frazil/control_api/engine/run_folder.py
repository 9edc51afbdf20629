"""One run folder: the assignment, the lock that proves life, and what the worker leaves behind."""

import os
import shutil
import subprocess
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from pydantic import ValidationError

from frazil.contracts.assignment import ASSIGNMENT_FILE, STATUS_FILE, Assignment
from frazil.contracts.worker_status import WorkerStatus
from frazil.runtime.child import Child, ChildRunsError

_LOG_TAIL_BYTES = 4000
_LOG_TAIL_LINES = 20


@dataclass(frozen=True, slots=True)
class RunFolder:
    """All methods block."""

    path: Path

    @property
    def epoch(self) -> int:
        return int(self.path.name)

    @property
    def log(self) -> Path:
        return self.path / "worker.log"

    @property
    def _child(self) -> Child:
        return Child(self.path)

    def spawn(
        self,
        assignment: Assignment,
        command: Callable[[Path], Sequence[str]],
        *,
        environment: Mapping[str, str] | None = None,
    ) -> "subprocess.Popen[bytes] | None":
        """Start the worker; None if it lives already. What a cut-off start left is replaced."""

        def prepare() -> Sequence[str]:
            (self.path / STATUS_FILE).unlink(missing_ok=True)
            with _private(self.path / ASSIGNMENT_FILE) as file:
                file.write(assignment.model_dump_json())
            return command(self.path)

        try:
            return self._child.spawn(prepare, log=self.log, environment=environment)
        except ChildRunsError:
            return None

    def is_alive(self) -> bool:
        return self._child.is_alive()

    def was_spawned(self) -> bool:
        return (self.path / "pid").exists() or (self.path / STATUS_FILE).exists()

    def status(self) -> WorkerStatus | None:
        try:
            return WorkerStatus.model_validate_json((self.path / STATUS_FILE).read_bytes())
        except (FileNotFoundError, ValidationError):
            return None

    def status_written(self) -> int:
        """Return when the status was written last, in nanoseconds; 0 if it never was."""
        try:
            return (self.path / STATUS_FILE).stat().st_mtime_ns
        except FileNotFoundError:
            return 0

    def signal(self, send: Callable[[int], None]) -> None:
        """Call with the worker's process id, if it lives: only then is the number its own."""
        pid = self._pid()
        if pid is not None and self.is_alive():
            with suppress(ProcessLookupError):
                send(pid)

    def log_tail(self) -> str:
        try:
            with self.log.open("rb") as log:
                size = log.seek(0, os.SEEK_END)
                log.seek(max(size - _LOG_TAIL_BYTES, 0))
                text = log.read().decode(errors="replace")
        except FileNotFoundError:
            return ""
        return "\n".join(text.splitlines()[-_LOG_TAIL_LINES:])

    def remove(self) -> None:
        shutil.rmtree(self.path, ignore_errors=True)

    def _pid(self) -> int | None:
        """Ask the child's folder, or the worker itself when we were killed before we noted it."""
        status = self.status()
        return self._child.pid or (status.pid if status else None)


@contextmanager
def _private(path: Path) -> Iterator[IO[str]]:
    """Open a new file that nobody but its owner has ever been able to read."""
    path.unlink(missing_ok=True)
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
        yield file

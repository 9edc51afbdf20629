"""One run folder: the assignment, the lock that proves life, and what the worker leaves behind.

The worker is a process of its own, or a member of a host: then a link in the folder leads to it.
"""

import os
import shutil
import signal
import subprocess
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import IO

from pydantic import ValidationError

from frazil.contracts.assignment import ASSIGNMENT_FILE, LOG_FILE, STATUS_FILE, Assignment
from frazil.contracts.hosting import HOST_LINK, KILL_FILE, STOP_FILE
from frazil.contracts.naming import connector_of
from frazil.contracts.worker_status import WorkerStatus
from frazil.control_api.engine.host_folder import HostFolder
from frazil.control_api.engine.log_file import (
    LOG_TAIL_LINES,
    as_tail,
    everybody,
    is_about,
)
from frazil.control_api.engine.log_reader import LogReader
from frazil.runtime.child import Child, ChildRunsError
from frazil.runtime.private import private_folder

# A member that has not ended by then is beyond help, and so is its host.
_KILL_SECONDS = 10.0


@dataclass(frozen=True, slots=True)
class RunFolder:
    """All methods block."""

    path: Path

    @property
    def epoch(self) -> int:
        return int(self.path.name)

    @property
    def host(self) -> HostFolder | None:
        link = self.path / HOST_LINK
        return HostFolder(link.resolve()) if link.is_symlink() else None

    @property
    def log(self) -> Path:
        """Where the worker writes; a host's log has lines of others too."""
        host = self.host
        return host.log if host else self.path / LOG_FILE

    @property
    def assignment(self) -> Assignment | None:
        try:
            return Assignment.model_validate_json((self.path / ASSIGNMENT_FILE).read_bytes())
        except (FileNotFoundError, ValidationError):
            return None

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
            self._write(assignment)
            return command(self.path)

        try:
            return self._child.spawn(prepare, log=self.log, environment=environment)
        except ChildRunsError:
            return None

    def lay_down(self, assignment: Assignment, host: HostFolder) -> None:
        """Have a host take it up."""
        private_folder(self.path)
        self._write(assignment)
        (self.path / HOST_LINK).symlink_to(host.path)
        host.link(self.path)

    def is_alive(self) -> bool:
        return self._child.is_alive()

    def waits(self) -> bool:
        """Tell whether a living host is about to take it up."""
        host = self.host
        return host is not None and host.has_link(self.path) and host.is_alive()

    def was_spawned(self) -> bool:
        if (self.path / STATUS_FILE).exists():
            return True
        host = self.host
        return host.died_on(self.path) if host else self._child.started_ns is not None

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

    def stop(self) -> None:
        """Ask the worker to end, if it lives."""
        if self.host is None:
            self._signal(lambda pid: os.kill(pid, signal.SIGTERM))
        elif self.is_alive():
            (self.path / STOP_FILE).touch()

    def kill(self) -> None:
        """End the worker, if it lives; a member that does not obey takes its host with it."""
        if self.host is None:
            self._signal(lambda pid: os.killpg(pid, signal.SIGKILL))
        elif self.is_alive():
            asked = self.path / KILL_FILE
            if not asked.exists():
                asked.touch()
            elif time.time() - asked.stat().st_mtime > _KILL_SECONDS:
                self.host.kill()

    def _signal(self, send: Callable[[int], None]) -> None:
        """Call with the worker's process id, if it lives: only then is the number its own."""
        pid = self._pid()
        if pid is not None and self.is_alive():
            with suppress(ProcessLookupError):
                send(pid)

    def log_tail(self) -> str:
        try:
            with LogReader(self.log) as log:
                return as_tail(b"\n".join(log.tail(LOG_TAIL_LINES, self.concern())))
        except FileNotFoundError:
            return ""

    def concern(self) -> Callable[[bytes], bool]:
        """Return what tells whether a line of the log is the worker's, or of a whole host."""
        if self.host is None:
            return everybody
        connector = connector_of(self.path.parent.name)
        return partial(is_about, connector=connector, epoch=self.epoch)

    def remove(self) -> None:
        shutil.rmtree(self.path, ignore_errors=True)

    def _write(self, assignment: Assignment) -> None:
        for left in (STATUS_FILE, STOP_FILE, KILL_FILE, HOST_LINK):
            (self.path / left).unlink(missing_ok=True)
        with _private(self.path / ASSIGNMENT_FILE) as file:
            file.write(assignment.model_dump_json())

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

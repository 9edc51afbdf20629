"""A child process that outlives its parent and is found again by a lock that it holds.

The lock is the proof of life: the kernel drops it with the process, however that ends, and unlike
a process id it is never given to somebody else.
"""

import fcntl
import os
import signal
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from frazil.runtime.alone import HeldLock, try_lock
from frazil.runtime.private import private_folder

_POLL_SECONDS = 0.05
_KILL_SECONDS = 10.0


class ChildRunsError(Exception):
    """The child that was to be started is there already."""


@dataclass(frozen=True)
class Child:
    """One process, kept in its folder as `lock` and `pid`."""

    folder: Path

    def start(self, command: Sequence[str], *, environment: Mapping[str, str], log: Path) -> int:
        """Start detached and let go: the lock alone tells how it fares. Raises ChildRunsError."""
        process = self.spawn(lambda: command, environment=environment, log=log)
        # A Popen that is dropped unfinished would complain.
        process.returncode = 0
        return process.pid

    def spawn(
        self,
        prepare: Callable[[], Sequence[str]],
        *,
        log: Path,
        environment: Mapping[str, str] | None = None,
    ) -> "subprocess.Popen[bytes]":
        """Start detached, and keep hold of the process. Raises ChildRunsError.

        `prepare` is called once it is sure that nobody else lives in the folder; it may fill the
        folder, and returns the command.
        """
        private_folder(self.folder)
        log.parent.mkdir(parents=True, exist_ok=True)
        with self._lock_file.open("w") as lock, log.open("ab") as output:
            if not try_lock(lock, fcntl.LOCK_EX):
                raise ChildRunsError(str(self.folder))
            self._pid_file.unlink(missing_ok=True)
            process = subprocess.Popen(
                prepare(),
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                env=environment,
                pass_fds=(lock.fileno(),),
                start_new_session=True,
            )
        # Leaving the block closed our copy of the lock: from here on only the child holds it.
        self._pid_file.write_text(str(process.pid))
        return process

    def is_alive(self) -> bool:
        try:
            with self._lock_file.open() as lock:
                return not try_lock(lock, fcntl.LOCK_SH)
        except FileNotFoundError:
            return False

    @property
    def pid(self) -> int | None:
        """The process id, if the child lives."""
        if not self.is_alive():
            return None
        with suppress(FileNotFoundError, ValueError):
            return int(self._pid_file.read_text())
        return None

    @property
    def started_ns(self) -> int | None:
        """When the last child here was started, in nanoseconds; None if there never was one."""
        with suppress(FileNotFoundError):
            return self._pid_file.stat().st_mtime_ns
        return None

    def stop(self, grace: float) -> bool:
        """End it with SIGTERM, and all its process group with SIGKILL when the grace is over.

        Returns whether it ended by itself.
        """
        self.ask_to_stop()
        if self._ended_within(grace):
            return True
        self.kill()
        self._ended_within(_KILL_SECONDS)
        return False

    def kill(self) -> None:
        """End all its process group now."""
        pid = self.pid
        if pid is not None:
            with suppress(ProcessLookupError):
                os.killpg(pid, signal.SIGKILL)

    def ask_to_stop(self) -> None:
        pid = self.pid
        if pid is not None:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGTERM)

    def _ended_within(self, seconds: float) -> bool:
        deadline = time.monotonic() + seconds
        while self.is_alive():
            if time.monotonic() > deadline:
                return False
            time.sleep(_POLL_SECONDS)
        return True

    @property
    def life(self) -> HeldLock:
        """The lock to be held by a process that nobody has started for this folder alone."""
        return HeldLock(self._lock_file)

    @property
    def _lock_file(self) -> Path:
        return self.folder / "lock"

    @property
    def _pid_file(self) -> Path:
        return self.folder / "pid"

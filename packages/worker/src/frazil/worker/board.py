"""The status board: one current status of the worker, for its probes and its status file."""

import os
import threading
from datetime import UTC, datetime
from pathlib import Path

from frazil.contracts.assignment import STATUS_FILE, Assignment
from frazil.contracts.exit_code import ExitCode
from frazil.contracts.states import WorkerState
from frazil.contracts.worker_status import WorkerStatus


class StatusBoard:
    """Written by the loop and the stream's thread, read by the probes' threads."""

    def __init__(self, folder: Path, assignment: Assignment) -> None:
        self.folder = folder
        self._file = folder / STATUS_FILE
        self._lock = threading.Lock()
        self._status = WorkerStatus(
            connector=assignment.connector,
            epoch=assignment.epoch,
            generation=assignment.generation,
            pid=os.getpid(),
            since=datetime.now(UTC),
        )
        self.update()

    @property
    def status(self) -> WorkerStatus:
        with self._lock:
            return self._status

    def update(self, **changes: object) -> None:
        with self._lock:
            self._status = self._status.model_copy(update=changes)
            # Readers never see half a file, and the last one survives a kill.
            draft = self._file.with_suffix(".tmp")
            draft.write_text(self._status.model_dump_json())
            draft.replace(self._file)

    def enter(self, state: WorkerState) -> None:
        if state is not self.status.state:
            self.update(state=state, since=datetime.now(UTC))

    def end(self, exit_code: ExitCode, trace: str | None) -> None:
        state = WorkerState.STOPPED if exit_code is ExitCode.OK else WorkerState.FAILED
        self.update(state=state, since=datetime.now(UTC), exit_code=exit_code, trace=trace)

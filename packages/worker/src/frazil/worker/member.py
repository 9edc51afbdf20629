"""One connector in a host: a run folder like any other, but without a process of its own."""

import threading
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from frazil.contracts.assignment import STATUS_FILE, Assignment
from frazil.contracts.hosting import KILL_FILE, STOP_FILE
from frazil.runtime.child import Child
from frazil.runtime.contexts import in_this_context
from frazil.runtime.hiding import Hiding
from frazil.worker.board import StatusBoard
from frazil.worker.life import live, read_assignment
from frazil.worker.probes import Boards

# Raises WorkerError, or whatever else the connector's work ends with.
Work = Callable[[Assignment, StatusBoard, threading.Event], None]


class Member:
    """Its thread lives from its start on until the work is done; the lock in the folder says so."""

    def __init__(self, link: Path, boards: Boards, work: Work, *, hiding: Hiding) -> None:
        self._link = link
        self._folder = link.resolve()
        self._lock = Child(self._folder).life
        self._boards = boards
        self._work = work
        self._hiding = hiding
        self.stop = threading.Event()
        self.name: str | None = None
        self._thread = threading.Thread(
            target=in_this_context(self._run), name="member", daemon=True
        )

    def begin(self, port: int) -> bool:
        """Take up the assignment; a link to one that somebody has had before is removed.

        A folder may be looked at by somebody just now, which is a matter of trying again.
        """
        if (self._folder / STATUS_FILE).exists() or not self._folder.exists():
            self._link.unlink(missing_ok=True)
            return False
        if not self._lock.take():
            return False
        self._port = port
        self._thread.start()
        return True

    def look(self) -> bool:
        """Pass on what is asked of it; tell whether it is to be ended whatever it is doing."""
        killed = (self._folder / KILL_FILE).exists()
        if killed or (self._folder / STOP_FILE).exists():
            self.stop.set()
        return killed

    @property
    def is_alive(self) -> bool:
        return self._thread.is_alive()

    def join(self, seconds: float) -> None:
        self._thread.join(seconds)

    def _run(self) -> None:
        try:
            self._live()
        finally:
            # The lock last: whoever sees it free finds all the rest done.
            with suppress(FileNotFoundError):
                self._link.unlink()
            self._lock.release()

    def _live(self) -> None:
        assignment = read_assignment(self._folder)
        self.name = assignment.connector
        board = self._boards.add(StatusBoard(self._folder, assignment))
        try:
            board.update(port=self._port)
            live(
                assignment,
                board,
                lambda: self._work(assignment, board, self.stop),
                hiding=self._hiding,
            )
        finally:
            self._boards.remove(board)

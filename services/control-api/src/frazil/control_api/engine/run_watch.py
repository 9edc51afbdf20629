"""Notices what has become of the newest run of each connector, by files alone and cheaply."""

from collections.abc import Callable, Iterable

from frazil.contracts.states import WorkerState
from frazil.control_api.engine.run_folder import RunFolder

_Sight = tuple[int, bool, WorkerState | None]


class RunWatch:
    """Compares one look with the one before. Looks block for milliseconds.

    A status file is read again only if it was written again; one that tells of progress alone is
    no change.
    """

    def __init__(self, newest: Callable[[], Iterable[tuple[str, RunFolder]]]) -> None:
        self._newest = newest
        self._read: dict[str, tuple[int, int, WorkerState | None]] = {}
        self._seen = self._look()

    def changed(self) -> list[str]:
        """Return the connectors whose newest run began, ended or changed its state."""
        before, self._seen = self._seen, self._look()
        names = before.keys() | self._seen.keys()
        return sorted(name for name in names if before.get(name) != self._seen.get(name))

    def _look(self) -> dict[str, _Sight]:
        sights = {
            name: (folder.epoch, folder.is_alive(), self._state(name, folder))
            for name, folder in self._newest()
        }
        self._read = {name: read for name, read in self._read.items() if name in sights}
        return sights

    def _state(self, name: str, folder: RunFolder) -> WorkerState | None:
        written = folder.status_written()
        epoch, when, state = self._read.get(name, (0, 0, None))
        if (epoch, when) != (folder.epoch, written):
            status = folder.status()
            state = status.state if status else None
            self._read[name] = (folder.epoch, written, state)
        return state

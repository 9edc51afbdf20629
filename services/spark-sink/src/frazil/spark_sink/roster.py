"""How it stands with each store of a connector, and where those were left that others went past."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime

from frazil.contracts.offsets import Offsets, count_between
from frazil.contracts.states import TableState
from frazil.contracts.worker_status import TableStatus
from frazil.spark_sink.counts import BatchCounts
from frazil.spark_sink.outcome import with_commit
from frazil.spark_sink.store import SchemaWaitsError


def lag(reached: Offsets, tables: Mapping[str, TableStatus], newest: Offsets) -> int:
    """Count what is not written yet: a store that was left lacks what the others went past too."""
    places = [reached, *(table.position for table in tables.values() if table.position)]
    return max(0, *(count_between(place, newest) for place in places))


class Roster:
    def __init__(
        self, listed: Iterable[str], paused: Iterable[str], branch: str | None = None
    ) -> None:
        """Records may name any store where none is listed, and so any may be paused."""
        known, left = set(listed), set(paused)
        self.tables = {name: TableStatus(branch=branch) for name in listed}
        for name in left & (known or left):
            self._update(name, state=TableState.PAUSED)
        self._held: Offsets | None = None

    def state(self, name: str) -> TableState:
        return self.tables.setdefault(name, TableStatus()).state

    def running(self, names: Iterable[str]) -> list[str]:
        return [name for name in names if self.state(name) is TableState.RUNNING]

    def enter(self, name: str, state: TableState, error: BaseException | None = None) -> None:
        self._update(name, state=state, trace=None if error is None else str(error))

    def leave(self, name: str, error: BaseException) -> None:
        """Set a store aside for what is wrong with it, or until a person has decided."""
        if isinstance(error, SchemaWaitsError):
            self._update(name, changes=error.changes)
            self.enter(name, TableState.WAITING, error)
        else:
            self.enter(name, TableState.FAILED, error)

    def has_given_up(self, listed: Sequence[str]) -> bool:
        """Tell whether there are stores, and none of them is written or will be once it may."""
        over = (TableState.PAUSED, TableState.FAILED)
        return bool(listed) and all(self.state(name) in over for name in listed)

    def hold(self, start: Offsets) -> None:
        """Keep in mind where stores were left that are set aside."""
        for name, table in self.tables.items():
            if table.state.is_left and not table.position:
                self._held = self._held or start
                self._update(name, position=start)

    def everywhere(self, reached: Offsets) -> Offsets:
        """Return before which all is in every store, where the running ones have reached this."""
        return self._held or reached

    def tell_behind(self, end: Offsets) -> None:
        for name, table in self.tables.items():
            if table.position:
                self._update(name, behind=count_between(table.position, end))

    def tell_through(self, through: datetime | None) -> datetime | None:
        """Note it of the stores that run, and return it unless all are left: it is true of none."""
        for name in self.running(list(self.tables)):
            if through is not None:
                self._update(name, valid_through=through)
        is_left = [table.state.is_left for table in self.tables.values()]
        return None if is_left and all(is_left) else through

    def tell_commit(self, name: str, counts: BatchCounts) -> None:
        self.tables[name] = with_commit(self.tables[name], counts)

    def missed(self, counts: Mapping[str, int]) -> int:
        """Count records for tables that are not there; as in Kafka Connect they are left out."""
        return sum(n for name, n in counts.items() if self.state(name) is TableState.MISSING)

    def _update(self, name: str, **changes: object) -> None:
        known = self.tables.setdefault(name, TableStatus())
        self.tables[name] = known.model_copy(update=changes)

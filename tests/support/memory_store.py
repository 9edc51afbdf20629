"""A store in memory, for tests that make many thousand passes."""

from collections.abc import Callable
from dataclasses import replace

from frazil.contracts.offsets import Rewind
from frazil.contracts.states import Target
from frazil.control_api.core.connector import Connector, Observed, Phase


class MemoryStore:
    """The part of the store's port that the reconciler and the use cases need: no history."""

    def __init__(self) -> None:
        self._wanted: dict[str, Connector] = {}
        self._observed: dict[str, Observed] = {}
        self._rewinds: dict[str, Rewind] = {}

    def all(self) -> list[Connector]:
        return [self._whole(self._wanted[name]) for name in sorted(self._wanted)]

    def get(self, name: str) -> Connector | None:
        wanted = self._wanted.get(name)
        return None if wanted is None else self._whole(wanted)

    def look(self, name: str) -> tuple[Connector, int]:
        phases = [seen.phase for other, seen in self._observed.items() if other != name]
        wanted = self._wanted.get(name, Connector(name, {}, Target.DELETED))
        return self._whole(wanted), phases.count(Phase.STARTING)

    def change(self, name: str, change: Callable[[Connector | None], Connector]) -> Connector:
        wanted = self._wanted[name] = change(self.get(name))
        if wanted.rewind is not None:
            self._rewinds[name] = wanted.rewind
        return self._whole(wanted)

    def record(self, name: str, observed: Observed) -> None:
        self._observed[name] = observed

    def remove(self, name: str) -> bool:
        wanted = self._wanted.get(name)
        if wanted is not None and not wanted.is_deleted:
            return False
        self._wanted.pop(name, None)
        seen = self._observed.get(name, Observed())
        self._observed[name] = Observed(epoch=seen.epoch, rewind=seen.rewind)
        return True

    def _whole(self, wanted: Connector) -> Connector:
        name = wanted.name
        observed = self._observed.get(name, Observed())
        return replace(wanted, observed=observed, rewind=self._rewinds.get(name))

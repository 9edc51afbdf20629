"""What the core needs of the world. Adapters stand beside each other and meet only here."""

from collections.abc import Callable
from typing import Protocol

from frazil.contracts.assignment import Assignment
from frazil.control_api.core.connector import Connector, Observed
from frazil.control_api.core.observation import Observation


class Clock(Protocol):
    def now(self) -> float:
        """Seconds since 1970."""


class ConnectorStore(Protocol):
    """Connectors by name. Calls block: never make one from an event loop."""

    def all(self) -> list[Connector]:
        """Return every connector in the order of names, the deleted ones too."""

    def get(self, name: str) -> Connector | None: ...

    def change(self, name: str, change: Callable[[Connector | None], Connector]) -> Connector:
        """Replace what is wanted of a connector, in one transaction; `observed` is left alone.

        The function gets the present record (None: there is none) and may raise, which changes
        nothing. No other change comes in between.
        """

    def starting(self) -> set[str]:
        """Return the names of connectors that were last seen starting."""

    def record(self, name: str, observed: Observed) -> None:
        """Write what was seen and done last, also of a connector that is not stored."""

    def remove(self, name: str) -> bool:
        """Forget a connector; False, and nothing happens, if it is wanted again meanwhile."""


class Engine(Protocol):
    """Runs workers. Nothing here waits for a worker, and all may be repeated without harm."""

    async def start(self, assignment: Assignment, kind: str) -> None:
        """Start a worker of this kind.

        Starting the same epoch again resumes a start that was cut off; if it lives already,
        nothing happens. Raises EngineError when it cannot be started.
        """

    async def inspect(self, connector: str) -> Observation:
        """Look at the workers of a connector, whoever started them; none is no error.

        A start that did not get as far as a process does not count as a worker.
        """

    async def stop(self, connector: str, epoch: int) -> None:
        """Ask a worker to finish what it has at hand and end; a dead one is no error."""

    async def kill(self, connector: str, epoch: int) -> None:
        """End a worker and all its children now; a dead one is no error."""

    async def remove(self, connector: str) -> None:
        """Forget all dead workers of a connector, with their logs; living ones are left alone."""

    async def connectors(self) -> list[str]:
        """Return the names of all connectors of which anything is left, in order."""

    async def close(self) -> None:
        """Let go of connections; workers go on."""

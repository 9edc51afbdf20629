"""What the core needs of the world. Adapters stand beside each other and meet only here."""

from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from frazil.contracts.assignment import Assignment
from frazil.contracts.offsets import Offsets
from frazil.control_api.core.connector import Connector, Observed
from frazil.control_api.core.history import ConfigVersion, StateChange
from frazil.control_api.core.layout import TableLayout
from frazil.control_api.core.observation import Observation
from frazil.control_api.core.offsets import PartitionOffset, Positions
from frazil.control_api.core.proof import TableHistory, TableSource


class Clock(Protocol):
    def now(self) -> float:
        """Seconds since 1970."""


@dataclass(frozen=True, slots=True)
class Reference:
    """`${provider:path:key}` as written, and its parts; the path may be missing."""

    text: str
    provider: str
    path: str | None
    key: str


class Secrets(Protocol):
    """What `${...}` references stand for. Calls block: never make one from an event loop."""

    def value(self, reference: Reference) -> str:
        """Look a value up.

        Raises SecretRefusedError for what may not be referred to, SecretMissingError for what may
        and is not there now. Neither says anything of a value.
        """


class ConnectorStore(Protocol):
    """Connectors by name. Calls block: never make one from an event loop."""

    def all(self) -> list[Connector]:
        """Return every connector in the order of names, the deleted ones too."""

    def count(self) -> int:
        """Count the connectors that are not deleted."""

    def get(self, name: str) -> Connector | None: ...

    def look(self, name: str) -> tuple[Connector, int]:
        """Return a connector, and how many others were last seen starting.

        One that is not stored counts as deleted, and what was recorded of it is there.
        """

    def change(self, name: str, change: Callable[[Connector | None], Connector]) -> Connector:
        """Replace what is wanted of a connector, in one transaction; `observed` is left alone.

        The function gets the present record (None: there is none) and may raise, which changes
        nothing. No other change comes in between. No rewind means the last one of that name.
        """

    def changed(self, after: int) -> tuple[list[str], int]:
        """Return the names of which something was wanted since a revision, and the newest revision.

        Whichever process was told; 0 is before all.
        """

    def record(self, name: str, observed: Observed) -> None:
        """Write what was seen and done last, also of a connector that is not stored."""

    def remove(self, name: str) -> bool:
        """Forget a connector; False, and nothing happens, if it is wanted again meanwhile.

        Its history, its last rewind and its last epoch stay, for tables remember them too.
        """

    def configs(self, name: str) -> list[ConfigVersion]:
        """Return the configurations that a connector has had, newest first."""

    def state_changes(
        self, *, after: int = 0, name: str | None = None, limit: int = 100
    ) -> list[StateChange]:
        """Return changes of public states with an id above `after`, oldest first."""

    def newest_state_changes(self, name: str, limit: int) -> list[StateChange]:
        """Return the last changes of one connector, newest first."""

    def last_state_change(self) -> int:
        """Return the id of the last change of any connector, 0 if there was none."""


class GroupOffsets(Protocol):
    """Committed offsets of consumer groups, in the cluster that client properties lead to.

    Raises BrokerError, in seconds also when nobody answers.
    """

    async def read(self, properties: Mapping[str, str], group: str) -> Offsets:
        """Return all that is committed; a group that does not exist has nothing."""

    async def at(
        self, properties: Mapping[str, str], times: Mapping[tuple[str, int], int]
    ) -> Mapping[tuple[str, int], int]:
        """Find the first record of each partition at a time (in ms) or later, else its end."""

    async def alter(self, properties: Mapping[str, str], group: str, positions: Positions) -> None:
        """Commit or forget; partitions that are not named are left alone.

        Nothing is altered if a partition does not exist (UnknownPartitionError).
        """

    async def delete(self, properties: Mapping[str, str], group: str) -> None:
        """Delete the group, if there is one."""


class OffsetsTopic(Protocol):
    """The topic in which sources keep their offsets, in Kafka Connect's format."""

    async def read(self, properties: Mapping[str, str], connector: str) -> list[PartitionOffset]:
        """Return what a connector has stored; no topic, nothing stored."""

    async def write(
        self, properties: Mapping[str, str], connector: str, entries: Sequence[PartitionOffset]
    ) -> None:
        """Store offsets, and tombstones for entries without one; all or none of them."""


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

    async def keep_waiting(self, count: int) -> int:
        """See to it, a step at a time, that so many workers wait for a connector.

        None wanted, those that linger without one end too. Returns how many of both there were.
        """

    async def connectors(self) -> list[str]:
        """Return the names of all connectors of which anything is left, in order."""

    @property
    def trouble(self) -> str | None:
        """Say in a sentence why the engine cannot be worked with now; None while it can."""

    async def claim(self) -> None:
        """Take sole charge of the workers, until released or this process ends.

        Raises EngineError while somebody else has it. Looking is allowed without.
        """

    async def release(self) -> None:
        """Give up the charge of the workers, which go on; without a claim nothing happens."""

    def changes(self) -> AsyncIterator[str]:
        """Yield the connector's name whenever a worker has started, ended or changed its state.

        Never ends by itself and may miss some: a signal to look, nothing more.
        """

    def logs(self, connector: str, *, tail: int, follow: bool) -> AsyncIterator[str]:
        """Yield the last lines that the newest worker wrote, without line ends.

        With `follow` also what it writes from then on, until it has ended. No worker, no lines.
        """

    async def close(self) -> None:
        """Let go of connections; workers go on."""


class Outfit(Protocol):
    """Makes the assignment of a preview, under the name that it runs by."""

    async def __call__(
        self, connector: Connector, name: str, *, epoch: int, records: int
    ) -> Assignment:
        """Raises SecretError when a reference cannot be resolved."""


class LeaderLock(Protocol):
    """Of all processes on one store at most one has it."""

    async def take(self) -> bool:
        """Take the lock if nobody has it; not to be called by the one who has.

        Raises StoreError when nobody can say.
        """

    async def lost(self) -> None:
        """Wait for as long as the lock is ours, and return at once when it is not any more."""

    async def release(self) -> None:
        """Let go, also of a lock that was lost; without one nothing happens."""


class StateFeed(Protocol):
    """The public states of connectors as they change, whichever process changes them."""

    def follow(self, *, after: int | None, name: str | None) -> AsyncIterator[StateChange]:
        """Yield the changes after an id (None: from now on), of one connector or all, for ever."""


class Tables(Protocol):
    async def histories(self, source: TableSource) -> list[TableHistory]:
        """Read what the snapshots of each table say, within a bound of time.

        Raises BadRequestError for catalogs that cannot be asked, else CatalogError.
        """

    async def layouts(self, source: TableSource) -> list[TableLayout]:
        """Read the schemas that each table has had; bounds and errors are those of histories."""

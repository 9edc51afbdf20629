"""What a sink's job asks of the modules that write: files first, then one guarded commit each."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from typing import Any, Protocol

from pyspark.sql import DataFrame, SparkSession

from frazil.contracts.ledger import Ledger
from frazil.contracts.offsets import Offsets
from frazil.contracts.redrive import Pick
from frazil.contracts.schema_change import SchemaChange
from frazil.contracts.worker_status import MaintenanceStatus
from frazil.spark_sink.core.judge import Claim, Verdict
from frazil.spark_sink.core.offset_log import BatchRange
from frazil.spark_sink.core.position import TopicFacts
from frazil.spark_sink.core.undoing import Undoing
from frazil.spark_sink.counts import BadRecord, BatchCounts
from frazil.spark_sink.kafka import Broker
from frazil.worker.errors import BadTableError


class SchemaWaitsError(BadTableError):
    """Records need changes of their table that a person has to approve, or to refuse."""

    def __init__(self, table: str, changes: tuple[SchemaChange, ...]) -> None:
        self.changes = changes
        wanted = "; ".join(map(str, changes))
        super().__init__(f"{table} waits until these changes are approved or refused: {wanted}.")


@dataclass(frozen=True)
class Written:
    """A batch in files that nobody sees yet; what a file is, only the store knows.

    `letters` reads the batch again for the records that are dead, where there can be any.
    """

    files: list[Any]
    counts: BatchCounts
    letters: Callable[[], DataFrame] | None = None


class Store(Protocol):
    """One destination as one connector sees it. Its newest ledger is the sink's position."""

    @property
    def name(self) -> str:
        """What it is called in sentences: `table ns.t`."""
        ...

    @property
    def is_there(self) -> bool:
        """Tell whether there is anything yet that a ledger could be put into."""
        ...

    def ledger(self) -> Ledger | None:
        """Read the newest ledger of this connector."""
        ...

    def lost(self) -> Ledger | None:
        """Return a newer ledger that the store no longer stands on: it was rolled back since."""
        ...

    def undoing(self, wanted: Offsets, topics: Mapping[str, TopicFacts]) -> Undoing | None:
        """Plan which commits are undone so that what is beyond the wanted offsets is read again.

        What comes of it is a file for `append`. None if there is nothing to undo; RewindError if it
        cannot be.
        """
        ...

    def end_sides(self, epoch: int) -> None:
        """Publish or drop the side branches that a user wants no more; there may be none.

        It is asked by the driver of each epoch at its start, behind the claims of all stores.
        """
        ...

    def write(self, part: Any, partitions: Sequence[tuple[str, int]]) -> Written:
        """Write a part of a batch to files.

        Raises SchemaWaitsError if they have to wait for a person; nothing was written then.
        """
        ...

    def append(self, files: list[Any], ledger: Ledger, claim: Claim) -> Verdict:
        """Commit files and ledger at once, if what is there allows it (`core.judge`).

        ALREADY_DONE and APPEND both mean that the batch is there exactly once.
        """
        ...

    def delete_files(self, files: list[Any]) -> None:
        """Delete files that were not committed."""
        ...


class PlannedStore(Store, Protocol):
    """A store whose files tasks write."""

    def plan(self, written: Offsets) -> Any:
        """Describe the store to tasks; what is before these offsets is in it already."""
        ...


class Maintenance(Protocol):
    """Looks after one store, beside the stream."""

    @property
    def status(self) -> MaintenanceStatus: ...

    def turn(self) -> bool:
        """Do what the store needs most; False if it needs nothing."""
        ...


class Letters(Protocol):
    """Dead letters in a store that can be read again."""

    def open(self, refusing: str) -> Store:
        """Open the store for what the store of this name refuses."""
        ...

    def read(self, picks: Sequence[Pick]) -> DataFrame:
        """Give the picked ones as Kafka's source would, and with `table`, who refused them."""
        ...

    def delete(self, picks: Sequence[Pick], table: str | None) -> None:
        """Delete the picked ones that this table has refused."""
        ...

    def delete_from(self, offsets: Offsets, table: str | None) -> None:
        """Delete what this table has refused at these offsets and later."""
        ...


OpenMaintenance = Callable[[str, AbstractContextManager[object]], Maintenance]


@dataclass(frozen=True)
class Records:
    """A batch: as Spark's source for Kafka gives it, or in Kafka, where tasks read it themselves.

    Without a span the frame has records that come from elsewhere, such as dead letters.
    """

    frame: DataFrame
    span: BatchRange | None = None


Enter = Callable[[Iterable[str]], Mapping[str, Any]]
"""Opens the stores that records name; without names, all that are known.

It returns those that are written now, each with what tasks have to know of it.
"""


@dataclass(frozen=True)
class Split:
    """A batch by store, and what was counted to take it apart, if it had to be read for that.

    A part is what the store takes in `write`. `astray` are records for no store, `dead` those that
    are too broken to say; `bytes` are those of all records, if known.
    """

    parts: Mapping[str, Any]
    counts: Mapping[str, int] = field(default_factory=dict)
    total: int = 0
    astray: int = 0
    dead: int = 0
    first_dead: BadRecord | None = None
    letters: Callable[[], DataFrame] | None = None
    close: Callable[[], object] = field(default=lambda: None)
    bytes: int = 0


class Stores(Protocol):
    """All stores of one connector: those that are listed, or those that records name."""

    @property
    def listed(self) -> tuple[str, ...]:
        """Names of the stores; none if records name them."""
        ...

    @property
    def threads(self) -> int:
        """How many are written at a time."""
        ...

    @property
    def takes_ranges(self) -> bool:
        """Tell whether a batch may be any part of what Spark's source has found."""
        ...

    def open(self, name: str) -> Store:
        """Open one store; NoTableError if it is not there."""
        ...

    def part(self, name: str, records: DataFrame) -> Any:
        """Make a part of records that are for one store; it is open already."""
        ...

    def split(self, records: Records, enter: Enter) -> Split:
        """Take a batch apart."""
        ...

    @property
    def letters(self) -> Letters | None:
        """Return where dead letters are kept; None if they are not."""
        ...

    @property
    def open_maintenance(self) -> OpenMaintenance | None:
        """Look after the store of this name; None if nobody wants that.

        Besides it gets what whoever writes to the stores has to hold.
        """
        ...

    def hint(self) -> Ledger | None:
        """Say how far the connector has got where no store can: they are not known, or not there.

        None where they always can.
        """
        ...

    def tell(self, names: Iterable[str]) -> None:
        """Tell others of the commits that these stores have had last, if any want to know."""
        ...

    def close(self) -> None: ...


class Destination(Protocol):
    """Opens the stores anew at each start of the stream."""

    @property
    def spark_conf(self) -> dict[str, str]: ...

    def open(self, spark: SparkSession, broker: Broker) -> Stores: ...

"""What a task tells the driver: staged files, counts, dead letters and the columns asked for."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from frazil.spark_sink.records.errors import RecordError, Stage
from frazil.spark_sink.records.model import KafkaRecord
from frazil.spark_sink.records.schema.changes import AddColumn, SchemaChange
from frazil.spark_sink.records.schema.types import Path

Partition = tuple[str, int]

# A task carries so many bytes of dead letters to the driver. Of more it tells their number, and
# they are read from Kafka once more.
DEAD_LETTER_BYTES = 8_000_000
NO_LIMIT = 2**63


class Place(NamedTuple):
    """Where a record is; places are in the order in which records change a schema."""

    topic: str
    partition: int
    offset: int


class Asked(NamedTuple):
    """The changes of a table's schema that one record asks for."""

    place: Place
    changes: tuple[SchemaChange, ...]


def added_by(asked: Iterable[Asked]) -> Iterator[tuple[Place, Path]]:
    """List the paths of the columns that are added, with the places of who asked for them."""
    for place, changes in asked:
        for change in changes:
            if isinstance(change, AddColumn):
                yield place, (*change.parent, change.name)


class DeadLetter(NamedTuple):
    """A record that could not be written, or a row of which a value was set to null."""

    record: KafkaRecord
    stage: Stage
    class_name: str | None
    message: str
    nulled: bool = False

    @property
    def place(self) -> Place:
        """Say where the record is."""
        return Place(*self.record[:3])

    @classmethod
    def of(cls, record: KafkaRecord, error: RecordError, *, nulled: bool = False) -> "DeadLetter":
        """Describe what refused the record, or its value."""
        return cls(record, error.stage, error.class_name, str(error), nulled)


@dataclass(slots=True)
class DeadLetters:
    """Dead letters of a task, with their bytes as long as these are within a limit."""

    limit: int = DEAD_LETTER_BYTES
    count: int = 0
    bytes: int = 0
    kept: list[DeadLetter] = field(default_factory=list)
    first: DeadLetter | None = None

    def add(self, letter: DeadLetter) -> None:
        """Count a dead letter, and keep it if there is room."""
        self.count += 1
        if self.first is None and not letter.nulled:
            self.first = letter
        self.bytes += size_of(letter.record)
        if self.bytes <= self.limit:
            self.kept.append(letter)
        else:
            self.kept.clear()

    def take(self) -> list[DeadLetter]:
        """Take out what was kept."""
        kept, self.kept = self.kept, []
        return kept

    @property
    def is_whole(self) -> bool:
        """Tell whether all dead letters are kept with their bytes."""
        return len(self.kept) == self.count


def size_of(record: KafkaRecord) -> int:
    """Return how many bytes a record has, roughly."""
    headers = sum(len(name) + len(value or b"") for name, value in record.headers)
    return len(record.key or b"") + len(record.value or b"") + headers + 64


@dataclass(slots=True)
class Counts:
    """What became of the records of one table. Times are in milliseconds."""

    consumed: int = 0
    filtered: int = 0
    dead: int = 0
    nulled: int = 0
    min_time: int | None = None
    max_time: int | None = None
    newest: dict[Partition, int] = field(default_factory=dict)

    def see(self, partition: Partition, count: int, times: Iterable[int | None]) -> None:
        """Count records of a partition."""
        self.consumed += count
        present = [time for time in times if time is not None]
        if present:
            high = max(present)
            self._span(min(present), high)
            self.newest[partition] = max(high, self.newest.get(partition, high))

    def see_one(self, record: KafkaRecord) -> None:
        """Count a record."""
        self.consumed += 1
        time = record.timestamp
        if time is not None:
            self._span(time, time)
            partition = record.topic, record.partition
            self.newest[partition] = max(time, self.newest.get(partition, time))

    def add(self, other: "Counts") -> None:
        """Add what another task has counted."""
        self.consumed += other.consumed
        self.filtered += other.filtered
        self.dead += other.dead
        self.nulled += other.nulled
        if other.min_time is not None and other.max_time is not None:
            self._span(other.min_time, other.max_time)
        for partition, time in other.newest.items():
            self.newest[partition] = max(time, self.newest.get(partition, time))

    def _span(self, low: int, high: int) -> None:
        self.min_time = low if self.min_time is None else min(self.min_time, low)
        self.max_time = high if self.max_time is None else max(self.max_time, high)


@dataclass(frozen=True, slots=True)
class TableResult:
    """What a task has for one table; `stop` is the first record that has to stop the connector."""

    counts: Counts
    dead_letters: DeadLetters
    files: tuple[Any, ...] = ()
    asked: tuple[Asked, ...] = ()
    stop: DeadLetter | None = None
    failure: Exception | None = None


@dataclass(frozen=True, slots=True)
class WriteResult:
    """What a task has for all tables.

    `bytes` are those of the records' values. `routed` counts records by the tables that they name,
    written or not; `unrouted` those that name none. `dead_letters` are of records that are too
    broken to say for which table they are. A `failure` is of all tables: nothing was written.
    """

    tables: Mapping[str, TableResult] = field(default_factory=dict)
    consumed: int = 0
    bytes: int = 0
    routed: Mapping[str, int] = field(default_factory=dict)
    unrouted: int = 0
    dead_letters: DeadLetters = field(default_factory=DeadLetters)
    failure: Exception | None = None

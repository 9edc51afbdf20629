"""What may be changed of one table: all that its records need, or what a person has approved."""

from collections.abc import Iterable
from dataclasses import dataclass, field

from frazil.contracts.columns import Path
from frazil.contracts.partitioning import PartitionPart
from frazil.contracts.plugins.takeover_keys import TAKEOVER_GROUP
from frazil.contracts.schema_change import ChangeKind, SchemaChange, SchemaRules
from frazil.spark_sink.records.schema import changes as asked
from frazil.spark_sink.records.schema.types import List, Map, Primitive, Struct, Type
from frazil.spark_sink.store import SchemaWaitsError
from frazil.worker.errors import NoTableError


@dataclass(frozen=True)
class Gate:
    rules: SchemaRules = field(default_factory=SchemaRules)
    asks: bool = False

    @property
    def refuses_table(self) -> bool:
        return "" in self.rules.refused

    def unseen(self, changes: Iterable[SchemaChange]) -> tuple[SchemaChange, ...]:
        """Return the changes that a person has to see first."""
        if not self.asks:
            return ()
        return tuple(dict.fromkeys(one for one in changes if one not in self.rules.approved))

    def require(self, table: str, changes: Iterable[SchemaChange]) -> None:
        if unseen := self.unseen(changes):
            raise SchemaWaitsError(table, unseen)


def creation_of(table: Struct) -> list[SchemaChange]:
    """Describe a table that is to be created."""
    columns = [asked.AddColumn((), one.name, one.type) for one in table.columns]
    return [SchemaChange(kind=ChangeKind.CREATE), *map(described, columns)]


def described(change: asked.SchemaChange) -> SchemaChange:
    """Describe a change of a table for people."""
    if isinstance(change, asked.AddColumn):
        return _told(ChangeKind.ADD, (*change.parent, change.name), spelled(change.type))
    if isinstance(change, asked.WidenColumn):
        return _told(ChangeKind.WIDEN, change.path, spelled(change.type))
    return _told(ChangeKind.RELAX, change.path)


_SPARK_NAMES = {"long": "bigint", "timestamptz": "timestamp", "timestamp": "timestamp_ntz"}


def spelled(kind: Type) -> str:
    """Spell a type as Spark does."""
    if isinstance(kind, Struct):
        return f"struct<{','.join(f'{one.name}:{spelled(one.type)}' for one in kind.columns)}>"
    if isinstance(kind, List):
        return f"array<{spelled(kind.element)}>"
    if isinstance(kind, Map):
        return f"map<{spelled(kind.key)},{spelled(kind.value)}>"
    return _primitive(kind)


def _primitive(kind: Primitive) -> str:
    if kind.name == "decimal":
        return f"decimal({kind.precision},{kind.scale})"
    return _SPARK_NAMES.get(kind.name, kind.name)


def partition(parts: Iterable[PartitionPart]) -> SchemaChange:
    return SchemaChange(kind=ChangeKind.PARTITION, type=", ".join(map(str, parts)))


def _told(kind: ChangeKind, path: Path, made: str | None = None) -> SchemaChange:
    return SchemaChange(kind=kind, path=".".join(path), type=made)


def require_creation(table: str, gate: Gate, *, creates: bool, taken_over: bool) -> None:
    """Refuse a table that is not there, and that records may not create."""
    absent = f"Table {table} does not exist in the catalog"
    if taken_over:
        raise NoTableError(
            f"{absent}, and none is created while {TAKEOVER_GROUP} is set. Create it, or "
            "correct `iceberg.tables`."
        )
    if not creates:
        raise NoTableError(
            f"{absent}. Create it, correct `iceberg.tables`, or set "
            "iceberg.tables.auto-create-enabled=true."
        )
    if gate.refuses_table:
        raise NoTableError(
            f"{absent}, and its creation was refused. Create it, or have what was decided on "
            "its schema forgotten."
        )

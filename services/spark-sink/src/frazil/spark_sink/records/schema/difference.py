"""What a table's schema lacks to hold columns that are wanted: decided from two types alone."""

from collections.abc import Iterator
from dataclasses import dataclass

from frazil.spark_sink.records.schema.changes import (
    AddColumn,
    RelaxColumn,
    SchemaChange,
    WidenColumn,
)
from frazil.spark_sink.records.schema.types import (
    Column,
    List,
    Map,
    Path,
    Primitive,
    Struct,
    Type,
)
from frazil.spark_sink.records.schema.unify import UNKNOWN, unify

_WIDER = {Primitive("int"): Primitive("long"), Primitive("float"): Primitive("double")}


@dataclass(frozen=True, slots=True)
class Comparison:
    """How wanted columns are compared with those that are there.

    Only `declared` types widen and relax: that a number was small so far, or always there, is no
    promise. Only while `creating` a table its columns may be required.
    """

    declared: bool = False
    creating: bool = False
    ignore_case: bool = False

    def changes(self, wanted: Struct, table: Struct, path: Path = ()) -> list[SchemaChange]:
        """List the changes to a struct at a path. Columns are never dropped, renamed or moved."""
        return list(self._of_struct(wanted, table, path))

    def _of_struct(self, wanted: Struct, table: Struct, path: Path) -> Iterator[SchemaChange]:
        columns = {column.name: column for column in table.columns}
        folded = {column.name.lower(): column for column in reversed(table.columns)}
        for column in wanted.columns:
            there = columns.get(column.name)
            if there is None and self.ignore_case:
                there = folded.get(column.name.lower())
            if there is not None:
                yield from self._of_column(column, there, (*path, there.name))
            elif self.creating:
                yield AddColumn(path, column.name, column.type, column.required)
            else:
                yield AddColumn(path, column.name, optional(column.type))

    def _of_column(self, wanted: Column, there: Column, path: Path) -> Iterator[SchemaChange]:
        if self.declared and there.required and not wanted.required:
            yield RelaxColumn(path)
        yield from self._of_type(wanted.type, there.type, path)

    def _of_type(self, wanted: Type, there: Type, path: Path) -> Iterator[SchemaChange]:
        if isinstance(there, Struct):
            if isinstance(wanted, Struct):
                yield from self._of_struct(wanted, there, path)
        elif isinstance(there, List):
            if isinstance(wanted, List):
                yield from self._of_column(_element(wanted), _element(there), (*path, "element"))
        elif isinstance(there, Map):
            value = _value(wanted)
            if value is not None:
                inside = Column("value", there.value, there.required)
                yield from self._of_column(value, inside, (*path, "value"))
        elif self.declared and wider(there, wanted):
            yield WidenColumn(path, wanted)


def wider(there: Primitive, wanted: Type) -> bool:
    """Say whether Iceberg widens one type to another."""
    if not isinstance(wanted, Primitive):
        return False
    if there.name == wanted.name == "decimal":
        return wanted.precision > there.precision and wanted.scale == there.scale
    return _WIDER.get(there) == wanted


def optional(kind: Type) -> Type:
    """Let nothing inside a type be required: rows that are there have none of it."""
    if isinstance(kind, Struct):
        return Struct(tuple(Column(column.name, optional(column.type)) for column in kind.columns))
    if isinstance(kind, List):
        return List(optional(kind.element))
    return Map(kind.key, optional(kind.value)) if isinstance(kind, Map) else kind


def _element(kind: List) -> Column:
    return Column("element", kind.element, kind.required)


def _value(wanted: Type) -> Column | None:
    """A map takes maps, and structs by the names of their fields."""
    if isinstance(wanted, Map):
        return Column("value", wanted.value, wanted.required)
    if not isinstance(wanted, Struct):
        return None
    kind: Type = UNKNOWN
    for column in wanted.columns:
        kind = unify(kind, column.type)
    return Column("value", kind, required=True)

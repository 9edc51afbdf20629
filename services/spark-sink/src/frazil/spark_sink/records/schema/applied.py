"""A table's schema after changes that are not committed yet: new columns have id 0."""

from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import reduce

from frazil.spark_sink.records.schema.changes import AddColumn, SchemaChange, WidenColumn
from frazil.spark_sink.records.schema.types import Column, List, Map, Path, Struct, Type

_Edit = Callable[[Column], Column]


def applied(table: Struct, changes: Iterable[SchemaChange]) -> Struct:
    """Return the schema with changes; those whose path leads nowhere are left out."""
    return reduce(_applied, changes, table)


def type_at(table: Struct, path: Path) -> Type | None:
    """Return the type at a path, or None if it leads nowhere."""
    kind: Type | None = table
    for name in path:
        inside = {member.name: member.type for member in _members(kind)} if kind else {}
        kind = inside.get(name)
    return kind


def _applied(table: Struct, change: SchemaChange) -> Struct:
    if isinstance(change, AddColumn):
        column = Column(change.name, change.type, change.required)
        edited = _edited(table, change.parent, lambda parent: _with(parent, column))
    elif isinstance(change, WidenColumn):
        edited = _edited(table, change.path, lambda column: replace(column, type=change.type))
    else:
        edited = _edited(table, change.path, lambda column: replace(column, required=False))
    return edited


def _with(parent: Column, column: Column) -> Column:
    if not isinstance(parent.type, Struct):
        return parent
    return replace(parent, type=Struct((*parent.type.columns, column)))


def _edited(table: Struct, path: Path, edit: _Edit) -> Struct:
    whole = _edited_column(Column("", table), path, edit).type
    return whole if isinstance(whole, Struct) else table


def _edited_column(column: Column, path: Path, edit: _Edit) -> Column:
    if not path:
        return edit(column)
    members = tuple(
        _edited_column(member, path[1:], edit) if member.name == path[0] else member
        for member in _members(column.type)
    )
    return replace(column, type=_rebuilt(column.type, members))


def _members(kind: Type) -> tuple[Column, ...]:
    """Return what is inside a type, by the names that paths have for it."""
    if isinstance(kind, Struct):
        return kind.columns
    if isinstance(kind, List):
        return (Column("element", kind.element, kind.required, kind.element_id),)
    if isinstance(kind, Map):
        return (
            Column("key", kind.key, required=True, id=kind.key_id),
            Column("value", kind.value, kind.required, kind.value_id),
        )
    return ()


def _rebuilt(kind: Type, members: tuple[Column, ...]) -> Type:
    if isinstance(kind, Struct):
        return Struct(members)
    if isinstance(kind, List):
        (element,) = members
        return List(element.type, element.required, element.id)
    if isinstance(kind, Map):
        key, value = members
        return Map(key.type, value.type, value.required, key.id, value.id)
    return kind

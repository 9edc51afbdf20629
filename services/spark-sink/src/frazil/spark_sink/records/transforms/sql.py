"""`frazil.transforms.Sql` but for the SQL: what a statement sees, and what a record becomes.

A statement sees the fields that it mentions, each with the type that this very record gives it.
A field that it mentions and the record lacks is there all the same, and is null.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from frazil.contracts.columns import ColumnRules
from frazil.spark_sink.records.model import SELECTED, Field, Kind, Record, Schema
from frazil.spark_sink.records.schema.declared import declared_type
from frazil.spark_sink.records.schema.inference import infer_type
from frazil.spark_sink.records.schema.rules import EvolutionRules
from frazil.spark_sink.records.schema.types import Column, List, Map, Path, Primitive, Struct, Type
from frazil.spark_sink.records.schema.unify import STRING

KAFKA = "_kafka"
KEY = "_frazil_key"
ELEMENT = "[]"
"""The part of a path that leads into a list."""

VOID = Primitive("void")
"""Spark's type of null; {} says no more of a type than null does."""

_IN_SPARK = {"time": STRING, "uuid": STRING, "unknown": VOID}
_ALL_OPTIONAL = EvolutionRules(force_optional=True)
_ANY = ColumnRules()


@dataclass(frozen=True)
class Mentions:
    """The paths at which a statement looks; `whole` says that it looks at all fields."""

    paths: tuple[Path, ...]
    whole: bool = False

    @property
    def key_paths(self) -> tuple[Path, ...] | None:
        """Return the paths inside the record's key; None if nothing looks at it."""
        inside = [path[1:] for path in self.paths if path[0] == KAFKA]
        if not any(path[:1] in ((), ("key",)) for path in inside):
            return None
        return tuple(path[1:] for path in inside if path[:1] == ("key",))


class Selected(NamedTuple):
    """Fields that a statement computes, and the schema of those that can be anything but null."""

    fields: Mapping[str, Any]
    schema: Schema


STAR = None
"""Stands among selected parts for all fields of the record."""


def fields_of(record: Record) -> dict[str, tuple[Any, Schema | None]]:
    """Return the fields of a value with their schemas; what is no struct is the field `value`."""
    value, schema = record.value, record.value_schema
    if schema is None and isinstance(value, dict):
        return {str(name): (item, None) for name, item in value.items()}
    if schema is not None and schema.kind is Kind.STRUCT:
        return {one.name: (value.get(one.name), one.schema) for one in schema.fields}
    return {"value": (value, schema)}


def shape_of(record: Record, mentions: Mentions) -> Struct:
    """Return what a statement sees of a record: a column for each field, and for the key."""
    fields = fields_of(record)
    inside = _by_head(path for path in mentions.paths if path[0] != KAFKA)
    names = dict.fromkeys([*(fields if mentions.whole else ()), *inside])
    columns = [
        Column(name, _looked_at(_type(*fields.get(name, (None, None))), inside.get(name, ())))
        for name in names
        if name != KAFKA
    ]
    if mentions.key_paths is not None:
        kind = _type(record.key, record.key_schema)
        columns.append(Column(KEY, _looked_at(kind, mentions.key_paths)))
    return Struct(tuple(columns))


def visible(record: Record) -> dict[str, Any]:
    """Return the values of what a statement may see."""
    return {name: value for name, (value, _) in fields_of(record).items()} | {KEY: record.key}


def with_selected(record: Record, parts: Sequence[Selected | None]) -> Record:
    """Return the record with what a statement has selected, in the statement's order.

    It gets the schema that Spark knows, unless a star has taken over fields that have none.
    """
    fields: dict[str, tuple[Any, Schema | None]] = {}
    for part in parts:
        if part is STAR:
            fields |= fields_of(record)
        else:
            schemas = {one.name: one.schema for one in part.schema.fields}
            fields |= {name: (value, schemas.get(name)) for name, value in part.fields.items()}
    value = {name: item for name, (item, _) in fields.items()}
    if record.value_schema is None and STAR in parts:
        return record.with_value(value, None)
    members = [Field(name, schema) for name, (_, schema) in fields.items() if schema]
    name = record.value_schema.name if record.value_schema and STAR in parts else SELECTED
    return record.with_value(value, Schema(Kind.STRUCT, name=name, fields=tuple(members)))


def _type(value: Any, schema: Schema | None) -> Type:
    if schema is None:
        return _readable(infer_type(value, _ANY))
    return _readable(declared_type(schema, _ALL_OPTIONAL, ()))


def _readable(kind: Type) -> Type:
    """Replace what Spark has no type for by what it has."""
    if isinstance(kind, Struct):
        columns = tuple(Column(one.name, _readable(one.type)) for one in kind.columns)
        return Struct(columns) if columns else VOID
    if isinstance(kind, List):
        return List(_readable(kind.element))
    if isinstance(kind, Map):
        return Map(_readable(kind.key), _readable(kind.value))
    return _IN_SPARK.get(kind.name, kind)


def _looked_at(kind: Type, paths: Iterable[Path]) -> Type:
    """Add to a type what paths lead to and the value does not have."""
    inside = _by_head(path for path in paths if path)
    if not inside:
        return kind
    if kind == VOID:
        kind = List(VOID) if ELEMENT in inside else Struct(())
    if isinstance(kind, List):
        inner = [
            *inside.pop(ELEMENT, ()),
            *((head, *one) for head in inside for one in inside[head]),
        ]
        return List(_looked_at(kind.element, inner))
    if not isinstance(kind, Struct):
        return kind
    columns = {one.name: one.type for one in kind.columns}
    for name, rest in inside.items():
        if name != ELEMENT:
            columns[name] = _looked_at(columns.get(name, VOID), rest)
    return Struct(tuple(Column(name, inner) for name, inner in columns.items()))


def _by_head(paths: Iterable[Path]) -> dict[str, list[Path]]:
    found: dict[str, list[Path]] = {}
    for head, *rest in paths:
        found.setdefault(head, []).append(tuple(rest))
    return found

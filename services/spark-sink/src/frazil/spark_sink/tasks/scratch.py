"""Rows that Spark reads back from files: of changes, and of tables that tasks cannot write."""

from collections.abc import Iterable
from dataclasses import replace

from frazil.spark_sink.records.schema.types import Column, List, Map, Primitive, Struct, Type

# No table has so many columns that these ids are among them.
_FIRST_ID = 2_000_000_000
_BINARY = Primitive("binary")
_VARIANT = Struct(
    (Column("metadata", _BINARY, required=True), Column("value", _BINARY, required=True))
)


def scratch_schema(schema: Struct, *more: Column) -> Struct:
    """Return the schema of such files: Spark takes a variant from a struct of its two parts."""
    columns = (replace(one, required=False, type=_readable(one.type)) for one in schema.columns)
    return Struct((*columns, *more))


def _readable(kind: Type) -> Type:
    if isinstance(kind, Struct):
        columns = (replace(one, type=_readable(one.type)) for one in kind.columns)
        return Struct(tuple(columns))
    if isinstance(kind, List):
        return replace(kind, element=_readable(kind.element))
    if isinstance(kind, Map):
        return replace(kind, value=_readable(kind.value))
    return _VARIANT if kind == Primitive("variant") else kind


def numbered(name: str, fields: Iterable[tuple[str, str]]) -> Column:
    """Make a column beside those of a table, whose ids are in nobody's way."""
    columns = [
        Column(field, Primitive(kind), id=_FIRST_ID + number)
        for number, (field, kind) in enumerate(fields, 1)
    ]
    return Column(name, Struct(tuple(columns)), id=_FIRST_ID)

"""What a table's schema lacks to hold records of a shape: decided from the two types alone."""

from collections.abc import Iterator
from dataclasses import dataclass

from pyspark.sql.types import (
    ArrayType,
    ByteType,
    DataType,
    DoubleType,
    FloatType,
    IntegerType,
    LongType,
    MapType,
    NullType,
    ShortType,
    StructField,
    StructType,
)

_WIDER: dict[DataType, DataType] = {IntegerType(): LongType(), FloatType(): DoubleType()}
Path = tuple[str, ...]


@dataclass(frozen=True)
class AddColumn:
    """`parent` is the path of the struct that gets the column; none of the table itself."""

    parent: Path
    name: str
    type: DataType


@dataclass(frozen=True)
class WidenColumn:
    path: Path
    type: DataType


@dataclass(frozen=True)
class RelaxColumn:
    path: Path


Change = AddColumn | WidenColumn | RelaxColumn


def changes(
    shape: StructType, table: StructType, *, ignore_case: bool, declared: bool
) -> list[Change]:
    """List the changes that let a table hold what records have.

    Only a declared shape widens and relaxes: that a number was small so far, or always there, is
    no promise. Columns are never dropped, renamed or moved.
    """
    return list(_of_struct((), shape, table, _Rules(ignore_case, declared)))


def storable(kind: DataType) -> DataType | None:
    """Return the type of a column for values of this one; None if nothing is known of them."""
    if isinstance(kind, NullType):
        return None
    if isinstance(kind, StructType):
        return storable_struct(kind) if storable_struct(kind).fields else None
    if isinstance(kind, ArrayType):
        element = storable(kind.elementType)
        return None if element is None else ArrayType(element, kind.containsNull)
    if isinstance(kind, MapType):
        value = storable(kind.valueType)
        return None if value is None else MapType(kind.keyType, value, kind.valueContainsNull)
    return IntegerType() if isinstance(kind, ByteType | ShortType) else kind


def storable_struct(kind: StructType) -> StructType:
    found = ((field, storable(field.dataType)) for field in kind.fields)
    return StructType([StructField(f.name, made, f.nullable) for f, made in found if made])


@dataclass(frozen=True)
class _Rules:
    ignore_case: bool
    declared: bool

    def key(self, name: str) -> str:
        return name.lower() if self.ignore_case else name


def _of_struct(path: Path, shape: StructType, table: StructType, rules: _Rules) -> Iterator[Change]:
    columns = {rules.key(field.name): field for field in table.fields}
    for field in shape.fields:
        column = columns.get(rules.key(field.name))
        if column is not None:
            yield from _of_column((*path, column.name), field, column, rules)
        elif kind := storable(field.dataType):
            yield AddColumn(path, field.name, _optional(kind))
            columns[rules.key(field.name)] = StructField(field.name, kind)


def _of_column(
    path: Path, field: StructField, column: StructField, rules: _Rules
) -> Iterator[Change]:
    if rules.declared and field.nullable and not column.nullable:
        yield RelaxColumn(path)
    yield from _of_type(path, field.dataType, column.dataType, rules)


def _of_type(path: Path, shape: DataType, column: DataType, rules: _Rules) -> Iterator[Change]:
    if isinstance(shape, StructType) and isinstance(column, StructType):
        yield from _of_struct(path, shape, column, rules)
    elif isinstance(shape, ArrayType) and isinstance(column, ArrayType):
        yield from _of_type((*path, "element"), shape.elementType, column.elementType, rules)
    elif isinstance(shape, MapType) and isinstance(column, MapType):
        yield from _of_type((*path, "value"), shape.valueType, column.valueType, rules)
    elif rules.declared and _WIDER.get(column) == shape:
        yield WidenColumn(path, shape)


def _optional(kind: DataType) -> DataType:
    """Let nothing in a new column be required: older rows have none of it."""
    if isinstance(kind, StructType):
        return StructType([StructField(f.name, _optional(f.dataType)) for f in kind.fields])
    if isinstance(kind, ArrayType):
        return ArrayType(_optional(kind.elementType))
    if isinstance(kind, MapType):
        return MapType(kind.keyType, _optional(kind.valueType))
    return kind

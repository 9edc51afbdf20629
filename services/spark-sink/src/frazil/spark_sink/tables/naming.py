"""Fields of records as columns are called, whichever name they came under: on types alone."""

from collections.abc import Callable

from pyspark.sql.types import ArrayType, DataType, MapType, StructField, StructType

from frazil.contracts.column_names import ColumnNames
from frazil.contracts.columns import Path
from frazil.spark_sink.expressions.shapes import merged_all


def named(shape: StructType, names: ColumnNames) -> StructType:
    """Give fields the names of their columns; what several bring for one column is one."""
    return _named(shape, names, ()) if names else shape


def _named(kind: StructType, names: ColumnNames, path: Path) -> StructType:
    return StructType(
        [_field(kind, group, names, path) for group in names.grouped(path, kind.names).values()]
    )


def _field(kind: StructType, group: list[str], names: ColumnNames, path: Path) -> StructField:
    name, fields = names.name(path, group[0]), [kind[one] for one in group]
    whole = merged_all([field.dataType for field in fields])
    optional = all(field.nullable for field in fields)
    made = _held(whole, (*path, name), names, _named)
    return StructField(name, made, optional, fields[0].metadata)


def as_brought(shape: StructType, names: ColumnNames) -> StructType:
    """Add the names that records may have for columns, for a parser that knows exact ones only."""
    return _as_brought(shape, names, ()) if names.renames else shape


def _as_brought(kind: StructType, names: ColumnNames, path: Path) -> StructType:
    fields = []
    for field in kind.fields:
        made = _held(field.dataType, (*path, field.name), names, _as_brought)
        known = [field.name, *names.former(path, field.name)]
        fields += [StructField(name, made, field.nullable) for name in known]
    return StructType(fields)


_Change = Callable[[StructType, ColumnNames, Path], DataType]


def _held(kind: DataType, path: Path, names: ColumnNames, change: _Change) -> DataType:
    """Change the structs that a type is, or holds."""
    if isinstance(kind, StructType):
        return change(kind, names, path)
    if isinstance(kind, ArrayType):
        element = _held(kind.elementType, (*path, "element"), names, change)
        return ArrayType(element, kind.containsNull)
    if isinstance(kind, MapType):
        held = _held(kind.valueType, (*path, "value"), names, change)
        return MapType(kind.keyType, held, kind.valueContainsNull)
    return kind

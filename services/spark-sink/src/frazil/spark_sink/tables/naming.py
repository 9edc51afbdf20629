"""Fields of records whose names differ in nothing but case: on types alone."""

from collections.abc import Iterable

from pyspark.sql.types import ArrayType, DataType, MapType, StructField, StructType

from frazil.spark_sink.expressions.shapes import merged_all


def name_key(name: str, *, ignore_case: bool) -> str:
    """Return what two names have in common that are names of the same column."""
    return name.lower() if ignore_case else name


def grouped(names: Iterable[str], *, ignore_case: bool) -> dict[str, list[str]]:
    """Group names that are names of the same column, by their key."""
    groups: dict[str, list[str]] = {}
    for name in names:
        groups.setdefault(name_key(name, ignore_case=ignore_case), []).append(name)
    return groups


def without_twins(shape: StructType) -> StructType:
    """Merge fields whose names differ in nothing but case, at any depth; the first name stays."""
    groups = grouped(shape.names, ignore_case=True).values()
    return StructType([_merged([shape[name] for name in group]) for group in groups])


def _merged(fields: list[StructField]) -> StructField:
    first, whole = fields[0], merged_all([field.dataType for field in fields])
    optional = all(field.nullable for field in fields)
    return StructField(first.name, _inside(whole), optional, first.metadata)


def _inside(kind: DataType) -> DataType:
    if isinstance(kind, StructType):
        return without_twins(kind)
    if isinstance(kind, ArrayType):
        return ArrayType(_inside(kind.elementType), kind.containsNull)
    if isinstance(kind, MapType):
        return MapType(kind.keyType, _inside(kind.valueType), kind.valueContainsNull)
    return kind

"""Types of records: the type that holds two, and a column changed to it. Decided on the driver."""

from collections.abc import Callable
from functools import reduce

from pyspark.sql import Column
from pyspark.sql import functions as fn
from pyspark.sql.types import (
    ArrayType,
    BinaryType,
    ByteType,
    DataType,
    DateType,
    DecimalType,
    DoubleType,
    FloatType,
    IntegerType,
    LongType,
    MapType,
    NullType,
    ShortType,
    StringType,
    StructField,
    StructType,
    TimestampType,
)

NAME = "connect.name"
_INTEGERS: tuple[type[DataType], ...] = (ByteType, ShortType, IntegerType, LongType)
_DIGITS: dict[type[DataType], int] = {ByteType: 3, ShortType: 5, IntegerType: 10, LongType: 19}
_MOST_DIGITS = 38


def merged(one: DataType, other: DataType) -> DataType:
    """Return the narrowest type that holds both; where there is none, it is text."""
    if one == other or isinstance(other, NullType):
        return one
    if isinstance(one, NullType):
        return other
    if isinstance(one, StructType) and isinstance(other, StructType):
        return _merged_structs(one, other)
    if isinstance(one, ArrayType) and isinstance(other, ArrayType):
        nulls = one.containsNull or other.containsNull
        return ArrayType(merged(one.elementType, other.elementType), nulls)
    if isinstance(one, MapType) and isinstance(other, MapType):
        return MapType(
            merged(one.keyType, other.keyType),
            merged(one.valueType, other.valueType),
            one.valueContainsNull or other.valueContainsNull,
        )
    if {type(one), type(other)} == {DateType, TimestampType}:
        return TimestampType()
    return _merged_numbers(one, other) or StringType()


def merged_all(types: list[DataType]) -> DataType:
    nothing: DataType = NullType()
    return reduce(merged, types, nothing)


def _merged_structs(one: StructType, other: StructType) -> StructType:
    names = dict.fromkeys([*one.names, *other.names])
    return StructType([_merged_field(name, one, other) for name in names])


def _merged_field(name: str, one: StructType, other: StructType) -> StructField:
    """Merge a field; one that is missing on a side is optional."""
    found = [struct[name] for struct in (one, other) if name in struct.names]
    kind = merged_all([field.dataType for field in found])
    optional = len(found) == 1 or any(field.nullable for field in found)
    same_name = len({field.metadata.get(NAME) for field in found}) == 1
    return StructField(name, kind, optional, found[0].metadata if same_name else {})


def _merged_numbers(one: DataType, other: DataType) -> DataType | None:
    kinds = (type(one), type(other))
    if all(kind in _INTEGERS for kind in kinds):
        return max(one, other, key=lambda number: _INTEGERS.index(type(number)))
    if any(kind in (FloatType, DoubleType) for kind in kinds):
        return DoubleType() if all(_is_number(number) for number in (one, other)) else None
    sizes = [size for size in (_size(one), _size(other)) if size is not None]
    if len(sizes) < 2:
        return None
    scale = max(scale for _, scale in sizes)
    return DecimalType(min(_MOST_DIGITS, max(whole for whole, _ in sizes) + scale), scale)


def _is_number(kind: DataType) -> bool:
    return isinstance(kind, (*_INTEGERS, FloatType, DoubleType, DecimalType))


def _size(kind: DataType) -> tuple[int, int] | None:
    """Digits before and behind the point of an exact number."""
    if isinstance(kind, DecimalType):
        return kind.precision - kind.scale, kind.scale
    digits = _DIGITS.get(type(kind))
    return None if digits is None else (digits, 0)


def converted(column: Column, source: DataType, target: DataType) -> Column:
    """Change a column to a type that holds its own, as `merged` found it."""
    if source == target:
        return column
    if isinstance(source, StructType) and isinstance(target, StructType):
        return _converted_struct(column, source, target)
    if isinstance(source, ArrayType) and isinstance(target, ArrayType):
        item, wanted = source.elementType, target.elementType
        return fn.transform(column, lambda element: converted(element, item, wanted))
    if isinstance(source, MapType) and isinstance(target, MapType):
        held, wanted = source.valueType, target.valueType
        return fn.transform_values(column, lambda _key, value: converted(value, held, wanted))
    if isinstance(target, StringType):
        return text_of(column, source)
    return column.try_cast(target)


def _converted_struct(column: Column, source: StructType, target: StructType) -> Column:
    fields = [
        converted(column.getField(field.name), source[field.name].dataType, field.dataType)
        if field.name in source.names
        else fn.lit(None).cast(field.dataType)
        for field in target.fields
    ]
    named = [value.alias(name) for value, name in zip(fields, target.names, strict=True)]
    return fn.when(column.isNotNull(), fn.struct(*named))


def preferred(found: DataType, known: DataType) -> DataType:
    """Return the type that was found, but with the structures that are known where it has texts.

    A single record that is not like the others would make texts of what is a structure in all of
    them. With this it is the one that does not fit.
    """
    if isinstance(found, StringType) and isinstance(known, StructType | ArrayType):
        return known
    if isinstance(found, StructType) and isinstance(known, StructType):
        return StructType([_preferred_field(field, known) for field in found.fields])
    if isinstance(found, ArrayType) and isinstance(known, ArrayType):
        return ArrayType(preferred(found.elementType, known.elementType), found.containsNull)
    return found


def _preferred_field(field: StructField, known: StructType) -> StructField:
    if field.name not in known.names:
        return field
    kind = preferred(field.dataType, known[field.name].dataType)
    return StructField(field.name, kind, field.nullable, field.metadata)


def text_of(column: Column, kind: DataType) -> Column:
    """Spell a value as text: structures as JSON, bytes in base64, the rest as Spark does."""
    if isinstance(kind, StructType | ArrayType | MapType):
        return fn.to_json(column)
    return fn.base64(column) if isinstance(kind, BinaryType) else column.cast(StringType())


def changed_types(kind: DataType, change: Callable[[DataType], DataType]) -> DataType:
    """Rebuild a type from its leaves."""
    if isinstance(kind, StructType):
        return StructType(
            [
                StructField(f.name, changed_types(f.dataType, change), f.nullable, f.metadata)
                for f in kind.fields
            ]
        )
    if isinstance(kind, ArrayType):
        return ArrayType(changed_types(kind.elementType, change), kind.containsNull)
    if isinstance(kind, MapType):
        return MapType(kind.keyType, changed_types(kind.valueType, change), kind.valueContainsNull)
    return change(kind)

"""Values into columns of other types, leniently as Kafka Connect's sinks, but never with a loss.

Numbers and their texts stand for each other, structures become JSON text, base64 becomes bytes;
numbers are days in a date and milliseconds in a timestamp. What cannot be kept is a fault.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import reduce
from operator import or_

from pyspark.sql import Column
from pyspark.sql import functions as fn
from pyspark.sql.types import (
    ArrayType,
    BinaryType,
    BooleanType,
    DataType,
    DateType,
    DecimalType,
    FractionalType,
    IntegralType,
    LongType,
    MapType,
    NullType,
    NumericType,
    StringType,
    StructField,
    StructType,
    TimestampNTZType,
    TimestampType,
    VariantType,
)

# Beyond these the arithmetic of dates would fail the whole batch.
_MOST_MILLIS = 253_402_300_799_999
_MOST_DAYS = 2_932_896
_Times = TimestampType | TimestampNTZType


@dataclass(frozen=True, eq=False)
class Converted:
    """A column of the wanted type; `failed` tells where a value was lost, None if never."""

    column: Column
    failed: Column | None = None


def convert(column: Column, source: DataType, target: DataType) -> Converted:
    """Change a column of one type to another; where that cannot be, every value is a fault."""
    if isinstance(source, NullType):
        return Converted(fn.lit(None).cast(target))
    if fits(source, target):
        return Converted(column)
    if isinstance(target, VariantType):
        return Converted(fn.to_variant_object(column))
    if isinstance(target, StructType):
        return _to_struct(column, source, target)
    if isinstance(target, ArrayType):
        return _to_array(column, source, target)
    if isinstance(target, MapType):
        return _to_map(column, source, target)
    if isinstance(target, StringType):
        return Converted(_text(column, source))
    made = _leaf(column, source, target)
    if made is None:
        return Converted(fn.lit(None).cast(target), column.isNotNull())
    return Converted(made, column.isNotNull() & made.isNull())


def fits(source: DataType, target: DataType) -> bool:
    """Tell whether every value of one type is one of the other as it stands.

    Comments on fields make types unequal; to take a struct apart for them costs more than to parse
    it.
    """
    if isinstance(source, StructType) and isinstance(target, StructType):
        return source.names == target.names and all(
            fits(one.dataType, other.dataType) and (other.nullable or not one.nullable)
            for one, other in zip(source.fields, target.fields, strict=True)
        )
    if isinstance(source, ArrayType) and isinstance(target, ArrayType):
        nulls = target.containsNull or not source.containsNull
        return nulls and fits(source.elementType, target.elementType)
    if isinstance(source, MapType) and isinstance(target, MapType):
        nulls = target.valueContainsNull or not source.valueContainsNull
        return (
            nulls
            and fits(source.keyType, target.keyType)
            and fits(source.valueType, target.valueType)
        )
    return source == target


def any_of(failures: list[Column]) -> Column | None:
    return reduce(or_, failures) if failures else None


def _to_struct(column: Column, source: DataType, target: StructType) -> Converted:
    find = _member_of(column, source)
    if find is None:
        return Converted(fn.lit(None).cast(target), column.isNotNull())
    parts, failures = [], []
    for field in target.fields:
        made = member(find(field), field)
        parts.append(made.column.alias(field.name))
        if made.failed is not None:
            failures.append(made.failed)
    failed = any_of(failures)
    whole = fn.when(column.isNotNull(), fn.struct(*parts))
    return Converted(whole, None if failed is None else column.isNotNull() & failed)


def member(found: tuple[Column, DataType] | None, field: StructField) -> Converted:
    """Convert what a record has for a field, if it has it; a required one has to have a value."""
    column, kind = found if found is not None else (fn.lit(None), NullType())
    made = convert(column, kind, field.dataType)
    if field.nullable:
        return made
    return Converted(made.column, made.column.isNull())


def _member_of(
    column: Column, source: DataType
) -> Callable[[StructField], tuple[Column, DataType] | None] | None:
    if isinstance(source, StructType):
        fields = {field.name: field.dataType for field in source.fields}
        return lambda field: (
            (column.getField(field.name), fields[field.name]) if field.name in fields else None
        )
    if isinstance(source, MapType) and isinstance(source.keyType, StringType):
        return lambda field: (column.getItem(field.name), source.valueType)
    return None


def _to_array(column: Column, source: DataType, target: ArrayType) -> Converted:
    if not isinstance(source, ArrayType):
        return Converted(fn.lit(None).cast(target), column.isNotNull())

    def made(element: Column) -> Converted:
        field = StructField("element", target.elementType, target.containsNull)
        return member((element, source.elementType), field)

    whole = fn.transform(column, lambda element: made(element).column)
    if made(fn.lit(None)).failed is None:
        return Converted(whole)
    return Converted(whole, fn.exists(column, lambda element: _failed(made(element))))


def _failed(made: Converted) -> Column:
    return fn.lit(False) if made.failed is None else made.failed


def _to_map(column: Column, source: DataType, target: MapType) -> Converted:
    if isinstance(source, StructType):
        column, source = _as_map(column, source, target.valueType)
    if not isinstance(source, MapType):
        return Converted(fn.lit(None).cast(target), column.isNotNull())
    entries = fn.map_entries(column)
    kind = StructType([StructField("key", source.keyType), StructField("value", source.valueType)])
    pair = StructType(
        [
            StructField("key", target.keyType, nullable=False),
            StructField("value", target.valueType, target.valueContainsNull),
        ]
    )
    made = _to_array(entries, ArrayType(kind), ArrayType(pair))
    if made.failed is None:
        return Converted(fn.map_from_entries(made.column))
    # A key that became null would fail the batch and not the record.
    return Converted(fn.when(~made.failed, fn.map_from_entries(made.column)), made.failed)


def _as_map(column: Column, source: StructType, value: DataType) -> tuple[Column, DataType]:
    """Turn a struct into a map by its names; fields without a value are not in it."""
    if not source.fields:
        empty = fn.create_map().cast(MapType(StringType(), value))
        return fn.when(column.isNotNull(), empty), MapType(StringType(), value)
    kinds = {field.dataType for field in source.fields}
    kind = kinds.pop() if len(kinds) == 1 else StringType()
    pairs: list[Column] = []
    for field in source.fields:
        held = column.getField(field.name)
        text = held if field.dataType == kind else _text(held, field.dataType)
        pairs += [fn.lit(field.name), text]
    whole = fn.map_filter(fn.create_map(*pairs), lambda _key, held: held.isNotNull())
    return fn.when(column.isNotNull(), whole), MapType(StringType(), kind)


def _text(column: Column, source: DataType) -> Column:
    if isinstance(source, StructType | ArrayType | MapType | VariantType):
        return fn.to_json(column)
    return fn.base64(column) if isinstance(source, BinaryType) else column.cast(StringType())


def _leaf(column: Column, source: DataType, target: DataType) -> Column | None:
    """Return null where there is no such value; None if there is none for any."""
    if isinstance(target, IntegralType):
        return _integer(column, source, target)
    if isinstance(target, FractionalType):
        numeric = isinstance(source, NumericType | StringType)
        return column.try_cast(target) if numeric else None
    if isinstance(target, _Times):
        return _timestamp(column, source, target)
    if isinstance(target, DateType):
        return _date(column, source)
    if isinstance(target, BinaryType) and isinstance(source, StringType):
        return fn.try_to_binary(column, fn.lit("base64"))
    if isinstance(target, BooleanType) and isinstance(source, StringType):
        return column.try_cast(target)
    return None


def _integer(column: Column, source: DataType, target: DataType) -> Column | None:
    if isinstance(source, IntegralType):
        return column.try_cast(target)
    if isinstance(source, NumericType | StringType):
        # A fraction is not cut off in silence: only whole numbers have a place.
        exact = column.try_cast(DecimalType(38, 10))
        return fn.when(exact == fn.floor(exact), exact.try_cast(target))
    return None


def _timestamp(column: Column, source: DataType, target: DataType) -> Column | None:
    if isinstance(source, DateType | _Times):
        return column.cast(target)
    if isinstance(source, NumericType):
        return _of_millis(column, target)
    if isinstance(source, StringType):
        dated = fn.substring(column, 5, 1) == "-"
        return fn.when(dated, column.try_cast(target)).otherwise(
            fn.coalesce(_of_millis(column, target), column.try_cast(target))
        )
    return None


def _of_millis(column: Column, target: DataType) -> Column:
    millis = column.try_cast(LongType())
    return fn.when(fn.abs(millis) <= _MOST_MILLIS, fn.timestamp_millis(millis).cast(target))


def _date(column: Column, source: DataType) -> Column | None:
    if isinstance(source, _Times):
        return column.cast(DateType())
    if isinstance(source, NumericType):
        return _of_days(column)
    if isinstance(source, StringType):
        dated = fn.substring(column, 5, 1) == "-"
        return fn.when(dated, column.try_cast(DateType())).otherwise(
            fn.coalesce(_of_days(column), column.try_cast(DateType()))
        )
    return None


def _of_days(column: Column) -> Column:
    days = column.try_cast("int")
    return fn.when(fn.abs(days) <= _MOST_DAYS, fn.date_from_unix_date(days))

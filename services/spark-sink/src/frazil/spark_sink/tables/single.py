"""Single values into columns of other types; what cannot be kept is a fault."""

from pyspark.sql import Column
from pyspark.sql import functions as fn
from pyspark.sql.types import (
    BinaryType,
    BooleanType,
    DataType,
    DateType,
    DecimalType,
    FractionalType,
    IntegralType,
    LongType,
    NumericType,
    StringType,
    TimestampNTZType,
    TimestampType,
    VariantType,
)

from frazil.spark_sink.expressions.shapes import text_of
from frazil.spark_sink.tables.conflicts import Converted

# Beyond these the arithmetic of dates would fail the whole batch.
_MOST_MILLIS = 253_402_300_799_999
_MOST_DAYS = 2_932_896
_Times = TimestampType | TimestampNTZType


def single(column: Column, source: DataType, target: DataType) -> Converted:
    if isinstance(target, StringType):
        return Converted(text_of_value(column, source))
    made = _leaf(column, source, target)
    if made is None:
        return Converted(fn.lit(None).cast(target), column.isNotNull())
    return Converted(made, column.isNotNull() & made.isNull())


def text_of_value(column: Column, source: DataType) -> Column:
    return fn.to_json(column) if isinstance(source, VariantType) else text_of(column, source)


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

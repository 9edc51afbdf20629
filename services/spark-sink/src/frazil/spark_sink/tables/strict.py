"""Values that are of another type than their column: for columns that are to stop the connector."""

from pyspark.sql import Column
from pyspark.sql import functions as fn
from pyspark.sql.types import (
    BinaryType,
    BooleanType,
    DataType,
    DateType,
    DecimalType,
    IntegralType,
    NumericType,
    StringType,
    TimestampNTZType,
    TimestampType,
)

# JSON, and many a schema, have nothing but text for these.
_SPELLED = DateType | TimestampType | TimestampNTZType | BinaryType | StringType
_JSON_NUMBER = "^(BIGINT|DOUBLE|DECIMAL)"


def differs(column: Column, source: DataType, made: Column, target: DataType) -> Column:
    """Tell where a value is not of the column's type, nor losslessly narrower of the same kind."""
    if isinstance(source, StringType) and isinstance(target, _SPELLED):
        return column.isNotNull() & made.isNull()
    if not _same_kind(source, target):
        return column.isNotNull()
    there_and_back = made.try_cast(source)
    return column.isNotNull() & ~there_and_back.eqNullSafe(column)


def _same_kind(source: DataType, target: DataType) -> bool:
    if isinstance(source, NumericType):
        # A number behind the point is no integer, even where it is a whole one.
        return isinstance(target, NumericType) and (
            isinstance(source, IntegralType) or not isinstance(target, IntegralType)
        )
    times = (DateType, TimestampType, TimestampNTZType)
    return isinstance(source, times) and isinstance(target, times)


def differs_in_json(column: Column, made: Column, target: DataType) -> Column:
    """Tell the same of a value of JSON, which says itself what it is; null differs too."""
    kind = fn.schema_of_variant(column)
    if isinstance(target, _SPELLED):
        same = kind == "STRING"
    elif isinstance(target, BooleanType):
        same = kind == "BOOLEAN"
    else:
        same = kind.rlike("^BIGINT" if isinstance(target, IntegralType) else _JSON_NUMBER)
    wrong = ~same | made.isNull()
    if isinstance(target, DecimalType):
        wrong = wrong | (made.cast("double") != fn.try_variant_get(column, "$", "double"))
    return wrong

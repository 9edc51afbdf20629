"""MongoDB's extended JSON: types that are spelt as objects, such as `{"$numberLong": "5"}`."""

from collections.abc import Callable

from pyspark.sql import Column
from pyspark.sql import functions as fn
from pyspark.sql.types import (
    ArrayType,
    BinaryType,
    DataType,
    DoubleType,
    IntegerType,
    LongType,
    MapType,
    StringType,
    StructField,
    StructType,
    TimestampType,
)

Reading = Callable[[Column], Column]


def _binary(column: Column) -> Column:
    plain = fn.get_json_object(column, "$.base64")
    return fn.unbase64(fn.coalesce(plain, column))


def _date(column: Column) -> Column:
    """Read milliseconds, bare or as a `$numberLong`, or a text of ISO 8601."""
    number = fn.coalesce(fn.get_json_object(column, "$.$numberLong"), column).try_cast("long")
    limit = 2**63 // 1000 - 1
    moment = fn.when(number.between(-limit, limit), fn.timestamp_millis(number))
    return fn.coalesce(moment, fn.try_to_timestamp(column))


def _seconds(column: Column) -> Column:
    return fn.timestamp_seconds(fn.get_json_object(column, "$.t").try_cast("int"))


# By the only name, or the first one, in the object. All of them are read as text.
_SPELT: dict[str, tuple[DataType, Reading]] = {
    "$oid": (StringType(), lambda column: column),
    "$numberLong": (LongType(), lambda column: column.try_cast("long")),
    "$numberInt": (IntegerType(), lambda column: column.try_cast("int")),
    "$numberDouble": (DoubleType(), lambda column: column.try_cast("double")),
    "$numberDecimal": (StringType(), lambda column: column),
    "$date": (TimestampType(), _date),
    "$timestamp": (TimestampType(), _seconds),
    "$binary": (BinaryType(), _binary),
    "$code": (StringType(), lambda column: column),
    "$symbol": (StringType(), lambda column: column),
}


def read_type(kind: DataType) -> DataType:
    """Return the type to parse with: what is spelt as an object holds a text."""
    if isinstance(kind, StructType):
        if _spelling(kind):
            return StructType([StructField(name, StringType()) for name in kind.names])
        return StructType([StructField(f.name, read_type(f.dataType)) for f in kind.fields])
    return ArrayType(read_type(kind.elementType)) if isinstance(kind, ArrayType) else kind


def _spelling(kind: StructType) -> str | None:
    return next((name for name in kind.names if name in _SPELT), None)


def settled_bson(column: Column, kind: DataType, *, as_documents: bool) -> tuple[Column, DataType]:
    """Make of what was parsed the values that it spells; `as_documents` numbers an array's items.

    How many items there are differs from record to record, so such a document is a map.
    """
    if isinstance(kind, StructType):
        spelling = _spelling(kind)
        if spelling is None:
            return _document(column, kind, as_documents=as_documents)
        meant, read = _SPELT[spelling]
        return read(column.getField(spelling)), meant
    if isinstance(kind, ArrayType):
        return _items(column, kind.elementType, as_documents=as_documents)
    return column, kind


def _items(column: Column, item: DataType, *, as_documents: bool) -> tuple[Column, DataType]:
    def settled(one: Column) -> Column:
        return settled_bson(one, item, as_documents=as_documents)[0]

    _, meant = settled_bson(fn.lit(None), item, as_documents=as_documents)
    if not as_documents:
        return fn.transform(column, settled), ArrayType(meant)
    numbered = fn.transform(
        column,
        lambda one, number: fn.struct(fn.concat(fn.lit("_"), number.cast("string")), settled(one)),
    )
    return fn.map_from_entries(numbered), MapType(StringType(), meant)


def _document(column: Column, kind: StructType, *, as_documents: bool) -> tuple[Column, DataType]:
    parts, fields = [], []
    for field in kind.fields:
        part, meant = settled_bson(
            column.getField(field.name), field.dataType, as_documents=as_documents
        )
        parts.append(part.alias(field.name))
        fields.append(StructField(field.name, meant))
    return fn.when(column.isNotNull(), fn.struct(*parts)), StructType(fields)

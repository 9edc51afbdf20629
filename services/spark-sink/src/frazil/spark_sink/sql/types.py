"""Types of frames on their way through a SQL transform."""

from pyspark.sql.types import (
    ArrayType,
    BinaryType,
    BooleanType,
    DataType,
    DateType,
    DecimalType,
    DoubleType,
    FloatType,
    IntegerType,
    LongType,
    MapType,
    NullType,
    StringType,
    StructField,
    StructType,
    TimestampType,
)

from frazil.spark_sink.records.schema.types import List, Map, Struct, Type
from frazil.spark_sink.tasks.sql import FIELD, OUTCOME, ROUTED, SHAPE

_TYPES: dict[str, DataType] = {
    "boolean": BooleanType(),
    "int": IntegerType(),
    "long": LongType(),
    "float": FloatType(),
    "double": DoubleType(),
    "string": StringType(),
    "binary": BinaryType(),
    "date": DateType(),
    "timestamptz": TimestampType(),
    "void": NullType(),
}


_SOURCE = {
    "topic": StringType(),
    "partition": IntegerType(),
    "offset": LongType(),
    "timestamp": TimestampType(),
    "key": BinaryType(),
    "value": BinaryType(),
    "headers": ArrayType(StructType().add("key", StringType()).add("value", BinaryType())),
}


def outcome_type() -> StructType:
    """Return the columns of records with their outcomes."""
    return _with_source({OUTCOME: BinaryType()})


def shaped_type() -> StructType:
    """Return the same with what a statement will see of each record."""
    return _with_source({OUTCOME: BinaryType(), SHAPE: StringType()})


def opened_type(seen: StructType) -> StructType:
    """Return the same with columns of what the statement sees."""
    fields = {f"{FIELD}{at}": one.dataType for at, one in enumerate(seen.fields)}
    return _with_source({OUTCOME: BinaryType(), ROUTED: StringType()} | fields)


def _with_source(columns: dict[str, DataType]) -> StructType:
    return StructType([StructField(name, kind) for name, kind in (_SOURCE | columns).items()])


def spark_struct(kind: Struct) -> StructType:
    """Return the columns of a shape."""
    return StructType([StructField(one.name, spark_type(one.type)) for one in kind.columns])


def spark_type(kind: Type) -> DataType:
    """Return a type of a shape."""
    if isinstance(kind, Struct):
        return spark_struct(kind)
    if isinstance(kind, List):
        return ArrayType(spark_type(kind.element))
    if isinstance(kind, Map):
        return MapType(spark_type(kind.key), spark_type(kind.value))
    if kind.name == "decimal":
        return DecimalType(kind.precision, kind.scale)
    return _TYPES[kind.name]

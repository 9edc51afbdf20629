"""The types that columns get when they are created, by the rules for them."""

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
    StringType,
    StructField,
    StructType,
    TimestampNTZType,
    TimestampType,
    VariantType,
)

from frazil.contracts.columns import ColumnRules, ColumnType, Path, Policy

_TYPES: dict[str, DataType] = {
    "boolean": BooleanType(),
    "int": IntegerType(),
    "long": LongType(),
    "float": FloatType(),
    "double": DoubleType(),
    "string": StringType(),
    "binary": BinaryType(),
    "date": DateType(),
    "timestamp": TimestampNTZType(),
    "timestamptz": TimestampType(),
    "variant": VariantType(),
}


def shaped(shape: StructType, rules: ColumnRules) -> StructType:
    """Give the fields of records the types that their columns are to have when they are made."""
    if not rules.judges and not rules.types:
        return shape
    return _struct(shape, rules, ())


def _struct(shape: StructType, rules: ColumnRules, path: Path) -> StructType:
    return StructType([_field(field, rules, (*path, field.name)) for field in shape.fields])


def _field(field: StructField, rules: ColumnRules, path: Path) -> StructField:
    may_be_null = rules.policy(path) is Policy.NULL
    kind = _type(field.dataType, rules, path)
    return StructField(field.name, kind, field.nullable or may_be_null, field.metadata)


def _type(kind: DataType, rules: ColumnRules, path: Path) -> DataType:
    wanted = rules.type(path)
    if wanted is not None:
        return _spark_type(wanted)
    if isinstance(kind, StructType):
        return _struct(kind, rules, path)
    if isinstance(kind, ArrayType):
        return ArrayType(_type(kind.elementType, rules, (*path, "element")), kind.containsNull)
    if isinstance(kind, MapType):
        value = _type(kind.valueType, rules, (*path, "value"))
        return MapType(kind.keyType, value, kind.valueContainsNull)
    return kind


def _spark_type(kind: ColumnType) -> DataType:
    if kind.name == "decimal":
        return DecimalType(kind.precision, kind.scale)
    return _TYPES[kind.name]

"""The types to parse JSON with, for a table: what its columns are, or text, or whatever it is."""

from collections.abc import Callable

from pyspark.sql.types import (
    ArrayType,
    BooleanType,
    DataType,
    DoubleType,
    FloatType,
    IntegralType,
    MapType,
    StringType,
    StructField,
    StructType,
    TimestampNTZType,
    TimestampType,
    VariantType,
)

from frazil.contracts.columns import ColumnRules, Policy
from frazil.spark_sink.expressions.paths import Path, struct_of

# Types of which Spark's parser takes no value that is of another one.
_SURE = IntegralType | DoubleType | FloatType | BooleanType
_PLAIN = ColumnRules()

_Leaf = Callable[[DataType, Policy], DataType]


def wanted(schema: StructType, path: Path = (), rules: ColumnRules = _PLAIN) -> StructType:
    """Return the type to parse JSON with, for a table of this schema, and one more field.

    Spark would take numbers for seconds in a timestamp, so these are read as text.
    """

    def leaf(kind: DataType, policy: Policy) -> DataType:
        if policy is Policy.FAIL and not isinstance(kind, _SURE):
            return VariantType()
        return StringType() if isinstance(kind, TimestampType | TimestampNTZType) else kind

    return _with_field(_changed(schema, leaf, rules, ()), path)


def as_text(schema: StructType, path: Path = (), rules: ColumnRules = _PLAIN) -> StructType:
    """Return the type to parse JSON with where a value was not of the column's type.

    A structure that may be something else is read as it is, and taken apart later.
    """

    def leaf(kind: DataType, policy: Policy) -> DataType:
        if policy is Policy.FAIL or isinstance(kind, VariantType):
            return VariantType()
        return StringType()

    return _with_field(_changed(schema, leaf, rules, (), anything=True), path)


def _with_field(kind: StructType, path: Path) -> StructType:
    if not path:
        return kind
    name, rest = path[0], path[1:]
    if name not in kind.names:
        return StructType([*kind.fields, *struct_of([path]).fields])
    held = kind[name].dataType
    inner = _with_field(held, rest) if isinstance(held, StructType) else held
    return StructType(
        [StructField(f.name, inner if f.name == name else f.dataType) for f in kind.fields]
    )


def _changed(
    kind: StructType, leaf: _Leaf, rules: ColumnRules, path: Path, *, anything: bool = False
) -> StructType:
    """Read some leaves otherwise; nothing has to be there, for what is missing is a fault."""

    def read_as(kind: DataType, path: Path) -> DataType:
        policy = rules.policy(path)
        if not isinstance(kind, StructType | ArrayType | MapType):
            return leaf(kind, policy)
        if anything and policy is not Policy.CAST:
            return VariantType()
        if isinstance(kind, ArrayType):
            return ArrayType(read_as(kind.elementType, (*path, "element")))
        if isinstance(kind, MapType):
            return MapType(StringType(), read_as(kind.valueType, (*path, "value")))
        return inside(kind, path)

    def inside(kind: StructType, path: Path) -> StructType:
        return StructType(
            [StructField(f.name, read_as(f.dataType, (*path, f.name))) for f in kind.fields]
        )

    return inside(kind, path)

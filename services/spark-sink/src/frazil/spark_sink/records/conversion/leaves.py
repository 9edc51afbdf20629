"""Which function converts values for which type of column."""

from typing import Any

from frazil.spark_sink.records.conversion.binaries import binary, fixed, uuid
from frazil.spark_sink.records.conversion.numbers import (
    boolean,
    decimal,
    double,
    float_value,
    int_value,
    long_value,
)
from frazil.spark_sink.records.conversion.rules import Leaf, Unfit
from frazil.spark_sink.records.conversion.temporal import (
    date_value,
    time_value,
    timestamp,
    timestamp_nanos,
)
from frazil.spark_sink.records.conversion.texts import string
from frazil.spark_sink.records.schema.types import Primitive
from frazil.spark_sink.records.schema.variant import NotAVariantError, encode_variant

_LEAVES: dict[str, Leaf] = {
    "boolean": boolean,
    "string": string,
    "int": int_value,
    "long": long_value,
    "float": float_value,
    "double": double,
    "date": date_value,
    "time": time_value,
    "timestamp": timestamp(zoned=False),
    "timestamptz": timestamp(zoned=True),
    "timestamp_ns": timestamp_nanos(zoned=False),
    "timestamptz_ns": timestamp_nanos(zoned=True),
    "binary": binary,
    "uuid": uuid,
    # In no table: what SQL sees of a value that says nothing about its type.
    "void": lambda _: None,
}
# Values of these Python types are column values as they stand.
PLAIN: dict[str, type] = {"string": str, "boolean": bool, "double": float, "binary": bytes}


def leaf(kind: Primitive) -> Leaf:
    """Choose the conversion for a type of single values."""
    if kind.name == "decimal":
        return decimal(kind.precision, kind.scale)
    if kind.name == "fixed":
        return fixed(kind.length)
    if kind.name == "variant":
        return _variant
    return _LEAVES.get(kind.name, _unsupported)


def _variant(value: Any) -> tuple[bytes, bytes]:
    try:
        return encode_variant(value)
    except NotAVariantError as error:
        raise Unfit(str(error)) from None
    except RecursionError:
        raise Unfit("a structure that is nested too deeply") from None


def _unsupported(_: Any) -> Any:
    raise Unfit("any value, for records cannot fill this type")

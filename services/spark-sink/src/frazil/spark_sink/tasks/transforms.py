"""Iceberg's partition transforms of Arrow arrays."""

from collections.abc import Callable

import pyarrow as pa
import pyarrow.compute as pc
from pyiceberg_core import transform as iceberg  # type: ignore[import-untyped]

from frazil.spark_sink.records.schema.types import Primitive

Transform = Callable[[pa.Array], pa.Array]

# How temporal values are compared and kept: as the numbers behind them.
_NUMBERS = {
    "date": pa.int32(),
    "time": pa.int64(),
    "timestamp": pa.int64(),
    "timestamptz": pa.int64(),
    "timestamp_ns": pa.int64(),
    "timestamptz_ns": pa.int64(),
}


def compile_transform(text: str, kind: Primitive) -> Transform:
    """Compile a transform such as `bucket[16]` of a column's type."""
    name, _, argument = text.rstrip("]").partition("[")
    if name == "identity":
        return lambda column: _numbers(kind, column)
    if name == "truncate":
        return lambda column: iceberg.truncate(column, int(argument))
    if name == "bucket":
        return lambda column: iceberg.bucket(_micros(kind, column), int(argument))
    apply = getattr(iceberg, name)
    return lambda column: apply(_micros(kind, column)).cast(pa.int32())


def hash_text(text: str, bits: int) -> int:
    """Return the last bits of a text's murmur3 hash."""
    # A bucket is the remainder of the hash, so that a power of two keeps its last bits.
    (number,) = iceberg.bucket(pa.array([text]), 1 << bits).to_pylist()
    return int(number)


def _numbers(kind: Primitive, column: pa.Array) -> pa.Array:
    if isinstance(column, pa.ExtensionArray):
        return column.storage
    number = _NUMBERS.get(kind.name)
    return column if number is None else column.cast(number)


def _micros(kind: Primitive, column: pa.Array) -> pa.Array:
    """Round nanoseconds down to microseconds, from which Iceberg derives their partitions."""
    if not kind.name.endswith("_ns"):
        return column
    rounded = pc.floor_temporal(column, unit="microsecond")
    return rounded.cast(pa.timestamp("us", column.type.tz))

"""Read single values from the text of a header, and find the schema that several have in common."""

import re
import struct
from collections.abc import Sequence
from datetime import UTC, date, datetime, time
from decimal import Decimal
from typing import Any

from frazil.spark_sink.records.model import DATE, DECIMAL, TIME, TIMESTAMP, Kind, Schema

Parsed = tuple[Any, Schema | None]
NULL: Parsed = (None, None)
STRING = Schema(Kind.STRING)

_DATE = Schema(Kind.INT32, name=DATE, version=1)
_TIME = Schema(Kind.INT32, name=TIME, version=1)
_TIMESTAMP = Schema(Kind.INT64, name=TIMESTAMP, version=1)
_TEMPORAL = re.compile(
    r"(?P<date>\d{4}-\d\d-\d\d)?(?:(?(date)T)(?P<time>\d\d:\d\d:\d\d\.\d{3})Z)?", re.ASCII
)
# A sign is needed before a point, as in Connect.
_NUMBER = re.compile(r"([+-]?\d+\.?\d*|[+-]\.\d+)([eE][+-]?\d{1,4})?", re.ASCII)
_INTEGERS = ((Kind.INT8, 7), (Kind.INT16, 15), (Kind.INT32, 31), (Kind.INT64, 63))
_WIDENING = (Kind.INT8, Kind.INT16, Kind.INT32, Kind.INT64, Kind.FLOAT32, Kind.FLOAT64)
_FLOATS = (Kind.FLOAT32, Kind.FLOAT64)
_LONGEST = 20


def temporal_of(text: str) -> Parsed | None:
    """Read `2022-05-04`, `14:12:00.000Z` or both with a T between them."""
    match = _TEMPORAL.fullmatch(text.replace("\\:", ":"))
    if match is None or not text:
        return None
    day, clock = match["date"], match["time"]
    try:
        if clock is None:
            return date.fromisoformat(day), _DATE
        if day is None:
            return time.fromisoformat(clock), _TIME
        return datetime.fromisoformat(f"{day}T{clock}").replace(tzinfo=UTC), _TIMESTAMP
    except ValueError:
        return None


def number_of(text: str) -> Parsed | None:
    """Read a number as the smallest type that holds it: integers, float, double, decimal."""
    if _NUMBER.fullmatch(text) is None:
        return None
    number = Decimal(text)
    exact = _integer(number)
    if exact is not None:
        return exact
    scale = -int(number.as_tuple().exponent)
    if scale != 0:
        for kind, value in ((Kind.FLOAT32, float32(number)), (Kind.FLOAT64, _float64(number))):
            if value is not None:
                return value, Schema(kind)
    return number, Schema(Kind.BYTES, name=DECIMAL, version=1, parameters={"scale": str(scale)})


def float32(number: Decimal | float) -> float | None:
    """Round to the nearest number of 32 bits; None if it is too large for them."""
    try:
        value: float = struct.unpack("f", struct.pack("f", float(number)))[0]
    except OverflowError:
        return None
    return None if value in (float("inf"), float("-inf")) else value


def common_schema(schemas: Sequence[Schema | None]) -> Schema | None:
    """Find the schema that holds the values of all these; None if there is none."""
    common: Schema | None = None
    for schema in schemas:
        if schema is None:
            continue
        common = schema if common is None else _wider(common, schema)
        if common is None:
            return None
    return common


def widened(value: Any, schema: Schema) -> Any:
    return float(value) if schema.kind in _FLOATS and type(value) is int else value


def _wider(left: Schema, right: Schema) -> Schema | None:
    if left.kind == right.kind:
        return left if left.name == right.name else None
    if left.name or right.name or not {left.kind, right.kind} <= set(_WIDENING):
        return None
    return max(left, right, key=lambda schema: _WIDENING.index(schema.kind))


def _integer(number: Decimal) -> Parsed | None:
    if (number and number.adjusted() > _LONGEST) or number != number.to_integral_value():
        return None
    value = int(number)
    size = (value if value >= 0 else ~value).bit_length()
    return next(((value, Schema(kind)) for kind, bits in _INTEGERS if size <= bits), None)


def _float64(number: Decimal) -> float | None:
    value = float(number)
    return None if value in (float("inf"), float("-inf")) else value

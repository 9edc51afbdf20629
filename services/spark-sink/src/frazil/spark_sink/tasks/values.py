"""Single values as Iceberg writes them: in bounds, in JSON, and in the paths of partitions.

A value is what Iceberg holds in memory: days, microseconds or nanoseconds as int, UUIDs and binary
as bytes, decimals as Decimal, everything else as the Python value of its kind.
"""

import base64
import math
import struct
from collections.abc import Callable
from datetime import date, timedelta
from decimal import Decimal
from typing import Any
from uuid import UUID

from frazil.spark_sink.records.schema.types import Primitive

_EPOCH = date(1970, 1, 1)
_ERA_DAYS = 146_097  # of 400 years, after which the calendar repeats itself
_DAY_NANOS = 86_400_000_000_000
_PACKED = {
    "int": "<i",
    "date": "<i",
    "long": "<q",
    "time": "<q",
    "timestamp": "<q",
    "timestamptz": "<q",
    "timestamp_ns": "<q",
    "timestamptz_ns": "<q",
    "float": "<f",
    "double": "<d",
    "boolean": "<?",
}


def to_bytes(kind: Primitive, value: Any) -> bytes:
    """Serialize a bound in Iceberg's binary form of single values; a decimal comes unscaled."""
    if kind.name == "string":
        return bytes(value.encode())
    if kind.name == "decimal":
        length = (value if value >= 0 else ~value).bit_length() // 8 + 1
        return bytes(value.to_bytes(length, "big", signed=True))
    packed = _PACKED.get(kind.name)
    return bytes(value) if packed is None else struct.pack(packed, value)


def to_json(kind: Primitive, value: Any) -> Any:
    """Write a value as Iceberg's JSON of single values has it."""
    write = _JSON.get(kind.name)
    return value if value is None or write is None else write(value)


def to_text(kind: Primitive, value: Any) -> str:
    """Write a value as the name of a partition's folder has it."""
    if value is None:
        return "null"
    return _TEXT.get(kind.name, str)(value)


def civil(days: int) -> tuple[int, int, int]:
    """Return year, month and day of a day since 1970, in any year."""
    era, day = divmod(days, _ERA_DAYS)
    calendar = _EPOCH + timedelta(days=day)
    return calendar.year + 400 * era, calendar.month, calendar.day


def _iso_year(year: int) -> str:
    return f"+{year}" if year > 9999 else f"{year:05d}" if year < 0 else f"{year:04d}"


def _iso_date(days: int) -> str:
    year, month, day = civil(days)
    return f"{_iso_year(year)}-{month:02d}-{day:02d}"


def _day_text(days: int) -> str:
    year, month, day = civil(days)
    return f"{year:04d}-{month:02d}-{day:02d}"


def _clock(nanos: int) -> tuple[str, str]:
    seconds, fraction = divmod(nanos, 1_000_000_000)
    minutes, second = divmod(seconds, 60)
    return f"{minutes // 60:02d}:{minutes % 60:02d}:{second:02d}", f"{fraction:09d}".rstrip("0")


def _iso_time(micros: int) -> str:
    clock, fraction = _clock(micros * 1000)
    return f"{clock}.{fraction}" if fraction else clock


def _time_text(micros: int) -> str:
    # Java's LocalTime leaves out seconds of zero, and groups the fraction by three digits.
    clock, fraction = _clock(micros * 1000)
    if not fraction:
        return clock.removesuffix(":00") if clock.endswith(":00") else clock
    return f"{clock}.{fraction.ljust(-(-len(fraction) // 3) * 3, '0')}"


def _iso_timestamp(nanos: int) -> str:
    days, rest = divmod(nanos, _DAY_NANOS)
    clock, fraction = _clock(rest)
    return f"{_iso_date(days)}T{clock}.{fraction}" if fraction else f"{_iso_date(days)}T{clock}"


def _micros(write: Callable[[int], str]) -> Callable[[int], str]:
    return lambda micros: write(micros * 1000)


def _utc(write: Callable[[int], str]) -> Callable[[int], str]:
    return lambda nanos: f"{write(nanos)}+00:00"


def _uuid(value: bytes) -> str:
    return str(UUID(bytes=value))


def _hex(value: bytes) -> str:
    return value.hex().upper()


def _base64(value: bytes) -> str:
    return base64.b64encode(value).decode()


def _plain(value: Decimal) -> str:
    return format(value, "f")


def _boolean_text(value: bool) -> str:
    return "true" if value else "false"


def _double_text(value: float) -> str:
    return _java_number(repr(value))


def _float_text(value: float) -> str:
    # The shortest text that is this number among floats of 32 bits.
    texts = (f"{value:.{digits}g}" for digits in range(1, 10))
    shortest = next((text for text in texts if _nearest_float(text) == value), "nan")
    return _java_number(repr(float(shortest)))


def _nearest_float(text: str) -> float:
    try:
        (number,) = struct.unpack("<f", struct.pack("<f", float(text)))
    except OverflowError:  # rounded up beyond the greatest of them
        return math.inf
    return float(number)


def _java_number(text: str) -> str:
    special = {"nan": "NaN", "inf": "Infinity", "-inf": "-Infinity", "0.0": "0.0", "-0.0": "-0.0"}
    if text in special:
        return special[text]
    sign, digits, exponent = Decimal(text).normalize().as_tuple()
    figures = "".join(map(str, digits))
    point = len(figures) + int(exponent)
    minus = "-" if sign else ""
    if not -2 <= point <= 7:
        return f"{minus}{figures[0]}.{figures[1:] or '0'}E{point - 1}"
    if point <= 0:
        return f"{minus}0.{'0' * -point}{figures}"
    return f"{minus}{figures[:point].ljust(point, '0')}.{figures[point:] or '0'}"


_ISO: dict[str, Callable[[Any], str]] = {
    "timestamp": _micros(_iso_timestamp),
    "timestamptz": _micros(_utc(_iso_timestamp)),
    "timestamp_ns": _iso_timestamp,
    "timestamptz_ns": _utc(_iso_timestamp),
    "uuid": _uuid,
}
_JSON: dict[str, Callable[[Any], str]] = {
    **_ISO,
    "date": _iso_date,
    "time": _iso_time,
    "decimal": _plain,
    "fixed": _hex,
    "binary": _hex,
}
_TEXT: dict[str, Callable[[Any], str]] = {
    **_ISO,
    "date": _day_text,
    "time": _time_text,
    "boolean": _boolean_text,
    "float": _float_text,
    "double": _double_text,
    "fixed": _base64,
    "binary": _base64,
}

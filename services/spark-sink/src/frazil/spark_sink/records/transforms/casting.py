"""Casts of single values to Connect's types, with the numbers and texts of Java.

Fractions are cut. A number that its new type cannot hold is refused, where Java wraps it round.
"""

import re
from base64 import b64encode
from collections.abc import Callable, Mapping
from datetime import date, datetime, time
from decimal import Decimal
from functools import partial
from math import copysign, inf, isfinite, isnan
from struct import Struct
from typing import Any

from frazil.spark_sink.records.model import Kind
from frazil.spark_sink.records.texts import double_text, float_text
from frazil.spark_sink.records.times import days_of, millis_of
from frazil.spark_sink.records.transforms.refusals import describe

_BITS = {"int8": 8, "int16": 16, "int32": 32, "int64": 64}
_FLOAT32 = Struct("f")
_LARGEST = 1e40
_INTEGER = re.compile(r"[+-]?\d{1,40}")
_FLOAT = re.compile(
    r"[+-]?(?:NaN|Infinity|(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?[fFdD]?)"
)
# What Java's trim takes away.
_BLANKS = "".join(map(chr, range(33)))

Caster = Callable[[Any], Any]


class CastError(ValueError):
    """The value cannot be cast; the message continues a sentence that names the field."""


def caster(target: str, kind: Kind | None = None) -> Caster:
    """Compile a cast of values, of schemas of this kind if there are any; null stays null."""
    if target == "string" and kind is Kind.FLOAT32:
        return partial(_cast, _TO_TEXT | {float: float_text}, target)
    if target in _BITS:
        return _integer_caster(target)
    return partial(_cast, _TARGETS[target], target)


def _integer_caster(target: str) -> Caster:
    top = 2 ** (_BITS[target] - 1)
    low, high = -top, top - 1

    def cast_integer(value: Any) -> int | None:
        if type(value) is not int:
            if value is None:
                return None
            value = _cast(_TO_INTEGER, target, value)
        if low <= value <= high:
            return int(value)
        raise CastError(f"is out of the range of {target}: {value}")

    return cast_integer


def _cast(casts: Mapping[type, Caster], target: str, value: Any) -> Any:
    if value is None:
        return None
    cast_value = casts.get(type(value))
    if cast_value is None:
        raise CastError(f"is {describe(value)}, which cannot be cast to {target}")
    return cast_value(value)


def _truncate(value: float | Decimal) -> int:
    # A short decimal may have a hundred thousand digits as an integer.
    if not isfinite(value) or not -_LARGEST < value < _LARGEST:
        raise CastError(f"is {value}, which is out of the range of integers")
    return int(value)


def _is_not_zero(value: float | Decimal) -> bool:
    # Java cuts the fraction first, and has 0 for NaN.
    return not isnan(value) and not -1 < value < 1


def _parse_integer(text: str) -> int:
    if _INTEGER.fullmatch(text) is None:
        raise CastError(f"is the text {text[:100]!r}, which is no integer")
    return int(text)


def _parse_float(text: str) -> float:
    trimmed = text.strip(_BLANKS)
    if _FLOAT.fullmatch(trimmed) is None:
        raise CastError(f"is the text {text[:100]!r}, which is no number")
    # The `y` of Infinity and the `N` of NaN are no suffixes.
    return float(trimmed.rstrip("fFdD"))


def _float_of_integer(value: int) -> float:
    try:
        return float(value)
    except OverflowError:
        return inf if value > 0 else -inf


def _single_of(cast_double: Caster) -> Caster:
    """Round to 32 bits after a cast to 64."""

    def cast_single(value: Any) -> Any:
        double = cast_double(value)
        try:
            return _FLOAT32.unpack(_FLOAT32.pack(double))[0]
        except OverflowError:
            return copysign(inf, double)

    return cast_single


def _text_of_time(value: datetime | date | time) -> str:
    """Spell a time as Connect does: a date at midnight, for timestamps too."""
    if isinstance(value, datetime):
        plain = value.replace(tzinfo=None)
        if plain.hour or plain.minute or plain.second or plain.microsecond:
            return f"{plain.isoformat(timespec='milliseconds')}Z"
        return plain.date().isoformat()
    if isinstance(value, date):
        return value.isoformat()
    return f"{value.isoformat(timespec='milliseconds')}Z"


def _same(value: Any) -> Any:
    return value


_TO_INTEGER: dict[type, Caster] = {
    bool: int,
    float: _truncate,
    str: _parse_integer,
    Decimal: _truncate,
    date: days_of,
    time: millis_of,
    datetime: millis_of,
}
_TO_DOUBLE: dict[type, Caster] = {
    bool: float,
    int: _float_of_integer,
    float: _same,
    str: _parse_float,
    Decimal: float,
    date: lambda value: float(days_of(value)),
    time: lambda value: float(millis_of(value)),
    datetime: lambda value: float(millis_of(value)),
}
_TO_BOOLEAN: dict[type, Caster] = {
    bool: _same,
    int: bool,
    float: _is_not_zero,
    str: lambda text: text.lower() == "true",
    Decimal: _is_not_zero,
    date: lambda value: days_of(value) != 0,
    time: lambda value: millis_of(value) != 0,
    datetime: lambda value: millis_of(value) != 0,
}
_TO_TEXT: dict[type, Caster] = {
    bool: lambda value: "true" if value else "false",
    int: str,
    float: double_text,
    str: _same,
    bytes: lambda value: b64encode(value).decode(),
    Decimal: str,
    date: _text_of_time,
    time: _text_of_time,
    datetime: _text_of_time,
}
_TARGETS: dict[str, Mapping[type, Caster]] = {
    "float32": {kind: _single_of(cast_double) for kind, cast_double in _TO_DOUBLE.items()},
    "float64": _TO_DOUBLE,
    "boolean": _TO_BOOLEAN,
    "string": _TO_TEXT,
}

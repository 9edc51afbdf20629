"""Values into dates, times and timestamps. Numbers are days in a date, else milliseconds."""

import math
from collections.abc import Callable
from datetime import date, datetime, time
from decimal import Decimal
from typing import Any

from frazil.spark_sink.records.conversion.calendar import (
    DAY,
    EPOCH_ORDINAL,
    days_of_text,
    micros_of_datetime,
    micros_of_text,
    micros_of_time,
    nanos_of_text,
    quick_micros,
)
from frazil.spark_sink.records.conversion.numbers import exact, int_value
from frazil.spark_sink.records.conversion.rules import (
    BEYOND_RANGE,
    NOT_FINITE,
    Leaf,
    Unfit,
    unfit,
)

_LONG = 2**63
_DAY_MICROS = DAY * 1_000_000
# A number of more digits is beyond all columns, in milliseconds too.
_MOST_DIGITS = 20


def date_value(value: Any) -> int:
    """Return days since the epoch; of a timestamp, its date in UTC."""
    if type(value) is str:
        days = days_of_text(value)
        return _number_of_text(int_value, value, "a date") if days is None else days
    if type(value) is date:
        return value.toordinal() - EPOCH_ORDINAL
    if type(value) is datetime:
        return micros_of_datetime(value) // _DAY_MICROS
    return int_value(value)


def time_value(value: Any) -> int:
    """Return microseconds of the day."""
    if type(value) is time:
        seconds = value.hour * 3600 + value.minute * 60 + value.second
        return seconds * 1_000_000 + value.microsecond
    micros = micros_of_time(value) if type(value) is str else None
    if micros is None:
        micros = _scaled(value, 1000, "a time")
    if 0 <= micros < _DAY_MICROS:
        return micros
    raise Unfit(BEYOND_RANGE)


def timestamp(*, zoned: bool) -> Leaf:
    """Return microseconds since the epoch."""

    def convert(value: Any) -> int:
        micros = None
        if type(value) is str:
            micros = quick_micros(value, zoned)
            if micros is not None:
                return micros
            micros = micros_of_text(value, zoned)
        return _within_long(_instant(value, 1) if micros is None else micros)

    return convert


def timestamp_nanos(*, zoned: bool) -> Leaf:
    """Return nanoseconds since the epoch: years 1677 to 2262."""

    def convert(value: Any) -> int:
        nanos = nanos_of_text(value, zoned) if type(value) is str else None
        return _within_long(_instant(value, 1000) if nanos is None else nanos)

    return convert


def _within_long(number: int) -> int:
    if -_LONG <= number < _LONG:
        return number
    raise Unfit(BEYOND_RANGE)


def _instant(value: Any, units: int) -> int:
    """Count since the epoch in so many units a microsecond."""
    if type(value) is datetime:
        return micros_of_datetime(value) * units
    if type(value) is date:
        return (value.toordinal() - EPOCH_ORDINAL) * _DAY_MICROS * units
    return _scaled(value, 1000 * units, "a timestamp")


def _scaled(value: Any, factor: int, what: str) -> int:
    """Multiply a number of milliseconds, or its text; the rest of the last unit is cut."""
    if type(value) is int:
        return value * factor
    if type(value) is str:
        return _number_of_text(lambda text: _scaled(exact(text), factor, what), value, what)
    if type(value) is not float and type(value) is not Decimal:
        raise unfit(value)
    if not math.isfinite(value):
        raise Unfit(NOT_FINITE)
    number = exact(value)
    if number.adjusted() > _MOST_DIGITS:
        raise Unfit(BEYOND_RANGE)
    return math.floor(number * factor)


def _number_of_text(read: Callable[[str], int], text: str, what: str) -> int:
    """Read a text that is a number; the complaint is about what it should be."""
    try:
        exact(text)
    except Unfit:
        raise Unfit(f"text that is not {what}") from None
    return read(text)

"""Connect's logical types as Python values, from the numbers and bytes that stand for them."""

from collections.abc import Callable, Mapping
from datetime import date, datetime, time, timedelta
from decimal import MAX_EMAX, MAX_PREC, MIN_EMIN, Context, Decimal

from frazil.spark_sink.records.errors import ConverterError
from frazil.spark_sink.records.times import DAY, EPOCH, date_of, datetime_of, time_of

_MICROSECOND = timedelta(microseconds=1)
# Python's own context rounds to 28 digits.
_EXACT = Context(prec=MAX_PREC, Emax=MAX_EMAX, Emin=MIN_EMIN)
_LARGEST_SCALE = 100_000


def timestamp_of_millis(millis: int) -> datetime:
    try:
        return datetime_of(millis)
    except OverflowError:
        raise ConverterError(f"timestamp {millis} ms is not in the years 1 to 9999") from None


def timestamp_of_micros(micros: int) -> datetime:
    try:
        return EPOCH + _MICROSECOND * micros
    except OverflowError:
        raise ConverterError(f"timestamp {micros} us is not in the years 1 to 9999") from None


def date_of_days(days: int) -> date:
    try:
        return date_of(days * DAY)
    except (ValueError, OverflowError):
        raise ConverterError(f"date {days} days is not in the years 1 to 9999") from None


def time_of_millis(millis: int) -> time:
    if 0 <= millis < DAY:
        return time_of(millis)
    raise ConverterError(f"time {millis} ms is not within a day")


def time_of_micros(micros: int) -> time:
    if 0 <= micros < DAY * 1000:
        return (EPOCH + _MICROSECOND * micros).time()
    raise ConverterError(f"time {micros} us is not within a day")


def decimal_of_bytes(scale: int) -> Callable[[bytes], Decimal]:
    """Compile the reader of big-endian two's complement bytes with this many decimal places."""

    def read(unscaled: bytes) -> Decimal:
        if not unscaled:
            raise ConverterError("a decimal has no bytes")
        return _EXACT.scaleb(Decimal(int.from_bytes(unscaled, signed=True)), -scale)

    return read


def scale_of(parameters: Mapping[str, str]) -> int:
    """Read the scale of a Decimal schema from its parameters."""
    text = parameters.get("scale")
    if text is None:
        raise ConverterError("Invalid Decimal schema: scale parameter not found.")
    try:
        scale = int(text)
    except ValueError:
        raise ConverterError(f"Invalid scale in Decimal schema: {text}") from None
    if abs(scale) > _LARGEST_SCALE:
        raise ConverterError(f"Invalid scale in Decimal schema: {text}")
    return scale

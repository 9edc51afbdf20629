"""Values as text, the way that Java's `toString` spells them.

Table names and operations come from such texts, and those of Kafka Connect are Java's.
"""

from base64 import b64encode
from collections.abc import Mapping
from datetime import UTC, date, datetime, time
from decimal import Decimal
from functools import partial
from struct import pack
from typing import Any

from frazil.spark_sink.records.model import Kind, Schema

_WEEKDAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
_EPOCH = date(1970, 1, 1)
_PLAIN_FROM, _PLAIN_TO = 1e-3, 1e7


def text_of(value: Any, schema: Schema | None = None) -> str:
    """Spell a value; bytes are in base64, for Java's text of them says nothing."""
    if type(value) is str:
        return value
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        single = schema is not None and schema.kind is Kind.FLOAT32
        return float_text(value) if single else double_text(value)
    if isinstance(value, Mapping):
        return _mapping_text(value, schema)
    if isinstance(value, list):
        element = schema.element if schema else None
        return f"[{', '.join(text_of(one, element) for one in value)}]"
    if isinstance(value, bytes):
        return b64encode(value).decode()
    if isinstance(value, date | time):
        return _moment_text(value)
    if isinstance(value, Decimal):
        return decimal_text(value)
    return str(value)


def double_text(value: float) -> str:
    """Spell a number as Java's `Double.toString`: `1.0E10`, `NaN`, `-Infinity`."""
    return _number_text(value, repr(value))


def float_text(value: float) -> str:
    """Spell a number of 32 bits by the fewest digits that no other such number has."""
    single = _packed(value)
    texts = (f"{value:.{count}g}" for count in range(1, 10))
    shortest = next((one for one in texts if _packed(float(one)) == single), repr(value))
    return _number_text(value, shortest)


def _packed(value: float) -> bytes | None:
    try:
        return pack("f", value)
    except OverflowError:
        return None


def _number_text(value: float, digits: str) -> str:
    if value != value:
        return "NaN"
    if value in (float("inf"), float("-inf")):
        return "Infinity" if value > 0 else "-Infinity"
    sign, mantissa, exponent = Decimal(digits).normalize().as_tuple()
    figures = "".join(map(str, mantissa))
    point = len(figures) + int(exponent)
    minus = "-" if sign else ""
    if value == 0:
        return f"{minus}0.0"
    if not _PLAIN_FROM <= abs(value) < _PLAIN_TO:
        return f"{minus}{figures[0]}.{figures[1:] or '0'}E{point - 1}"
    if point <= 0:
        return f"{minus}0.{'0' * -point}{figures}"
    return f"{minus}{figures[:point].ljust(point, '0')}.{figures[point:] or '0'}"


def decimal_text(value: Decimal) -> str:
    """Spell a decimal as Java's `BigDecimal.toString`; Python's rule is the same."""
    return str(value)


def _mapping_text(value: Mapping[Any, Any], schema: Schema | None) -> str:
    if schema is not None and schema.kind is Kind.STRUCT:
        # A struct's text leaves out what is null.
        known = (
            f"{field.name}={text_of(item, field.schema)}"
            for field in schema.fields
            if (item := value.get(field.name)) is not None
        )
        return f"Struct{{{','.join(known)}}}"
    key_text = partial(text_of, schema=schema.key if schema else None)
    element = schema.element if schema else None
    pairs = (f"{key_text(key)}={text_of(item, element)}" for key, item in value.items())
    return f"{{{', '.join(pairs)}}}"


def _moment_text(value: date | time) -> str:
    """Spell a time as `java.util.Date` has it, in UTC: `Thu Jan 01 00:00:00 UTC 1970`."""
    if isinstance(value, datetime):
        moment = value.astimezone(UTC) if value.tzinfo else value
    elif isinstance(value, date):
        moment = datetime(value.year, value.month, value.day, tzinfo=UTC)
    else:
        moment = datetime.combine(_EPOCH, value)
    day = f"{_WEEKDAYS[moment.weekday()]} {_MONTHS[moment.month - 1]} {moment.day:02}"
    clock = f"{moment.hour:02}:{moment.minute:02}:{moment.second:02}"
    return f"{day} {clock} UTC {moment.year:04}"

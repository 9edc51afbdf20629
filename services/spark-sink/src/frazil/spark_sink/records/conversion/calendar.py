"""Texts of dates, times and timestamps as numbers since the epoch, by plain arithmetic.

Years go as far as the text does: Python's own types end at 1 and 9999.
"""

import re
from datetime import UTC, date, datetime
from itertools import takewhile
from typing import NamedTuple

from frazil.spark_sink.records.conversion.rules import Unfit

DAY = 86_400
EPOCH_ORDINAL = date(1970, 1, 1).toordinal()
_EPOCH = datetime(1970, 1, 1)  # noqa: DTZ001 (times without a zone are subtracted from it)
_EPOCH_UTC = datetime(1970, 1, 1, tzinfo=UTC)
_from_iso = datetime.fromisoformat
_LENGTHS = (31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)
_DATE = r"([+-]\d{4,9}|\d{4})-(\d\d)-(\d\d)"
_TIME = r"(\d\d):(\d\d)(?::(\d\d)(?:[.,](\d*))?)?"
_ZONE = r"([Zz]|([+-])(\d\d)(?::?(\d\d)(?::?(\d\d))?)?)"
_DATE_TEXT = re.compile(_DATE, re.ASCII)
_TIME_TEXT = re.compile(_TIME, re.ASCII)
_TIMESTAMP_TEXT = re.compile(f"{_DATE}(?:[Tt ]{_TIME} ?{_ZONE}?)?", re.ASCII)


class Moment(NamedTuple):
    """A time on a calendar's page: seconds since 1970 there, and by how much it is east of UTC."""

    seconds: int
    nanos: int
    offset: int


def quick_micros(text: str, zoned: bool) -> int | None:
    """Read the usual forms of an ISO timestamp with Python's own parser, else return None.

    Without `zoned` the clock's time counts, whatever its zone.
    """
    try:
        if text[4] != "-" or text[7] != "-" or text[10] not in "T " or text[13] != ":":
            return None
        value = _from_iso(text)
    except (ValueError, IndexError):
        return None
    if value.tzinfo is None:
        delta = value - _EPOCH
    elif zoned or value.tzinfo is UTC:
        delta = value - _EPOCH_UTC
    else:
        delta = value.replace(tzinfo=None) - _EPOCH
    return (delta.days * DAY + delta.seconds) * 1_000_000 + delta.microseconds


def micros_of_text(text: str, zoned: bool) -> int | None:
    """Read an ISO timestamp in any form; return None if the text is none."""
    moment = parse_timestamp(text)
    if moment is None:
        return None
    return _instant(moment, zoned) * 1_000_000 + moment.nanos // 1000


def nanos_of_text(text: str, zoned: bool) -> int | None:
    """Read an ISO timestamp with nine digits of a second; return None if the text is none."""
    micros = quick_micros(text, zoned)
    if micros is not None:
        return micros * 1000 + _nanos_below_micros(text)
    moment = parse_timestamp(text)
    if moment is None:
        return None
    return _instant(moment, zoned) * 1_000_000_000 + moment.nanos


def parse_timestamp(text: str) -> Moment | None:
    """Read a date, with a time or alone, and with an offset from UTC or without."""
    match = _TIMESTAMP_TEXT.fullmatch(text.strip())
    if match is None:
        return None
    year, month, day, hour, minute, second, fraction, zone, sign, *parts = match.groups()
    seconds = days_of(int(year), int(month), int(day)) * DAY
    if hour is None:
        return Moment(seconds, 0, 0)
    seconds, nanos = seconds + _second_of_day(hour, minute, second), _nanos(fraction)
    if hour == "24" and (seconds % DAY or nanos):
        raise Unfit("text of a time that does not exist")
    return Moment(seconds, nanos, _offset(sign, parts) if zone else 0)


def days_of_text(text: str) -> int | None:
    """Read an ISO date as days since the epoch; None if the text is none."""
    if text[4:5] == "-" and text[7:8] == "-":
        try:
            return date.fromisoformat(text).toordinal() - EPOCH_ORDINAL
        except ValueError:
            pass
    match = _DATE_TEXT.fullmatch(text.strip())
    if match is None:
        return None
    year, month, day = match.groups()
    return days_of(int(year), int(month), int(day))


def micros_of_time(text: str) -> int | None:
    """Read an ISO time as microseconds of the day; None if the text is none."""
    match = _TIME_TEXT.fullmatch(text.strip())
    if match is None:
        return None
    hour, minute, second, fraction = match.groups()
    if hour == "24":
        raise Unfit("text of a time that does not exist")
    return _second_of_day(hour, minute, second) * 1_000_000 + _nanos(fraction) // 1000


def days_of(year: int, month: int, day: int) -> int:
    """Count the days since the epoch in the Gregorian calendar, which goes on before its time."""
    if not 1 <= month <= 12 or not 1 <= day <= _length(year, month):
        raise Unfit("text of a date that does not exist")
    # Years begin in March here, so that the leap day is their last.
    shifted = year - (month <= 2)
    era, of_era = divmod(shifted, 400)
    of_year = (153 * ((month + 9) % 12) + 2) // 5 + day - 1
    return era * 146_097 + of_era * 365 + of_era // 4 - of_era // 100 + of_year - 719_468


def micros_of_datetime(value: datetime) -> int:
    """Count the microseconds since the epoch; a time without a zone is one in UTC."""
    delta = value - (_EPOCH if value.tzinfo is None else _EPOCH_UTC)
    return (delta.days * DAY + delta.seconds) * 1_000_000 + delta.microseconds


def _nanos_below_micros(text: str) -> int:
    """Read the seventh to ninth digit of a second."""
    if text[19:20] not in {".", ","} or not text[20:26].isdecimal():
        return 0
    digits = "".join(takewhile(str.isdecimal, text[26:29]))
    return int(digits.ljust(3, "0"))


def _instant(moment: Moment, zoned: bool) -> int:
    return moment.seconds - moment.offset if zoned else moment.seconds


def _length(year: int, month: int) -> int:
    leap = year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)
    return 29 if leap and month == 2 else _LENGTHS[month - 1]


def _second_of_day(hour: str, minute: str, second: str | None) -> int:
    if hour > "24" or minute > "59" or (second or "00") > "59":
        raise Unfit("text of a time that does not exist")
    return int(hour) * 3600 + int(minute) * 60 + int(second or 0)


def _nanos(fraction: str | None) -> int:
    return int(fraction[:9].ljust(9, "0")) if fraction else 0


def _offset(sign: str | None, parts: list[str | None]) -> int:
    hours, minutes, seconds = (int(part or 0) for part in parts)
    if hours > 23 or minutes > 59 or seconds > 59:
        raise Unfit("text of an offset that does not exist")
    offset = hours * 3600 + minutes * 60 + seconds
    return -offset if sign == "-" else offset

"""Times as text by the patterns of Java's SimpleDateFormat, in UTC and in English.

Times are milliseconds since 1970. Parsing is as lenient as Java's: numbers may overflow into the
next unit (month 13, second 75), fields may follow blanks, and text behind the pattern is ignored.
Dates are of the Gregorian calendar at all times, negative numbers are refused.
"""

import re
from collections.abc import Callable, Iterator
from datetime import UTC, date, datetime
from typing import NamedTuple

from frazil.spark_sink.records.times import datetime_of

_MONTHS = ("January", "February", "March", "April", "May", "June", "July", "August", "September",
           "October", "November", "December")  # fmt: skip
_DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
# Zones by the names of RFC 822, in hours.
_ZONES = {"UTC": 0, "GMT": 0, "UT": 0, "EST": -5, "EDT": -4, "CST": -6, "CDT": -5,
          "MST": -7, "MDT": -6, "PST": -8, "PDT": -7}  # fmt: skip
_NUMBERS = frozenset("ydHhmsS")
_LETTERS = _NUMBERS | frozenset("MaEzZX")
_HH, _MM = r"(?:[01]\d|2[0-3])", r"[0-5]\d"
_OFFSETS = ("", rf"Z|[+-]{_HH}", rf"Z|[+-]{_HH}{_MM}", rf"Z|[+-]{_HH}:{_MM}")
_TOKEN = re.compile(
    r"(?P<quote>'')|'(?P<quoted>(?:[^']|'')+)'|(?P<letter>[A-Za-z])(?P=letter)*|[^A-Za-z']+"
)
_EPOCH_DAY = date(1970, 1, 1).toordinal()

Formatter = Callable[[int], str]
Parser = Callable[[str], int]


class BadDatePatternError(ValueError):
    """The pattern is none of SimpleDateFormat's, or has a letter that is not supported."""


class _Token(NamedTuple):
    """A field, or literal text if `letter` is empty."""

    letter: str
    text: str

    @property
    def is_number(self) -> bool:
        return self.letter in _NUMBERS or (self.letter == "M" and len(self.text) < 3)


def date_formatter(pattern: str) -> Formatter:
    """Compile a pattern to a function from milliseconds to text."""
    parts = [_format_part(token) for token in _tokens(pattern)]

    def write(millis: int) -> str:
        moment = datetime_of(millis)
        return "".join([part(moment) for part in parts])

    return write


def date_parser(pattern: str) -> Parser:
    """Compile a pattern to a function from text to milliseconds; it raises ValueError."""
    tokens = list(_tokens(pattern))
    following = [*tokens[1:], _Token("", "")]
    shape = re.compile("".join(map(_shape, tokens, following)), re.DOTALL)
    fields = [(token.letter, _reader(token)) for token in tokens if token.letter]

    def read(text: str) -> int:
        match = shape.match(text)
        if match is None:
            raise ValueError(f"{text!r} does not match the pattern {pattern}")
        values = {"y": 1970, "M": 1, "d": 1, "H": 0, "m": 0, "s": 0, "S": 0, "X": 0}
        for (letter, reader), part in zip(fields, match.groups(), strict=True):
            values[letter] = reader(part)
        return _millis(values)

    return read


def _tokens(pattern: str) -> Iterator[_Token]:
    at = 0
    while at < len(pattern):
        match = _TOKEN.match(pattern, at)
        if match is None:
            raise BadDatePatternError(f"the date pattern {pattern!r} has a quote without an end")
        at, letter = match.end(), match["letter"]
        if letter is None:
            text = match["quote"] or match["quoted"] or match[0]
            yield _Token("", text.replace("''", "'"))
        elif letter not in _LETTERS or (letter == "X" and len(match[0]) > 3):
            raise BadDatePatternError(
                f"the date pattern {pattern!r} has {match[0]!r}, which is not supported"
            )
        else:
            yield _Token(letter, match[0])


def _format_part(token: _Token) -> Callable[[datetime], str]:
    letter, count = token.letter, len(token.text)
    if not letter:
        return lambda _: token.text
    if letter == "y" and count == 2:
        return lambda moment: f"{moment.year % 100:02}"
    if letter in "ME" and not token.is_number:
        names, width = (_MONTHS if letter == "M" else _DAYS), (None if count > 3 else 3)
        if letter == "M":
            return lambda moment: names[moment.month - 1][:width]
        return lambda moment: names[moment.weekday()][:width]
    if letter in "azZX":
        return _ZONED.get(letter) or (lambda moment: "AM" if moment.hour < 12 else "PM")
    number = _PARTS[letter]
    return lambda moment: str(number(moment)).zfill(count)


_ZONED: dict[str, Callable[[datetime], str]] = {
    "z": lambda _: "UTC",
    "Z": lambda _: "+0000",
    "X": lambda _: "Z",
}
_PARTS: dict[str, Callable[[datetime], int]] = {
    "y": lambda moment: moment.year,
    "M": lambda moment: moment.month,
    "d": lambda moment: moment.day,
    "H": lambda moment: moment.hour,
    "h": lambda moment: moment.hour % 12 or 12,
    "m": lambda moment: moment.minute,
    "s": lambda moment: moment.second,
    "S": lambda moment: moment.microsecond // 1000,
}


def _shape(token: _Token, following: _Token) -> str:
    """Write the regular expression of one token, which never gives back what it took."""
    letter, count = token.letter, len(token.text)
    if not letter:
        return re.escape(token.text)
    if token.is_number and following.is_number:
        # Only the lengths in the pattern separate two numbers that touch.
        return rf"[ \t]*+(?=.{{{count}}})(\d{{1,{count}}}+)"
    if token.is_number:
        return r"[ \t]*+(\d++)"
    if letter == "X":
        return rf"[ \t]*+({_OFFSETS[count]})"
    if letter in "zZ":
        names = "|".join(_ZONES)
        return rf"[ \t]*+((?i:GMT[+-]\d{{1,2}}:{_MM}|[+-]{_HH}{_MM}|{names}))"
    names = "AM|PM" if letter == "a" else _names(_MONTHS if letter == "M" else _DAYS)
    return rf"[ \t]*+((?i:{names}))"


def _names(names: tuple[str, ...]) -> str:
    return "|".join([*names, *(name[:3] for name in names)])


def _reader(token: _Token) -> Callable[[str], int]:
    letter = token.letter
    if letter == "y" and len(token.text) <= 2:
        return _near_year_reader(datetime.now(UTC).year - 80)
    if token.is_number:
        return int
    if letter == "M":
        short = [name[:3].lower() for name in _MONTHS]
        return lambda text: short.index(text[:3].lower()) + 1
    if letter == "a":
        return lambda text: 12 * (text.lower() == "pm")
    return _offset if letter in "zZX" else lambda _: 0


def _near_year_reader(first: int) -> Callable[[str], int]:
    """Read two digits as a year of the hundred from the first on, as Java does."""

    def read(text: str) -> int:
        year = int(text)
        return first + (year - first) % 100 if len(text) == 2 else year

    return read


def _offset(text: str) -> int:
    """Read a zone: a name, or hours and maybe minutes behind a sign."""
    name = text.upper().removeprefix("GMT")
    if not name or name == "Z":
        return 0
    if name in _ZONES:
        return _ZONES[name] * 3_600_000
    hours, _, minutes = name[1:].partition(":")
    if not minutes:
        hours, minutes = hours[:2], hours[2:] or "0"
    millis = (int(hours) * 60 + int(minutes)) * 60_000
    return -millis if name[0] == "-" else millis


def _millis(values: dict[str, int]) -> int:
    year, month = divmod(values["y"] * 12 + values["M"] - 1, 12)
    days = date(year, month + 1, 1).toordinal() - _EPOCH_DAY + values["d"] - 1
    hours = values["H"]
    if "h" in values:
        hours = (0 if values["h"] == 12 else values["h"]) + values.get("a", 0)
    seconds = ((days * 24 + hours) * 60 + values["m"]) * 60 + values["s"]
    offset = values.get("z") or values.get("Z") or values["X"]
    return seconds * 1000 + values["S"] - offset

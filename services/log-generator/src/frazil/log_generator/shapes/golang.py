"""Times and durations as Go writes them, in every spelling that a parser has to take."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta, timezone
from functools import lru_cache

_SECOND = 1_000_000_000
_UNITS = (("ms", 1_000_000), ("µs", 1_000), ("ns", 1))


@lru_cache(maxsize=64)
def _to_the_second(second: int, offset_minutes: int) -> tuple[str, str]:
    zone = timezone(timedelta(minutes=offset_minutes))
    text = datetime.fromtimestamp(second, UTC).astimezone(zone).isoformat()
    return text[:19], text[19:] if offset_minutes else "Z"


def rfc3339(when_ns: int, digits: int, offset_minutes: int = 0) -> str:
    """Spell a time with at most `digits` digits of a second; Go drops zeros at their end."""
    second, nanos = divmod(when_ns, _SECOND)
    text, zone = _to_the_second(second, offset_minutes)
    fraction = f"{nanos:09d}"[:digits].rstrip("0")
    return f"{text}.{fraction}{zone}" if fraction else f"{text}{zone}"


def duration(ns: int) -> str:
    """Spell a duration as Go prints it: `0s`, `450ns`, `1.5µs`, `2ms`, `1m30.5s`, `1h0m0s`."""
    if 0 < ns < _SECOND:
        return next(_decimal(ns, size) + unit for unit, size in _UNITS if ns >= size)
    minutes, rest = divmod(ns, 60 * _SECOND)
    hours, minutes = divmod(minutes, 60)
    seconds = _decimal(rest, _SECOND) + "s"
    if hours:
        return f"{hours}h{minutes}m{seconds}"
    return f"{minutes}m{seconds}" if minutes else seconds


def _decimal(ns: int, unit: int) -> str:
    whole, part = divmod(ns, unit)
    digits = len(str(unit)) - 1
    return f"{whole}.{part:0{digits}d}".rstrip("0") if part else str(whole)


def ascii_duration(ns: int) -> str:
    return duration(ns).replace("µs", "us")


def nanoseconds(ns: int) -> str:
    return f"{ns}ns"


def seconds(ns: int) -> str:
    return _decimal(ns, _SECOND) + "s"


def mixed(ns: int) -> str:
    """Spell milliseconds and the rest apart, which Go reads although it never writes it."""
    millis, rest = divmod(ns, 1_000_000)
    return f"{millis}ms{rest}ns"


SPELLINGS: tuple[tuple[Callable[[int], str], float], ...] = (
    (duration, 70),
    (nanoseconds, 15),
    (ascii_duration, 9),
    (seconds, 4),
    (mixed, 2),
)

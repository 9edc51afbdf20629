"""Ranges of versions in Maven's notation, as Kafka Connect has it: `1.0`, `[1,2)`, `(,1],[3,)`."""

import itertools
import re
from collections.abc import Sequence
from dataclasses import dataclass

LATEST = "latest"
_INTERVAL = re.compile(r"([\[(])([^\[\](),]*)(?:(,)([^\[\](),]*))?([\])])")


class InvalidVersionError(Exception):
    def __init__(self, text: str) -> None:
        super().__init__(f"Invalid version specification: {text}")


@dataclass(frozen=True)
class Interval:
    """An empty bound is none."""

    low: str
    high: str
    has_low: bool
    has_high: bool

    def __contains__(self, version: str) -> bool:
        number = _number(version)
        if self.low and not (_number(self.low) < number or self._is_low(number)):
            return False
        return not self.high or number < _number(self.high) or self._is_high(number)

    def __str__(self) -> str:
        begin, end = "[" if self.has_low else "(", "]" if self.has_high else ")"
        return f"{begin}{self.low},{self.high}{end}"

    def _is_low(self, number: tuple[int, ...]) -> bool:
        return self.has_low and number == _number(self.low)

    def _is_high(self, number: tuple[int, ...]) -> bool:
        return self.has_high and number == _number(self.high)


@dataclass(frozen=True)
class VersionRange:
    intervals: tuple[Interval, ...]

    @classmethod
    def parse(cls, text: str) -> "VersionRange":
        """Read a range; a version alone stands for itself and no other."""
        stripped = text.strip()
        if not any(sign in stripped for sign in "[](),"):
            return cls((Interval(stripped, stripped, has_low=True, has_high=True),))
        found = list(_INTERVAL.finditer(stripped))
        intervals = tuple(map(_interval, found))
        is_all = ",".join(one[0] for one in found) == re.sub(r"\s*,\s*(?=[\[(])", ",", stripped)
        if not is_all or not all(map(_is_sound, found, intervals)) or not _ascend(intervals):
            raise InvalidVersionError(text)
        return cls(intervals)

    def __contains__(self, version: str) -> bool:
        return any(version in interval for interval in self.intervals)

    def __str__(self) -> str:
        return ",".join(map(str, self.intervals))


def _interval(found: re.Match[str]) -> Interval:
    begin, low, comma, high, end = (part or "" for part in found.groups())
    low, high = low.strip(), high.strip() if comma else low.strip()
    return Interval(low, high, has_low=begin == "[", has_high=end == "]")


def _is_sound(found: re.Match[str], interval: Interval) -> bool:
    if found[3] is None:
        return bool(interval.low) and interval.has_low and interval.has_high
    return not (interval.low and interval.high) or _number(interval.low) <= _number(interval.high)


def _ascend(intervals: tuple[Interval, ...]) -> bool:
    return all(
        before.high and after.low and _number(before.high) <= _number(after.low)
        for before, after in itertools.pairwise(intervals)
    )


def _number(version: str) -> tuple[int, ...]:
    """Read what can be compared; words such as `rc1` come before any number."""
    parts = [int(part) if part.isdecimal() else -1 for part in re.split(r"[.-]", version)]
    while parts and parts[-1] == 0:
        parts.pop()
    return tuple(parts)


def unmatched(class_name: str, wanted: str, available: Sequence[str]) -> str | None:
    """Say in Connect's words that no version fits, if so; may raise InvalidVersionError."""
    if wanted == LATEST:
        return None
    versions = VersionRange.parse(wanted)
    if any(version in versions for version in available):
        return None
    return (
        f"Plugin {class_name} not found that matches the version range {versions}, "
        f"available versions: [{', '.join(available)}]"
    )

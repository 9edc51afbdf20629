"""How a table is partitioned, in the words of Kafka Connect's sinks: `day(time), bucket(id, 8)`."""

import re
from dataclasses import dataclass

_COMMA = re.compile(r",(?![^()]*\))")
_CALL = re.compile(r"(\w+)\((.+)\)", re.DOTALL)
_PLURALS = {"years": "year", "months": "month", "days": "day", "hours": "hour"}
_OF_TIME = frozenset(_PLURALS.values())
_WITH_NUMBER = frozenset({"bucket", "truncate"})


class BadPartitionError(ValueError):
    """The text is no partitioning; its words say what is."""


@dataclass(frozen=True)
class PartitionPart:
    """One field of a partition spec; `number` is that of `bucket` and `truncate`."""

    transform: str
    column: str
    number: int = 0

    def __str__(self) -> str:
        if self.transform == "identity":
            return self.column
        number = f", {self.number}" if self.number else ""
        return f"{self.transform}({self.column}{number})"


def parse_partitioning(text: str | None) -> tuple[PartitionPart, ...]:
    """Split at commas outside of parentheses."""
    parts = (part.strip() for part in _COMMA.split(text or ""))
    return tuple(_part(part) for part in parts if part)


def _part(text: str) -> PartitionPart:
    call = _CALL.fullmatch(text)
    if call is None:
        return PartitionPart("identity", text)
    word, inner = call[1].lower(), call[2]
    transform = _PLURALS.get(word, word)
    if transform in _OF_TIME:
        return PartitionPart(transform, inner.strip())
    column, _, number = (part.strip() for part in inner.rpartition(","))
    if transform in _WITH_NUMBER and column and number.isdecimal() and int(number) > 0:
        return PartitionPart(transform, column, int(number))
    raise BadPartitionError(
        f"{text} is no partition: give a column, year(c), month(c), day(c), hour(c), bucket(c, n) "
        "or truncate(c, n)"
    )

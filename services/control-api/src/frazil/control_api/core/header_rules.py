"""Headers for every answer, in the notation of Kafka Connect's `response.http.headers.config`."""

import csv
import re
from collections.abc import Iterable
from dataclasses import dataclass
from email.utils import formatdate

_RULE = re.compile(r"(set|add|setDate|addDate)\s+([!#$%&'*+.^_`|~0-9A-Za-z-]+)\s*:\s*(.*)")


class HeaderRuleError(ValueError):
    """The text is no list of header rules."""


@dataclass(frozen=True, slots=True)
class HeaderRule:
    """`replaces` what is there under that name; a date is so many milliseconds from now."""

    name: str
    value: str
    replaces: bool
    is_date: bool

    def text(self, now: float) -> str:
        return formatdate(now + int(self.value) / 1000, usegmt=True) if self.is_date else self.value


def parse_header_rules(text: str) -> tuple[HeaderRule, ...]:
    """Read rules between commas, each `action name: value`; quotes keep commas together."""
    if not text.strip():
        return ()
    if not (text.isprintable() and text.isascii()):
        raise HeaderRuleError("header rules are plain text in one line")
    fields: Iterable[str] = next(csv.reader([text], skipinitialspace=True))
    return tuple(_rule(field.strip()) for field in fields)


def _rule(field: str) -> HeaderRule:
    found = _RULE.fullmatch(field)
    if found is None:
        raise HeaderRuleError(
            f"{field!r} is no header rule: write `action name: value` with set, add, setDate or "
            "addDate"
        )
    action, name, value = found.groups()
    is_date = action.endswith("Date")
    if is_date and not re.fullmatch(r"-?[0-9]{1,15}", value):
        raise HeaderRuleError(f"{field!r} needs a number of milliseconds as its value")
    return HeaderRule(name, value, replaces=action.startswith("set"), is_date=is_date)

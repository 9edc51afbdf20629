"""Templates that name the table of a record, such as `lake.${topic}`."""

import re
from dataclasses import dataclass
from enum import StrEnum

from frazil.contracts.validators import Value, invalid

_HOLE = re.compile(r"\$\{([^}]*)\}")


class Source(StrEnum):
    TOPIC = "topic"
    KEY = "key"
    VALUE = "value"
    HEADER = "header"


@dataclass(frozen=True)
class Hole:
    """A place that each record fills; `path` leads into its key or value, or names a header."""

    source: Source
    path: tuple[str, ...] = ()


class BadTemplateError(ValueError):
    """The text is no template; its words say why."""


def parse_template(text: str) -> tuple[str | Hole, ...]:
    """Take a template apart into texts and holes."""
    # Split by a pattern with one group, texts and the insides of holes take turns.
    turns = enumerate(_HOLE.split(text))
    parts = (_hole(part) if number % 2 else part for number, part in turns)
    return tuple(part for part in parts if part)


def _hole(text: str) -> Hole:
    word, dot, rest = text.partition(".")
    if word == Source.TOPIC and not dot:
        return Hole(Source.TOPIC)
    if word == Source.KEY and (rest or not dot):
        return Hole(Source.KEY, tuple(rest.split(".")) if rest else ())
    if word == Source.VALUE and rest:
        return Hole(Source.VALUE, tuple(rest.split(".")))
    if word == Source.HEADER and rest:
        return Hole(Source.HEADER, (rest,))
    raise BadTemplateError(
        f"${{{text}}} is none of ${{topic}}, ${{key}}, ${{key.<field>}}, ${{value.<field>}} and "
        "${header.<name>}"
    )


def table_template(name: str, value: Value) -> str | None:
    """Check a template as the value of a key."""
    if not isinstance(value, str) or not value:
        return None
    try:
        parts = parse_template(value)
    except BadTemplateError as error:
        return invalid(name, value, str(error))
    if not any(isinstance(part, Hole) for part in parts):
        return invalid(name, value, "It names one table only; set iceberg.tables instead")
    return None

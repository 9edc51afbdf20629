"""The little languages inside options: cast specs, renamings, patterns, names with a mark."""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from frazil.contracts.validators import Value, invalid

CAST_TYPES = (
    "int8", "int16", "int32", "int64", "float32", "float64", "boolean", "string",
)  # fmt: skip


class BadFormError(ValueError):
    """An option's text is not of its form; says why."""


def cast_spec(entries: Sequence[str]) -> dict[str | None, str]:
    """Read `field:type,...`, or one type for the whole, whose field is None."""
    spec: dict[str | None, str] = {}
    for entry in entries:
        field, colon, kind = entry.rpartition(":")
        if kind.strip().lower() not in CAST_TYPES:
            raise BadFormError(f"{entry} names no type: one of {', '.join(CAST_TYPES)}")
        spec[field.strip() if colon else None] = kind.strip().lower()
    if not spec:
        raise BadFormError("Must specify at least one field to cast.")
    if None in spec and len(entries) > 1:
        raise BadFormError("A type for the whole stands alone, without any field")
    return spec


def renamings(entries: Sequence[str]) -> dict[str, str]:
    """Read `old:new,...`."""
    found: dict[str, str] = {}
    for entry in entries:
        parts = entry.split(":")
        if len(parts) != 2 or not all(part.strip() for part in parts):
            raise BadFormError(f"Invalid rename mapping: {entry}")
        found[parts[0].strip()] = parts[1].strip()
    return found


@dataclass(frozen=True)
class MarkedName:
    """The name of a new field; `name!` is required, `name` and `name?` are optional."""

    name: str
    required: bool

    @classmethod
    def of(cls, text: str) -> "MarkedName":
        return cls(text.rstrip("!?") if text[-1:] in "!?" else text, text.endswith("!"))


def path_of(field: str, syntax: str | None) -> tuple[str, ...]:
    """Split a field's name as KIP-821 does: V2 has dots for steps and backticks around names."""
    if (syntax or "V1").upper() == "V1":
        return (field,)
    return tuple(_steps(field))


_STEP = re.compile(r"`((?:[^`\\]|\\.)*)`(?:\.|$)|([^.`]*)(?:\.|$)")


def _steps(field: str) -> Iterator[str]:
    at = 0
    while at < len(field):
        found = _STEP.match(field, at)
        if found is None:
            raise BadFormError(f"{field} is not a path: a backtick has no partner")
        quoted, plain = found.groups()
        yield plain if quoted is None else quoted.replace("\\`", "`")
        at = found.end()


def valid_cast(name: str, value: Value) -> str | None:
    return _tried(name, value, cast_spec)


def valid_renamings(name: str, value: Value) -> str | None:
    return _tried(name, value, renamings)


def _tried(name: str, value: Value, read: Callable[[Sequence[str]], object]) -> str | None:
    if not isinstance(value, tuple):
        return None
    try:
        read(value)
    except BadFormError as error:
        return invalid(name, value, str(error))
    return None


def non_empty_list(name: str, value: Value) -> str | None:
    if isinstance(value, tuple) and not any(value):
        return invalid(name, value, "Empty list")
    return None

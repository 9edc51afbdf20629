"""From the text of one key to its value, with Connect's rules and Connect's complaints."""

import re
from collections.abc import Mapping
from dataclasses import dataclass

from frazil.contracts.config import NO_DEFAULT, Key, KeyType
from frazil.contracts.validators import Value, invalid

# What Java's trim() takes away: everything up to the blank, control characters too.
_TRIMMED = "".join(map(chr, range(0x21)))
_NUMBER = re.compile(r"[+-]?[0-9]{1,40}")
_DECIMAL = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]{1,3})?")
_COMMA = re.compile(r"\s*,\s*", re.ASCII)
_BITS = {KeyType.SHORT: 16, KeyType.INT: 32, KeyType.LONG: 64}
_BOOLEANS = {"true": True, "false": False}


class BadValueError(Exception):
    """The text is no value of its key's type."""


@dataclass(frozen=True)
class Checked:
    """What became of one key: its value (None if it cannot be read) and all complaints."""

    value: Value
    errors: tuple[str, ...]


def parse_value(key: Key, text: str) -> Value:
    trimmed = text.strip(_TRIMMED)
    if key.type is KeyType.BOOLEAN:
        return _boolean(key, text, trimmed)
    if key.type in _BITS:
        return _number(key, text, trimmed)
    if key.type is KeyType.DOUBLE:
        return _decimal(key, text, trimmed)
    if key.type is KeyType.LIST:
        return split_list(trimmed)
    return trimmed


def split_list(text: str) -> tuple[str, ...]:
    """Take a list apart as Connect does: blanks around commas do not count."""
    trimmed = text.strip(_TRIMMED)
    return tuple(_COMMA.split(trimmed)) if trimmed else ()


def _boolean(key: Key, text: str, trimmed: str) -> bool:
    value = _BOOLEANS.get(trimmed.lower())
    if value is None:
        raise BadValueError(invalid(key.name, text, "Expected value to be either true or false"))
    return value


def _number(key: Key, text: str, trimmed: str) -> int:
    limit = 2 ** (_BITS[key.type] - 1)
    if _NUMBER.fullmatch(trimmed) and -limit <= int(trimmed) < limit:
        return int(trimmed)
    raise BadValueError(invalid(key.name, text, f"Not a number of type {key.type}"))


def _decimal(key: Key, text: str, trimmed: str) -> float:
    if _DECIMAL.fullmatch(trimmed):
        return float(trimmed)
    raise BadValueError(invalid(key.name, text, f"Not a number of type {key.type}"))


def check(key: Key, config: Mapping[str, str | None]) -> Checked:
    """Read one key of a configuration.

    As in Connect, the validator also sees what could not be read (as None), so that
    `tasks.max=abc` earns two complaints.
    """
    value: Value = None
    errors: list[str] = []
    if key.name in config:
        text = config[key.name]
        try:
            value = None if text is None else parse_value(key, text)
        except BadValueError as error:
            errors.append(str(error))
    elif key.default is NO_DEFAULT:
        errors.append(f'Missing required configuration "{key.name}" which has no default value.')
    else:
        value = key.default
    if key.validator is not None and (complaint := key.validator(key.name, value)):
        errors.append(complaint)
    return Checked(value, tuple(errors))

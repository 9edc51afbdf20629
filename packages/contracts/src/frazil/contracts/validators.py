"""Checks of one value: each returns Connect's complaint in Connect's words, or None."""

import re
import warnings
from collections.abc import Callable
from dataclasses import KW_ONLY, dataclass

from frazil.contracts.secrets import HIDDEN, is_secret

Value = str | int | float | bool | tuple[str, ...] | None
Validator = Callable[[str, Value], str | None]
OFF = -1
# What Python's engine says of patterns that Java's cannot read either.
_BROKEN = ("missing )", "unbalanced parenthesis", "unterminated", "nothing to repeat")


def as_java_text(value: Value) -> str:
    """Spell a value as Connect's messages do."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, tuple):
        return f"[{', '.join(value)}]"
    return str(value)


def invalid(name: str, value: Value, why: str) -> str:
    shown = HIDDEN if is_secret(name) and value is not None else as_java_text(value)
    return f"Invalid value {shown} for configuration {name}: {why}"


@dataclass(frozen=True)
class AtLeast:
    minimum: int

    def __call__(self, name: str, value: Value) -> str | None:
        if not isinstance(value, int | float):
            return invalid(name, value, "Value must be non-null")
        if value < self.minimum:
            return invalid(name, value, f"Value must be at least {self.minimum}")
        return None


@dataclass(frozen=True)
class Between:
    minimum: int
    maximum: int

    def __call__(self, name: str, value: Value) -> str | None:
        complaint = AtLeast(self.minimum)(name, value)
        if complaint is None and isinstance(value, int | float) and value > self.maximum:
            return invalid(name, value, f"Value must be no more than {self.maximum}")
        return complaint


@dataclass(frozen=True)
class OffOrAtLeast:
    """A number, or OFF, which switches off what the key is about."""

    minimum: int

    def __call__(self, name: str, value: Value) -> str | None:
        if value != OFF and AtLeast(self.minimum)(name, value) is not None:
            return invalid(name, value, f"Value must be {OFF}, or at least {self.minimum}")
        return None


@dataclass(frozen=True)
class OneOf:
    """One of these words; with `ignore_case` they are given in capitals, as Connect does."""

    values: tuple[str, ...]
    _: KW_ONLY
    ignore_case: bool = False

    def __call__(self, name: str, value: Value) -> str | None:
        if (str(value).upper() if self.ignore_case else value) in self.values:
            return None
        case = " (case insensitive)" if self.ignore_case else ""
        return invalid(name, value, f"String must be one of{case}: {', '.join(self.values)}")


@dataclass(frozen=True)
class Matches:
    """The whole value has a form; `hint` says it in words."""

    pattern: str
    hint: str

    def __call__(self, name: str, value: Value) -> str | None:
        if isinstance(value, str) and re.fullmatch(self.pattern, value):
            return None
        return invalid(name, value, self.hint)


@dataclass(frozen=True)
class KnownClass:
    """One of these classes, by full name or alias; stands for Connect's class loading."""

    names: frozenset[str]

    def __call__(self, name: str, value: Value) -> str | None:
        if value in self.names:
            return None
        return invalid(name, value, f"Class {as_java_text(value)} could not be found.")


@dataclass(frozen=True)
class Optional:
    """A check of what is given; nothing is fine too."""

    check: Validator

    def __call__(self, name: str, value: Value) -> str | None:
        return None if value is None else self.check(name, value)


def non_empty(name: str, value: Value) -> str | None:
    return invalid(name, value, "String must be non-empty") if value == "" else None


def non_empty_without_control_chars(name: str, value: Value) -> str | None:
    if not isinstance(value, str):
        # A missing name is complained of as missing.
        return None
    if not value:
        return invalid(name, value, "String may not be empty")
    control = [ord(char) for char in value if ord(char) < 0x20 or 0x7F <= ord(char) <= 0x9F]
    if not control:
        return None
    found = ", ".join(map(str, control))
    why = f"String may not contain control sequences but had the following ASCII chars: {found}"
    return invalid(name, value, why)


def unique_aliases(name: str, value: Value) -> str | None:
    if isinstance(value, tuple) and len(set(value)) < len(value):
        return invalid(name, value, "Duplicate alias provided.")
    return None


def distinct(name: str, value: Value) -> str | None:
    """No value twice and none empty; newer checks of Connect, without its usual prefix."""
    if not isinstance(value, tuple):
        return None
    if len(set(value)) < len(value):
        return f"Configuration '{name}' values must not be duplicated."
    if "" in value:
        return f"Configuration '{name}' values must not be empty."
    return None


def valid_pattern(name: str, value: Value) -> str | None:
    """Refuse what is no pattern at all; the rest is Java's to judge, which knows more."""
    if not isinstance(value, str):
        return None
    if not value:
        return invalid(name, value, "String must be non-empty")
    try:
        with warnings.catch_warnings(action="ignore"):
            re.compile(value)
    except re.error as error:
        if str(error).startswith(_BROKEN):
            return invalid(name, value, f"Not a regular expression: {error}")
    return None

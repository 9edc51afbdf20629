"""Configuration keys: their types, defaults, words for people and checks. No values live here."""

import re
from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass, field, replace
from enum import Enum, StrEnum
from functools import cache

from frazil.contracts.secrets import is_secret
from frazil.contracts.validators import Validator, Value


class KeyType(StrEnum):
    """Connect's types of values."""

    BOOLEAN = "BOOLEAN"
    STRING = "STRING"
    INT = "INT"
    SHORT = "SHORT"
    LONG = "LONG"
    DOUBLE = "DOUBLE"
    LIST = "LIST"
    CLASS = "CLASS"
    PASSWORD = "PASSWORD"  # noqa: S105 (a type's name)


class Importance(StrEnum):
    HIGH = "HIGH"
    MEDIUM = "MEDIUM"
    LOW = "LOW"


class Width(StrEnum):
    """How wide a form should draw the field."""

    NONE = "NONE"
    SHORT = "SHORT"
    MEDIUM = "MEDIUM"
    LONG = "LONG"


class NoDefault(Enum):
    """Marks a required key; None will not do, for it is the default of many keys."""

    NO_DEFAULT = "NO_DEFAULT"


NO_DEFAULT = NoDefault.NO_DEFAULT


@dataclass(frozen=True)
class Key:
    name: str
    type: KeyType
    _: KW_ONLY
    default: Value | NoDefault = None
    importance: Importance = Importance.LOW
    documentation: str
    group: str | None = None
    order: int = -1
    width: Width = Width.MEDIUM
    display_name: str
    validator: Validator | None = None
    recommended: tuple[str, ...] = ()

    @property
    def is_required(self) -> bool:
        return self.default is NO_DEFAULT


@dataclass(frozen=True)
class KeyFamily:
    """Keys of one form, such as `iceberg.catalog.*` or `iceberg.table.<table>.id-columns`.

    `types` are those of members that are no texts, by what `*` stands for.
    """

    form: str
    _: KW_ONLY
    importance: Importance = Importance.LOW
    documentation: str
    group: str
    types: Mapping[str, KeyType] = field(default_factory=dict)

    def member(self, name: str) -> Key:
        """Make the key of one name; it is a password if the name says so."""
        kind = self.types.get(name.removeprefix(self.form.partition("*")[0]), KeyType.STRING)
        return Key(
            name,
            KeyType.PASSWORD if is_secret(name) else kind,
            importance=self.importance,
            documentation=self.documentation,
            group=self.group,
            display_name=name,
        )


@cache
def form_pattern(form: str) -> re.Pattern[str]:
    """Regular expression of a family's form; the form of a plain key is its own name."""
    parts = re.split(r"\*|<\w+>", form)
    return re.compile(".+".join(re.escape(part) for part in parts))


def has_form(name: str, form: str) -> bool:
    return form_pattern(form).fullmatch(name) is not None


def section(group: str, *keys: Key, first: int = 1) -> tuple[Key, ...]:
    """Number keys in the order given, in this group unless a key names its own."""
    return tuple(
        replace(key, group=key.group or group, order=order)
        for order, key in enumerate(keys, start=first)
    )

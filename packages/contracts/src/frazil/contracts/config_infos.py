"""The answers of Connect's plugin endpoints: definitions of keys, and a configuration judged."""

import re
from collections.abc import Iterable, Sequence

from pydantic import BaseModel, ConfigDict

from frazil.contracts.config import Importance, Key, KeyType, NoDefault, Width
from frazil.contracts.secrets import HIDDEN, without_logins
from frazil.contracts.validators import Value, as_java_text

_COUNTED_ONCE = re.compile(r"(key|value|header)\.converter\.|(producer|consumer|admin)\.override\.")


class ConfigDefinition(BaseModel):
    """A key described; `order` is the older spelling of `order_in_group`, and clients read it."""

    model_config = ConfigDict(frozen=True)

    name: str
    type: KeyType
    required: bool
    default_value: str | None
    importance: Importance
    documentation: str
    group: str | None
    order_in_group: int
    width: Width
    display_name: str
    dependents: list[str] = []
    order: int

    @classmethod
    def of(cls, key: Key) -> "ConfigDefinition":
        default = None if isinstance(key.default, NoDefault) else key.default
        return cls(
            name=key.name,
            type=key.type,
            required=key.is_required,
            default_value=wire_text(key, default),
            importance=key.importance,
            documentation=key.documentation,
            group=key.group,
            order_in_group=key.order,
            width=key.width,
            display_name=key.display_name,
            order=key.order,
        )


class ConfigValue(BaseModel):
    model_config = ConfigDict(frozen=True)

    name: str
    value: str | None
    recommended_values: list[str] = []
    errors: list[str] = []
    visible: bool = True


class ConfigInfo(BaseModel):
    model_config = ConfigDict(frozen=True)

    definition: ConfigDefinition
    value: ConfigValue

    @classmethod
    def of(cls, key: Key, value: Value, errors: Sequence[str]) -> "ConfigInfo":
        return cls(
            definition=ConfigDefinition.of(key),
            value=ConfigValue(
                name=key.name,
                value=wire_text(key, value),
                recommended_values=list(key.recommended),
                errors=list(errors),
            ),
        )


class ConfigInfos(BaseModel):
    """The answer of validate; an invalid configuration is a good answer too."""

    model_config = ConfigDict(frozen=True)

    name: str
    error_count: int
    groups: list[str]
    configs: list[ConfigInfo]


def count_errors(infos: Iterable[ConfigInfo]) -> int:
    """Count as Connect does: by complaints, but each setting of a converter or a client once."""
    return sum(
        bool(info.value.errors) if _COUNTED_ONCE.match(info.value.name) else len(info.value.errors)
        for info in infos
    )


def wire_text(key: Key, value: Value) -> str | None:
    """Spell a value as the API does: text or null, lists joined by commas, no passwords."""
    if value is None:
        return None
    if key.type is KeyType.PASSWORD:
        return HIDDEN
    text = ",".join(value) if isinstance(value, tuple) else as_java_text(value)
    return without_logins(text)

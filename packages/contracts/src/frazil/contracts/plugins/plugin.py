"""A connector class: its keys and rules, and all that is done with a configuration of it."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import KW_ONLY, dataclass
from functools import cached_property
from itertools import chain
from typing import Literal

from frazil.contracts.config import Key, KeyFamily, has_form
from frazil.contracts.config_infos import ConfigDefinition, ConfigInfo, ConfigInfos
from frazil.contracts.parsing import check
from frazil.contracts.plugins.common import class_names, common_keys
from frazil.contracts.plugins.parsed import Complaint, InvalidConfigError, ParsedConfig
from frazil.contracts.plugins.strangers import UNKNOWN_KEYS, is_slip, objection, stranger

Config = Mapping[str, str | None]
Rule = Callable[[ParsedConfig], Iterable[Complaint]]

_NULL = "Null value can not be supplied as the configuration value."


@dataclass(frozen=True)
class _Reading:
    """One pass over a configuration; validate and parse are two views of it."""

    keys: tuple[Key, ...]
    config: ParsedConfig
    errors: Mapping[str, list[str]]


@dataclass(frozen=True)
class Plugin:
    """`keys` are the class's own, `kind_keys` those of every sink (or source)."""

    class_name: str
    _: KW_ONLY
    type: Literal["sink", "source"]
    version: str
    worker: str
    kind_keys: tuple[Key, ...]
    keys: tuple[Key, ...]
    families: tuple[KeyFamily, ...]
    rules: tuple[Rule, ...]

    @property
    def names(self) -> frozenset[str]:
        """All names of the class that Connect understands."""
        return class_names(self.class_name, "Connector")

    @cached_property
    def common_keys(self) -> tuple[Key, ...]:
        """Keys that Connect itself defines."""
        return common_keys(self.version) + self.kind_keys

    def definitions(self) -> list[ConfigDefinition]:
        """Describe the keys in Connect's order, the class's own first."""
        return [ConfigDefinition.of(key) for key in self.keys + self.common_keys]

    def validate(self, config: Config) -> ConfigInfos:
        """Judge a configuration as submitted: what a `${...}` stands for is never looked at."""
        reading = self._read(config)
        return ConfigInfos(
            name=config.get("connector.class") or self.class_name,
            error_count=sum(map(len, reading.errors.values())),
            groups=list(dict.fromkeys(key.group for key in reading.keys if key.group)),
            configs=[
                ConfigInfo.of(key, reading.config[key.name], reading.errors[key.name])
                for key in reading.keys
            ],
        )

    def parse(self, config: Config) -> ParsedConfig:
        """Return the typed values, or raise InvalidConfigError with what validate would say."""
        reading = self._read(config)
        messages = [message for key in reading.keys for message in reading.errors[key.name]]
        if messages:
            raise InvalidConfigError(messages)
        return reading.config

    def _read(self, config: Config) -> _Reading:
        # Connect lets a null pass for a key of the class itself: it is as if not given.
        given = {n: text for n, text in config.items() if text is not None or not self._is_own(n)}
        keys = (*self.common_keys, *self.keys, *self._extra_keys(given))
        checked = {key.name: check(key, given) for key in keys}
        slips = self._slips(given)
        tolerant = checked[UNKNOWN_KEYS].value == "warn"
        parsed = ParsedConfig(
            values={name: found.value for name, found in checked.items()},
            submitted={name: text for name, text in given.items() if text is not None},
            warnings=tuple(slip.message for slip in slips) if tolerant else (),
        )
        errors = {name: list(found.errors) for name, found in checked.items()}
        rules = (rule(parsed) for rule in self.rules)
        for key, message in chain(_nulls(given), () if tolerant else slips, *rules):
            errors[key].append(message)
        return _Reading(keys, parsed, errors)

    def _extra_keys(self, given: Config) -> Iterator[Key]:
        """Make keys of names that are not fixed: members of families, and what is in error."""
        for name in given:
            if name in self._fixed:
                continue
            if key := self._key(name):
                yield key
            elif given[name] is None or is_slip(name):
                yield stranger(name)

    @cached_property
    def _fixed(self) -> dict[str, Key]:
        return {key.name: key for key in self.common_keys + self.keys}

    def _key(self, name: str) -> Key | None:
        families = (one.member(name) for one in self.families if has_form(name, one.form))
        return self._fixed.get(name) or next(families, None)

    def _is_own(self, name: str) -> bool:
        key = self._key(name)
        return key is not None and key not in self.common_keys

    def _slips(self, given: Config) -> list[Complaint]:
        names = [*self._fixed, *(family.form for family in self.families)]
        unknown = (name for name in given if is_slip(name) and self._key(name) is None)
        return [Complaint(name, objection(name, names)) for name in unknown]


def _nulls(given: Config) -> Iterator[Complaint]:
    return (Complaint(name, _NULL) for name, text in given.items() if text is None)

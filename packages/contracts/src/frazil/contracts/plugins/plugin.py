"""A connector class: its keys and rules, and all that is done with a configuration of it."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import KW_ONLY, dataclass, replace
from functools import cached_property
from itertools import chain
from typing import Any, Literal

from frazil.contracts.config import Key, KeyFamily, has_form
from frazil.contracts.config_infos import ConfigDefinition, ConfigInfo, ConfigInfos, count_errors
from frazil.contracts.parsing import check
from frazil.contracts.plugins.common import common_keys, installed_version
from frazil.contracts.plugins.converters import class_names
from frazil.contracts.plugins.group_keys import check_group
from frazil.contracts.plugins.not_yet import NotYet
from frazil.contracts.plugins.parsed import Complaint, InvalidConfigError, ParsedConfig
from frazil.contracts.plugins.strangers import UNKNOWN_KEYS, is_slip, objection, stranger
from frazil.contracts.plugins.transforms.chain import check_stages, is_stage_option, stage_keys
from frazil.contracts.secrets import without_logins

Config = Mapping[str, str | None]
Rule = Callable[[ParsedConfig], Iterable[Complaint]]
# From a partition and its offset, None to forget it, as in Connect's offsets API; may raise
# InvalidOffsetError.
OffsetCheck = Callable[[Mapping[str, Any], Mapping[str, Any] | None], None]

_NULL = "Null value can not be supplied as the configuration value."


@dataclass(frozen=True)
class _Reading:
    """One pass over a configuration; validate and parse are two views of it."""

    keys: tuple[Key, ...]
    config: ParsedConfig
    errors: Mapping[str, list[str]]


class InvalidOffsetError(Exception):
    """A position that no worker could begin at; the text is Connect's."""


@dataclass(frozen=True)
class About:
    """What the reference page says besides the keys; classes that share it share the page."""

    title: str
    summary: str
    needs: str
    example: Mapping[str, str]
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Plugin:
    """`keys` are the class's own, `kind_keys` those of every sink (or source).

    `worker` is the kind of worker, and so the package, that does the work; `job` the module in it.
    `stages` says that transforms and predicates may be configured, each with keys of its own.
    `doubts` are rules that object to keys without effect: a warning if unknown keys are one.
    """

    class_name: str
    _: KW_ONLY
    type: Literal["sink", "source"]
    version: str
    worker: str
    job: str
    about: About
    kind_keys: tuple[Key, ...]
    keys: tuple[Key, ...]
    families: tuple[KeyFamily, ...]
    rules: tuple[Rule, ...]
    limits: tuple[NotYet, ...] = ()
    doubts: tuple[Rule, ...] = ()
    stages: bool = False
    uses_files: bool = False
    offset_check: OffsetCheck | None = None

    @cached_property
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
        """Judge a configuration; a `${...}` in it is a text like any other."""
        reading = self._read(config)
        infos = [
            ConfigInfo.of(key, reading.config[key.name], reading.errors[key.name])
            for key in reading.keys
        ]
        return ConfigInfos(
            name=config.get("connector.class") or self.class_name,
            error_count=count_errors(infos),
            groups=list(dict.fromkeys(key.group for key in reading.keys if key.group)),
            configs=infos,
        )

    def read(self, config: Config) -> ParsedConfig:
        """Return what can be read, whatever there is to complain of."""
        return self._read(config).config

    def value(self, config: Config, name: str) -> Any:
        """Read one key alone: its default where it cannot be read, None if there is no such key."""
        key = self._fixed.get(name)
        if key is None:
            return None
        found = check(key, config)
        value = None if found.errors else found.value
        return key.default if value is None and not key.is_required else value

    def parse(self, config: Config) -> ParsedConfig:
        """Return the typed values, or raise InvalidConfigError with what validate would say."""
        reading = self._read(config)
        messages = [message for key in reading.keys for message in reading.errors[key.name]]
        if messages:
            raise InvalidConfigError(messages)
        return reading.config

    def check_source_offset(
        self, partition: Mapping[str, Any], offset: Mapping[str, Any] | None
    ) -> None:
        """Raise InvalidOffsetError if a source of this class could not go on there."""
        if self.offset_check is not None:
            self.offset_check(partition, offset)

    def _read(self, config: Config) -> _Reading:
        # Connect lets a null pass for a key of the class itself: it is as if not given.
        given = {n: text for n, text in config.items() if text is not None or not self._is_own(n)}
        stages = tuple(stage_keys(given)) if self.stages else ()
        slips = self._slips(given, stages)
        keys = (*self.common_keys, *self.keys, *stages, *self._extra_keys(given, stages, slips))
        checked = {key.name: check(key, given) for key in keys}
        parsed = ParsedConfig(
            values={name: found.value for name, found in checked.items()},
            submitted={name: text for name, text in given.items() if text is not None},
        )
        slips += [found for doubt in self.doubts for found in doubt(parsed)]
        tolerant = checked[UNKNOWN_KEYS].value == "warn"
        if tolerant:
            parsed = replace(parsed, warnings=tuple(slip.message for slip in slips))
        errors = {n: list(map(without_logins, found.errors)) for n, found in checked.items()}
        version = installed_version(self.class_name, self.version)
        own = (*self.rules, check_stages) if self.stages else self.rules
        rules = (rule(parsed) for rule in (version, check_group, *own, self._check_limits))
        for key, message in chain(_nulls(given), () if tolerant else slips, *rules):
            errors[key].append(without_logins(message))
        return _Reading(keys, parsed, errors)

    def _check_limits(self, config: ParsedConfig) -> Iterator[Complaint]:
        for name, value in config.values.items():
            for limit in self.limits:
                if has_form(name, limit.form) and limit.applies(value):
                    yield Complaint(name, limit.sentence(name, value))

    def _extra_keys(
        self, given: Config, stages: Iterable[Key], slips: Iterable[Complaint]
    ) -> Iterator[Key]:
        """Make keys of names that are not fixed: members of families, and what is in error."""
        known = self._fixed.keys() | {key.name for key in stages}
        unknown = {slip.key for slip in slips}
        for name in given:
            if name in known:
                continue
            if key := self._key(name):
                yield key
            elif given[name] is None or name in unknown:
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

    def _slips(self, given: Config, stages: Iterable[Key]) -> list[Complaint]:
        staged = [key.name for key in stages]
        names = [*self._fixed, *(family.form for family in self.families), *staged]
        slips = (name for name in given if is_slip(name) or is_stage_option(name, staged))
        unknown = (name for name in slips if name not in staged and self._key(name) is None)
        return [Complaint(name, objection(name, names)) for name in unknown]


def _nulls(given: Config) -> Iterator[Complaint]:
    return (Complaint(name, _NULL) for name, text in given.items() if text is None)

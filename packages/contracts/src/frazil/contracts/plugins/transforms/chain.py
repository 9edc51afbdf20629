"""A connector's transforms and predicates: their keys, what is wrong with them, and their order."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any

from frazil.contracts.config import NO_DEFAULT, Importance, Key, KeyType, Width
from frazil.contracts.parsing import split_list
from frazil.contracts.plugins.parsed import Complaint, ParsedConfig
from frazil.contracts.plugins.transforms import connect, iceberg, predicates
from frazil.contracts.plugins.transforms.stage import Kind, StagePlugin
from frazil.contracts.validators import Value, invalid

STAGE_PLUGINS: tuple[StagePlugin, ...] = tuple(
    plugin
    for stage in (*connect.TRANSFORMS, *iceberg.TRANSFORMS, *predicates.PREDICATES)
    for plugin in stage.plugins()
)
_LISTS: dict[str, Kind] = {"transforms": "transformation", "predicates": "predicate"}


@dataclass(frozen=True)
class Predicate:
    word: str
    options: Mapping[str, Any]
    negate: bool


@dataclass(frozen=True)
class Step:
    """One transform of a chain; `side` is `Key` or `Value` where the class has sides."""

    alias: str
    word: str
    side: str | None
    options: Mapping[str, Any]
    predicate: Predicate | None


def steps_of(config: ParsedConfig) -> tuple[Step, ...]:
    """Read the chain of a valid configuration."""
    return tuple(_step(config, alias) for alias in config["transforms"])


def _step(config: ParsedConfig, alias: str) -> Step:
    plugin = _known(config, "transforms", alias)
    predicate = config[f"transforms.{alias}.predicate"]
    return Step(
        alias=alias,
        word=plugin.stage.word,
        side=plugin.side,
        options=_options(config, f"transforms.{alias}.", plugin),
        predicate=_predicate(config, alias, predicate) if predicate else None,
    )


def _predicate(config: ParsedConfig, alias: str, name: str) -> Predicate:
    plugin = _known(config, "predicates", name)
    options = _options(config, f"predicates.{name}.", plugin)
    return Predicate(plugin.stage.word, options, config[f"transforms.{alias}.negate"])


def _known(config: ParsedConfig, kind: str, alias: str) -> StagePlugin:
    name = config[f"{kind}.{alias}.type"]
    plugin = _find(name, _LISTS[kind])
    if plugin is None:
        raise KeyError(name)
    return plugin


def _options(config: ParsedConfig, prefix: str, plugin: StagePlugin) -> dict[str, Any]:
    return {key.name: config[prefix + key.name] for key in plugin.stage.keys}


def stage_keys(given: Mapping[str, str | None]) -> Iterator[Key]:
    """Make the keys of each alias in `transforms` and `predicates`."""
    for kind in _LISTS:
        for alias in dict.fromkeys(filter(None, split_list(given.get(kind) or ""))):
            yield from _keys_of(kind, alias, given)


def _keys_of(kind: str, alias: str, given: Mapping[str, str | None]) -> Iterator[Key]:
    prefix, group = f"{kind}.{alias}.", f"{kind.capitalize()}: {alias}"
    yield Key(
        f"{prefix}type",
        KeyType.CLASS,
        default=NO_DEFAULT,
        importance=Importance.HIGH,
        documentation=f"Class for the '{alias}' {_LISTS[kind]}.",
        group=group,
        order=0,
        width=Width.LONG,
        display_name=f"{_LISTS[kind].capitalize()} type for {alias}",
        validator=_KnownStage(_LISTS[kind]),
        recommended=tuple(p.class_name for p in STAGE_PLUGINS if p.type == _LISTS[kind]),
    )
    if kind == "transforms":
        yield from _condition_keys(prefix, group, alias)
    plugin = _find((given.get(f"{prefix}type") or "").strip(), _LISTS[kind])
    if plugin is not None:
        yield from plugin.keys(prefix, group)


def _condition_keys(prefix: str, group: str, alias: str) -> Iterator[Key]:
    yield Key(
        f"{prefix}predicate",
        KeyType.STRING,
        default="",
        importance=Importance.MEDIUM,
        documentation="Alias of the predicate that a record has to meet to be transformed.",
        group=group,
        order=1,
        width=Width.LONG,
        display_name=f"Predicate type for {alias}",
    )
    yield Key(
        f"{prefix}negate",
        KeyType.BOOLEAN,
        default=False,
        importance=Importance.MEDIUM,
        documentation="Whether to transform the records that do not meet it instead.",
        group=group,
        order=2,
        width=Width.LONG,
        display_name=f"Negate for {alias}",
    )


def check_stages(config: ParsedConfig) -> Iterator[Complaint]:
    """Complain of options that do not go together, and of predicates that nobody defined."""
    for kind in _LISTS:
        for alias in dict.fromkeys(filter(None, config[kind] or ())):
            yield from _check_options(config, kind, alias)
    for alias in dict.fromkeys(filter(None, config["transforms"] or ())):
        yield from _check_condition(config, alias)


def _check_options(config: ParsedConfig, kind: str, alias: str) -> Iterator[Complaint]:
    prefix = f"{kind}.{alias}."
    plugin = _find(config[f"{prefix}type"], _LISTS[kind])
    if plugin is None:
        return
    options = _options(config, prefix, plugin)
    for rule in plugin.stage.rules:
        for name, why in rule(options):
            message = invalid(prefix + name, options[name], why)
            yield Complaint(prefix + name, message)


def _check_condition(config: ParsedConfig, alias: str) -> Iterator[Complaint]:
    key, negate = f"transforms.{alias}.predicate", f"transforms.{alias}.negate"
    name = config[key]
    if not name and config.is_set(negate):
        why = f"there is no config '{key}' defining a predicate to be negated"
        yield Complaint(negate, invalid(negate, config[negate], why))
    elif name and name not in (config["predicates"] or ()):
        yield Complaint(key, invalid(key, name, "no predicate in `predicates` has this alias"))


def is_stage_option(name: str, staged: Iterable[str]) -> bool:
    """Tell whether a key is under an alias that is in use; those of others are ignored."""
    return any(name.startswith(key.removesuffix("type")) for key in staged if key.endswith(".type"))


class _KnownStage:
    """Stands for Connect's class loading, and says what was probably meant."""

    def __init__(self, kind: Kind) -> None:
        self._kind = kind

    def __call__(self, name: str, value: Value) -> str | None:
        if not isinstance(value, str) or _find(value, self._kind) is not None:
            return None
        nearest = _nearest(value, self._kind)
        guess = f" Did you mean {nearest}?" if nearest else ""
        return invalid(name, value, f"Class {value} could not be found.{guess}")


def _find(name: str | None, kind: Kind) -> StagePlugin | None:
    return next((p for p in STAGE_PLUGINS if p.type == kind and name in p.names), None)


def _nearest(name: str, kind: Kind) -> str | None:
    # Packages are long and alike; the last word is what tells classes apart.
    words = {plugin.class_name.rpartition(".")[2]: plugin for plugin in reversed(STAGE_PLUGINS)
             if plugin.type == kind}  # fmt: skip
    found = get_close_matches(name.rpartition(".")[2], words, n=1)
    return words[found[0]].class_name if found else None

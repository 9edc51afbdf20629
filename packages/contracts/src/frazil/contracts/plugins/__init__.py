"""The connector classes that there are, found by any name that Kafka Connect would accept."""

from collections.abc import Iterable, Sequence
from dataclasses import replace

from frazil.contracts.plugins.bounds import Bounds, bounds_rule
from frazil.contracts.plugins.file_stream import FILE_SINK, FILE_SOURCE
from frazil.contracts.plugins.group_keys import group_rule
from frazil.contracts.plugins.iceberg_sink import ICEBERG_SINKS
from frazil.contracts.plugins.overrides import OverridePolicy, override_rule
from frazil.contracts.plugins.parsed import InvalidConfigError, ParsedConfig
from frazil.contracts.plugins.plugin import InvalidOffsetError, Plugin, Rule
from frazil.contracts.plugins.spark_keys import spark_rule

__all__ = [
    "PLUGINS",
    "Bounds",
    "InvalidConfigError",
    "InvalidOffsetError",
    "OverridePolicy",
    "ParsedConfig",
    "Plugin",
    "UnknownPluginError",
    "enabled_plugins",
    "find_plugin",
]

# A list of names that leaves out none.
EVERY = ("*",)

# All that there may be, sinks first as in Connect; this tuple is the registration of a class.
PLUGINS: tuple[Plugin, ...] = (*ICEBERG_SINKS, FILE_SINK, FILE_SOURCE)


_OFF = (
    ". This class is off, for it reads or writes files of the worker: set FRAZIL_FILES_FOLDER of "
    "the control API to enable it"
)


class UnknownPluginError(Exception):
    """Its beginning is Connect's sentence word for word: clients look for it."""

    def __init__(self, name: str, available: Iterable[Plugin], hint: str = "") -> None:
        self.name = name
        listed = ", ".join(plugin.class_name for plugin in available)
        super().__init__(
            "Failed to find any class that implements Connector and which name matches "
            f"{name}, available connectors are: {listed}{hint}"
        )


def enabled_plugins(
    *,
    files: bool,
    overrides: OverridePolicy = OverridePolicy.ALL,
    bounds: Bounds | None = None,
    spark_keys: Sequence[str] = EVERY,
    groups: Sequence[str] = EVERY,
) -> tuple[Plugin, ...]:
    """Return the classes that may be used, with the rules that an operator sets.

    `files` lets in those that touch the worker's files; `spark_keys` are settings of Spark that
    would be refused else, `groups` those that may be joined.
    """
    rules: list[Rule] = [] if overrides is OverridePolicy.ALL else [override_rule(overrides)]
    rules += [] if bounds is None else [bounds_rule(bounds)]
    rules += [] if "*" in spark_keys else [spark_rule(spark_keys)]
    rules += [] if "*" in groups else [group_rule(groups)]
    return tuple(
        replace(plugin, rules=(*plugin.rules, *rules))
        for plugin in PLUGINS
        if files or not plugin.uses_files
    )


def find_plugin(name: str, among: tuple[Plugin, ...] = PLUGINS) -> Plugin:
    """Find a class by its full name, its simple name, or that without `Connector`."""
    for plugin in among:
        if name in plugin.names:
            return plugin
    is_off = any(name in plugin.names for plugin in PLUGINS)
    raise UnknownPluginError(name, among, _OFF if is_off else "")

"""The connector classes that there are, found by any name that Kafka Connect would accept."""

from collections.abc import Iterable
from dataclasses import replace

from frazil.contracts.plugins.bounds import Bounds, bounds_rule
from frazil.contracts.plugins.file_stream import FILE_SINK, FILE_SOURCE
from frazil.contracts.plugins.iceberg_sink import ICEBERG_SINKS
from frazil.contracts.plugins.overrides import OverridePolicy, override_rule
from frazil.contracts.plugins.parsed import InvalidConfigError, ParsedConfig
from frazil.contracts.plugins.plugin import InvalidOffsetError, Plugin

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
) -> tuple[Plugin, ...]:
    """Return the classes that may be used; `files` lets in those that touch the worker's files."""
    rules = [] if overrides is OverridePolicy.ALL else [override_rule(overrides)]
    rules += [] if bounds is None else [bounds_rule(bounds)]
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

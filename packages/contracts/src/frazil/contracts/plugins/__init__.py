"""The connector classes that there are, found by any name that Kafka Connect would accept."""

from frazil.contracts.plugins.iceberg_sink import ICEBERG_SINKS
from frazil.contracts.plugins.parsed import InvalidConfigError, ParsedConfig
from frazil.contracts.plugins.plugin import Plugin

__all__ = [
    "PLUGINS",
    "InvalidConfigError",
    "ParsedConfig",
    "Plugin",
    "UnknownPluginError",
    "find_plugin",
]

PLUGINS: tuple[Plugin, ...] = ICEBERG_SINKS


class UnknownPluginError(Exception):
    """Its beginning is Connect's sentence word for word: clients look for it."""

    def __init__(self, name: str) -> None:
        self.name = name
        available = ", ".join(plugin.class_name for plugin in PLUGINS)
        super().__init__(
            "Failed to find any class that implements Connector and which name matches "
            f"{name}, available connectors are: {available}"
        )


def find_plugin(name: str) -> Plugin:
    """Find a class by its full name, its simple name, or that without `Connector`."""
    for plugin in PLUGINS:
        if name in plugin.names:
            return plugin
    raise UnknownPluginError(name)

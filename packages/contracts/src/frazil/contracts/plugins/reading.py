"""Single keys of a stored configuration, read as the connector's worker reads them."""

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from frazil.contracts.plugins import Plugin, UnknownPluginError, find_plugin
from frazil.contracts.plugins.commit_keys import COMMIT_INTERVAL_MS
from frazil.contracts.plugins.maintenance_keys import FRESHNESS_MS

Config = Mapping[str, str]


def plugin_of(config: Config) -> Plugin | None:
    """Find the connector's class; None if it is not installed any more."""
    return _plugin(config.get("connector.class", ""))


# Lists of connectors ask for each of thousands, which have a handful of classes.
@lru_cache(maxsize=64)
def _plugin(class_name: str) -> Plugin | None:
    try:
        return find_plugin(class_name)
    except UnknownPluginError:
        return None


def read_key(config: Config, name: str) -> Any:
    """Return the typed value of a key, or its default; None if the class has no such key.

    What cannot be read has the default too: a reference, which only the worker looks behind.
    """
    plugin = plugin_of(config)
    return None if plugin is None else plugin.value(config, name)


def task_count(config: Config) -> int:
    """Return how many tasks a connector has; a source reads one file, and has one."""
    plugin = plugin_of(config)
    if plugin is None or plugin.type == "source":
        return 1
    return int(plugin.value(config, "tasks.max"))


def commit_interval_seconds(config: Config) -> float:
    """Return the pause that a connector keeps between two commits; 0 if it keeps none."""
    interval = read_key(config, FRESHNESS_MS) or read_key(config, COMMIT_INTERVAL_MS)
    return (interval or 0) / 1000

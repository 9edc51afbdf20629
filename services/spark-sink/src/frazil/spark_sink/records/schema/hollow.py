"""Values that say nothing of a type, where a column came later than their record."""

from collections.abc import Iterable
from typing import Any

from frazil.spark_sink.records.schema.types import Path


def is_hollow(value: Any) -> bool:
    """Tell whether there is no single value inside: null, {}, [], or a structure of these."""
    if isinstance(value, dict):
        return all(map(is_hollow, value.values()))
    if isinstance(value, list):
        return all(map(is_hollow, value))
    return value is None


def without_hollow(value: Any, paths: Iterable[Path]) -> Any:
    """Return a value with null for what is hollow at some paths."""
    for path in paths:
        value = _without(value, path)
    return value


def _without(value: Any, path: Path) -> Any:
    if not path:
        return None if is_hollow(value) else value
    if isinstance(value, list):
        return [_without(item, path[1:]) for item in value]
    if not isinstance(value, dict) or path[0] not in value:
        return value
    return {**value, path[0]: _without(value[path[0]], path[1:])}

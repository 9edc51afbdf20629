"""Fields of documents that a table has no column for, at any depth."""

from collections.abc import Iterator, Mapping
from typing import Any

from frazil.spark_sink.records.schema.types import Column, List, Map, Path, Struct, Type


def unknown_fields(
    document: Mapping[str, Any], columns: Mapping[str, Column], path: Path = ()
) -> Iterator[tuple[Path, Any]]:
    """List the values of unknown fields, and their paths: through lists and maps as in schemas."""
    for name, value in document.items():
        if name in columns:
            yield from _inside(value, columns[name].type, (*path, name))
        else:
            yield (*path, name), value


def _inside(value: Any, kind: Type, path: Path) -> Iterator[tuple[Path, Any]]:
    if isinstance(kind, Struct) and isinstance(value, dict):
        yield from unknown_fields(value, {column.name: column for column in kind.columns}, path)
    elif isinstance(kind, List) and isinstance(value, list):
        for item in value:
            yield from _inside(item, kind.element, (*path, "element"))
    elif isinstance(kind, Map) and isinstance(value, dict):
        for item in value.values():
            yield from _inside(item, kind.value, (*path, "value"))

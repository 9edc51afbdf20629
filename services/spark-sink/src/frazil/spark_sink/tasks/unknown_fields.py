"""Fields of documents that a table has no column for, at any depth."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from frazil.spark_sink.records.schema.types import Column, List, Map, Path, Struct, Type, leaves
from frazil.spark_sink.tasks.json_types import EMPTY, REFUSED, decode_any, is_unusual

# Documents of a chunk that are looked at, and fields in all: names may be keys without end.
_SAMPLE = 16
_MOST_IGNORABLE = 100


class IgnorableFields:
    """Collects unknown fields that rows need not have, so that typed decoding can take them.

    Where the schema evolves, these are the fields that are empty in the records that were seen; a
    field that differs from a column in case alone is none of them.
    """

    def __init__(self, schema: Struct, *, evolves: bool) -> None:
        self.fields: dict[Path, Any] = {}
        self._columns = {column.name: column for column in schema.columns}
        self._names = {name.lower() for path, _, _ in leaves(schema) for name in path}
        self._evolves = evolves

    def learn(self, values: Sequence[bytes]) -> bool:
        """Look at a few records that were refused; say whether there are new fields."""
        count = len(self.fields)
        if count >= _MOST_IGNORABLE:
            return False
        for value in values[:_SAMPLE]:
            try:
                document = decode_any(value)
            except REFUSED:
                continue
            if isinstance(document, dict):
                self._add(unknown_fields(document, self._columns))
        return len(self.fields) > count

    def _add(self, fields: Iterator[tuple[Path, Any]]) -> None:
        for path, value in fields:
            name = path[-1]
            if len(self.fields) >= _MOST_IGNORABLE:
                return
            if path in self.fields:
                continue
            if self._evolves and (value not in (None, [], {}) or name.lower() in self._names):
                continue
            if not is_unusual(name):
                self.fields[path] = EMPTY if self._evolves else Any


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

"""Fields of records by the names of columns, where case does not matter."""

from collections.abc import Mapping
from typing import Any

from frazil.spark_sink.records.errors import MisfitError
from frazil.spark_sink.records.schema.types import Path, Struct


class MemberNames:
    """The columns of one struct; where two differ in case alone, each has its own field."""

    def __init__(self, kind: Struct, path: Path) -> None:
        self._exact = frozenset(column.name for column in kind.columns)
        self._lower: dict[str, str] = {}
        for column in kind.columns:
            self._lower.setdefault(column.name.lower(), column.name)
        self._path = path

    def spelled(self, value: Mapping[Any, Any]) -> Mapping[str, Any]:
        """Return a struct under the names of its columns; nulls give way to other values."""
        if value.keys() <= self._exact:
            return value
        spelled: dict[str, Any] = {}
        for name, item in value.items():
            column = name if name in self._exact else self._lower.get(str(name).lower())
            if column is None or item is None:
                continue
            if column in spelled and _folded(spelled[column]) != _folded(item):
                raise MisfitError(
                    (*self._path, column), "has several values, in fields that differ in case"
                )
            spelled[column] = item
        return spelled


def _folded(value: Any) -> Any:
    """Return a value in which neither case nor nulls tell fields apart."""
    if isinstance(value, Mapping):
        return {
            str(name).lower(): _folded(item) for name, item in value.items() if item is not None
        }
    return [_folded(item) for item in value] if isinstance(value, list) else value

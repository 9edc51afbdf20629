"""Schemas that transforms derive from those of their input, once for each."""

from collections import OrderedDict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import Any, Generic, TypeVar

from frazil.spark_sink.records.model import Field, Schema
from frazil.spark_sink.records.transforms.refusals import Refusal

T = TypeVar("T")

_SCHEMAS = 16


class SchemaCache(Generic[T]):
    """Remember what was derived from the schemas that were seen last.

    A schema is looked up by its identity first, for it holds a dictionary and has no hash.
    """

    def __init__(self, derive: Callable[[Schema], T]) -> None:
        self._derive = derive
        self._entries: OrderedDict[int, tuple[Schema, T]] = OrderedDict()
        self._last: tuple[Schema | None, T | None] = (None, None)

    def __call__(self, schema: Schema) -> T:
        last, derived = self._last
        if last is schema:
            return derived  # type: ignore[return-value]
        self._last = entry = self._entry(schema)
        return entry[1]

    def _entry(self, schema: Schema) -> tuple[Schema, T]:
        # The entry holds on to its schema, so that no other one can get the same id.
        entry = self._entries.pop(id(schema), None)
        if entry is None:
            twin = next((key for key, (seen, _) in self._entries.items() if seen == schema), None)
            derived = self._derive(schema) if twin is None else self._entries.pop(twin)[1]
            entry = (schema, derived)
        self._entries[id(schema)] = entry
        if len(self._entries) > _SCHEMAS:
            self._entries.popitem(last=False)
        return entry


def struct_of(schema: Schema, fields: Iterable[Field], refuse: Refusal, **changes: Any) -> Schema:
    """Give a struct other fields; like Connect, do not copy whether it is optional."""
    listed = tuple(fields)
    names = [field.name for field in listed]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise refuse(f"the struct would have the field {twice} twice")
    return replace(schema, **{"fields": listed, "optional": False, "default": None, **changes})


def copier(
    schema: Schema, options: Mapping[str, Any]
) -> Callable[[dict[str, Any]], dict[str, Any]]:
    """Copy structs of a schema; `replace.null.with.default` fills in the defaults of fields."""
    defaults = {
        field.name: field.schema.default
        for field in schema.fields
        if field.schema.default is not None
    }
    if not defaults or not options.get("replace.null.with.default", True):
        return dict.copy

    def copy(struct: dict[str, Any]) -> dict[str, Any]:
        copied = struct.copy()
        for name, default in defaults.items():
            if copied.get(name) is None:
                copied[name] = default
        return copied

    return copy

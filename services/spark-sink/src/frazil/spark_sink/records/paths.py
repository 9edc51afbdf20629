"""Fields by the path that leads to them."""

from collections.abc import Mapping
from typing import Any

from frazil.spark_sink.records.model import Kind, Schema

Path = tuple[str, ...]


def follow(value: Any, path: Path, schema: Schema | None = None) -> tuple[Any, Schema | None]:
    """Follow a path into structs and maps; the value is None where it leads nowhere."""
    for name in path:
        if not isinstance(value, Mapping):
            return None, None
        value = value.get(name)
        schema = None if schema is None else _inside(schema, name)
    return value, schema


def _inside(schema: Schema, name: str) -> Schema | None:
    if schema.kind is not Kind.STRUCT:
        return schema.element
    field = schema.field(name)
    return None if field is None else field.schema

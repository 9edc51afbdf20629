"""Read the default of an Avro field as fastavro would read the same value from bytes."""

from collections.abc import Mapping
from typing import Any

from frazil.spark_sink.records.converters.avro_wire import PRIMITIVES, Avro, branch, is_choice

_TYPES: dict[str, type | tuple[type, ...]] = {
    "boolean": bool,
    "int": int,
    "long": int,
    "float": (int, float),
    "double": (int, float),
    "string": str,
    "enum": str,
}


def default_of(schema: Avro, default: Any, named: Mapping[str, Avro]) -> Any:
    """Read a default; raises ValueError, KeyError or TypeError if it does not fit."""
    if isinstance(schema, list):
        first = default_of(schema[0], default, named)
        return {branch(0): first} if is_choice(schema) and default is not None else first
    if isinstance(schema, str):
        schema = {"type": schema} if schema in PRIMITIVES else named[schema]
    kind = schema["type"]
    if kind in ("record", "error"):
        return {
            field["name"]: default_of(field["type"], _field(field, default), named)
            for field in schema["fields"]
        }
    if kind == "array":
        return [default_of(schema["items"], item, named) for item in default]
    if kind == "map":
        return {name: default_of(schema["values"], one, named) for name, one in default.items()}
    return _single(kind, default)


def _field(field: Avro, default: Any) -> Any:
    name = field["name"]
    return default[name] if name in default else field["default"]


def _single(kind: str, default: Any) -> Any:
    number: Any = default
    if kind == "null":
        if default is not None:
            raise ValueError("a default of null is not null")
        return None
    if kind in ("bytes", "fixed"):
        return default.encode("latin-1")
    if not isinstance(default, _TYPES[kind]) or (kind != "boolean" and isinstance(default, bool)):
        raise ValueError(f"a default is not of type {kind}")
    return float(number) if kind in ("float", "double") else default

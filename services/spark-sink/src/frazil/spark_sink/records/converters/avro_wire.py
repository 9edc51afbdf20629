"""Rewrite an Avro schema into one that reads the same bytes and keeps what Connect needs.

fastavro does not say which branch of a union a value is of. In the rewritten schema each branch is
a record of a single field, which has the same bytes and gives `{"<position>": value}`. Logical
types, defaults and documentation are left out: values come as the numbers and bytes that they are.
"""

from collections.abc import Mapping
from typing import Any

# A parsed schema: the name of a type, a list (a union), or an object.
Avro = Any
PRIMITIVES = frozenset({"null", "boolean", "int", "long", "float", "double", "bytes", "string"})


def wire_schema(schema: Avro, named: Mapping[str, Avro]) -> Avro:
    """Rewrite a parsed schema; `named` has the definitions of all names in it."""
    return _Rewriting(named).rewrite(schema)


def is_choice(union: list[Avro]) -> bool:
    """Say whether a union is more than a type and null."""
    return len(union) - ("null" in map(_type, union)) > 1


def branch(position: int) -> str:
    """Name the field that holds a value of the union's branch at this position."""
    return f"_{position}"


def _type(schema: Avro) -> Any:
    return schema["type"] if isinstance(schema, dict) else schema


class _Rewriting:
    def __init__(self, named: Mapping[str, Avro]) -> None:
        self._named = named
        # Names without a namespace: in the original, that of a record would spread to those in it.
        self._names: dict[str, str] = {}
        self._branches = 0

    def rewrite(self, schema: Avro) -> Avro:
        if isinstance(schema, list):
            return self._union(schema)
        if isinstance(schema, str):
            return schema if schema in PRIMITIVES else self._definition(self._named[schema])
        kind = schema["type"]
        if kind == "array":
            return {"type": "array", "items": self.rewrite(schema["items"])}
        if kind == "map":
            return {"type": "map", "values": self.rewrite(schema["values"])}
        return kind if kind in PRIMITIVES else self._definition(schema)

    def _union(self, union: list[Avro]) -> Avro:
        if not is_choice(union):
            return [self.rewrite(member) for member in union]
        return [
            member if _type(member) == "null" else self._branch(branch(position), member)
            for position, member in enumerate(union)
        ]

    def _branch(self, field: str, member: Avro) -> Avro:
        self._branches += 1
        name = f"Branch{self._branches}"
        fields = [{"name": field, "type": self.rewrite(member)}]
        return {"type": "record", "name": name, "fields": fields}

    def _definition(self, schema: Avro) -> Avro:
        if schema["name"] in self._names:
            return self._names[schema["name"]]
        name = self._names[schema["name"]] = f"Type{len(self._names)}"
        if schema["type"] == "enum":
            return {"type": "enum", "name": name, "symbols": schema["symbols"]}
        if schema["type"] == "fixed":
            return {"type": "fixed", "name": name, "size": schema["size"]}
        fields = [
            {"name": field["name"], "type": self.rewrite(field["type"])}
            for field in schema["fields"]
        ]
        return {"type": "record", "name": name, "fields": fields}

"""Map Avro schemas to Connect's, as Confluent's AvroData does, and compile readers of the values.

A reader is None where fastavro's value is Connect's already, so that most values are not touched.
"""

from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import replace
from typing import Any, NamedTuple

from frazil.spark_sink.records.converters.api import Reader
from frazil.spark_sink.records.converters.avro_defaults import default_of
from frazil.spark_sink.records.converters.avro_logical import logical_type
from frazil.spark_sink.records.converters.avro_wire import PRIMITIVES, Avro, branch, is_choice
from frazil.spark_sink.records.errors import ConverterError
from frazil.spark_sink.records.model import Field, Kind, Schema

NAMESPACE = "io.confluent.connect.avro"
ANYTHING = f"{NAMESPACE}.Anything"
_UNION = f"{NAMESPACE}.Union"
_ENUM = f"{NAMESPACE}.Enum"
_UNNAMED = f"{NAMESPACE}.ConnectDefault"
_ENTRY = "MapEntry"
_KINDS = {
    "boolean": Kind.BOOLEAN,
    "int": Kind.INT32,
    "long": Kind.INT64,
    "float": Kind.FLOAT32,
    "double": Kind.FLOAT64,
    "bytes": Kind.BYTES,
    "string": Kind.STRING,
}
_NARROW = {"int8": Kind.INT8, "int16": Kind.INT16}
_NO_DEFAULT = object()


class Mapped(NamedTuple):
    schema: Schema
    read: Reader | None


def mapped(schema: Avro, named: Mapping[str, Avro], *, full_names: bool = False) -> Mapped:
    """Map a parsed Avro schema; `full_names` gives the members of unions their namespaces."""
    return _Mapping(named, full_names=full_names).map(schema)


class _Mapping:
    def __init__(self, named: Mapping[str, Avro], *, full_names: bool) -> None:
        self._named = named
        self._full_names = full_names
        self._open: list[str] = []
        self._mappers: dict[str, Callable[[dict[str, Any]], Mapped]] = {
            "array": self._array,
            "map": self._map,
            "record": self._record,
            "error": self._record,
            "enum": self._enum,
            "fixed": self._fixed,
        }

    def map(self, schema: Avro, *, optional: bool = False, default: Any = _NO_DEFAULT) -> Mapped:
        if isinstance(schema, list):
            return self._union(schema, default)
        node = self._node(schema)
        kind = node["type"]
        plain = self._mappers[kind](node) if kind in self._mappers else _primitive(node)
        annotated = _annotated(plain.schema, node)
        if default is _NO_DEFAULT:
            default = node.get("connect.default", _NO_DEFAULT)
        elif "connect.default" not in node:
            annotated = _with_parameters(annotated, {f"{NAMESPACE}.field.default": "true"})
        value = self._default(node, default, plain.read)
        return Mapped(replace(annotated, optional=optional, default=value), plain.read)

    def _node(self, schema: Avro) -> dict[str, Any]:
        """Return the definition behind a name, or a primitive type as an object."""
        if isinstance(schema, dict):
            return schema
        node: dict[str, Any] = {"type": schema} if schema in PRIMITIVES else self._named[schema]
        return node

    def _default(self, node: Avro, default: Any, read: Reader | None) -> Any:
        """Read a default; one that does not fit its schema is left out, as AvroData does."""
        if default is _NO_DEFAULT or default is None:
            return None
        with suppress(ConverterError, KeyError, TypeError, ValueError, AttributeError):
            value = default_of(node, default, self._named)
            return value if read is None else read(value)
        return None

    def _array(self, node: dict[str, Any]) -> Mapped:
        items = self._node(node["items"]) if not isinstance(node["items"], list) else {}
        if _is_entry(items):
            return self._entries(items)
        element = self.map(node["items"])
        return Mapped(Schema(Kind.ARRAY, element=element.schema), _list_reader(element.read))

    def _entries(self, entry: dict[str, Any]) -> Mapped:
        """Map the array of pairs that stands for a map whose keys are not strings."""
        types = {field["name"]: field["type"] for field in entry["fields"]}
        if types.keys() != {"key", "value"}:
            raise ConverterError("a map as an array of pairs has other fields than key and value")
        key, element = self.map(types["key"]), self.map(types["value"])
        schema = Schema(Kind.MAP, key=key.schema, element=element.schema)
        return Mapped(schema, _entries_reader(key.read, element.read))

    def _map(self, node: dict[str, Any]) -> Mapped:
        element = self.map(node["values"])
        schema = Schema(Kind.MAP, key=Schema(Kind.STRING), element=element.schema)
        return Mapped(schema, _map_reader(element.read))

    def _record(self, node: dict[str, Any]) -> Mapped:
        name = node["name"]
        if name in self._open:
            raise ConverterError(f"record {name} contains itself, which no table can hold")
        self._open.append(name)
        fields = {field["name"]: self._field(field) for field in node["fields"]}
        self._open.pop()
        docs = {
            f"{NAMESPACE}.field.doc.{field['name']}": field["doc"]
            for field in node["fields"]
            if field.get("doc") is not None
        }
        if node.get("doc") is not None:
            docs[f"{NAMESPACE}.record.doc"] = node["doc"]
        schema = Schema(
            Kind.STRUCT,
            name=_own_name(name),
            parameters=docs,
            fields=tuple(Field(name, inner.schema) for name, inner in fields.items()),
        )
        return Mapped(schema, _struct_reader({name: one.read for name, one in fields.items()}))

    def _field(self, field: dict[str, Any]) -> Mapped:
        inner = self.map(field["type"], default=field.get("default", _NO_DEFAULT))
        parameters = field.get("connect.parameters")
        if not isinstance(parameters, dict):
            return inner
        texts = {name: str(value) for name, value in parameters.items()}
        return Mapped(_with_parameters(inner.schema, texts), inner.read)

    def _enum(self, node: dict[str, Any]) -> Mapped:
        name, simple = node["name"], node["name"].rpartition(".")[2]
        parameters = {_ENUM: name} | {f"{_ENUM}.{symbol}": symbol for symbol in node["symbols"]}
        if node.get("doc") is not None:
            parameters[f"{NAMESPACE}.enum.doc.{simple}"] = node["doc"]
        if node.get("default") is not None:
            parameters[f"{NAMESPACE}.enum.default.{simple}"] = node["default"]
        return Mapped(Schema(Kind.STRING, name=_own_name(name), parameters=parameters), None)

    def _fixed(self, node: dict[str, Any]) -> Mapped:
        plain = _primitive(node | {"type": "bytes"})
        schema = _with_parameters(plain.schema, {"connect.fixed.size": str(node["size"])})
        if schema.name is None:
            schema = replace(schema, name=_own_name(node["name"]))
        return Mapped(schema, plain.read)

    def _union(self, union: list[Avro], default: Any) -> Mapped:
        if not is_choice(union):
            members = [member for member in union if self._node(member)["type"] != "null"]
            if not members:
                raise ConverterError("Standalone null schemas are not supported by this converter")
            # The default of such a field is that of its first branch, null as a rule: dropped.
            inner = self.map(members[0], optional=len(union) > 1)
            return Mapped(inner.schema, _optional_reader(inner.read, is_optional=len(union) > 1))
        fields: dict[str, Mapped] = {}
        branches: dict[str, tuple[str, Reader | None]] = {}
        for position, member in enumerate(union):
            if self._is_null(member):
                continue
            name = self._member_name(member)
            if name in fields:
                raise ConverterError(f"a union has two members that Connect would call {name}")
            fields[name] = self.map(member, optional=True)
            branches[branch(position)] = name, fields[name].read
        schema = Schema(
            Kind.STRUCT,
            optional=len(fields) < len(union),
            name=_UNION,
            fields=tuple(Field(name, inner.schema) for name, inner in fields.items()),
        )
        read = _choice_reader(tuple(fields), branches)
        if default is not _NO_DEFAULT and not self._is_null(union[0]):
            value = self._default(union[0], default, lambda first: read({branch(0): first}))
            schema = replace(schema, default=value)
        return Mapped(schema, read)

    def _is_null(self, member: Avro) -> bool:
        return bool(self._node(member)["type"] == "null")

    def _member_name(self, member: Avro) -> str:
        node = self._node(member)
        name: str = node.get("name", node["type"])
        return name if self._full_names else name.rpartition(".")[2]


def _primitive(node: dict[str, Any]) -> Mapped:
    word = node["type"]
    if word == "null":
        raise ConverterError("Standalone null schemas are not supported by this converter")
    special = logical_type(node)
    if special is not None:
        return Mapped(*special)
    narrow = node.get("connect.type") if word == "int" else None
    if narrow is None:
        return Mapped(Schema(_KINDS[word]), None)
    if narrow not in _NARROW:
        raise ConverterError("Connect type annotation for Avro int field is null")
    return Mapped(Schema(_NARROW[narrow]), None)


def _annotated(schema: Schema, node: dict[str, Any]) -> Schema:
    """Add what properties of the Avro schema say of Connect's."""
    name, version = node.get("connect.name"), node.get("connect.version")
    parameters = node.get("connect.parameters") or {}
    texts = {key: str(value) for key, value in node.items() if key.startswith("avro")}
    return replace(
        _with_parameters(schema, {**parameters, **texts}),
        name=schema.name if name is None else _own_name(name),
        version=schema.version if version is None else int(version),
        doc=node.get("connect.doc"),
    )


def _with_parameters(schema: Schema, parameters: Mapping[str, str]) -> Schema:
    if not parameters:
        return schema
    return replace(schema, parameters={**schema.parameters, **parameters})


def _own_name(name: str) -> str | None:
    return None if name.startswith(_UNNAMED) else name


def _is_entry(node: dict[str, Any]) -> bool:
    if node.get("type") != "record":
        return False
    return node.get("connect.internal.type") == _ENTRY or node["name"] == f"{NAMESPACE}.{_ENTRY}"


def _list_reader(element: Reader | None) -> Reader | None:
    return None if element is None else lambda items: list(map(element, items))


def _map_reader(element: Reader | None) -> Reader | None:
    if element is None:
        return None
    return lambda entries: {name: element(value) for name, value in entries.items()}


def _entries_reader(key: Reader | None, element: Reader | None) -> Reader:
    read_key, read_element = key or _same, element or _same

    def read(entries: Any) -> Any:
        try:
            return {read_key(one["key"]): read_element(one["value"]) for one in entries}
        except TypeError:
            raise ConverterError("a key of a map is not a single value") from None

    return read


def _struct_reader(fields: Mapping[str, Reader | None]) -> Reader | None:
    """Replace the fields that need it; the struct is fresh from fastavro, and ours to change."""
    readers = tuple((name, read) for name, read in fields.items() if read is not None)
    if not readers:
        return None

    def read(struct: Any) -> Any:
        try:
            for name, read_field in readers:
                struct[name] = read_field(struct[name])
        except ConverterError as error:
            raise ConverterError(f"field {name}: {error}") from None
        return struct

    return read


def _optional_reader(inner: Reader | None, *, is_optional: bool) -> Reader | None:
    if inner is None or not is_optional:
        return inner
    return lambda value: None if value is None else inner(value)


def _choice_reader(
    names: tuple[str, ...], branches: Mapping[str, tuple[str, Reader | None]]
) -> Reader:
    """Read a union as a struct in which one field has a value."""

    def read(value: Any) -> Any:
        if value is None:
            return None
        struct = dict.fromkeys(names)
        for position, member in value.items():
            name, read_member = branches[position]
            struct[name] = member if read_member is None else read_member(member)
        return struct

    return read


def _same(value: Any) -> Any:
    return value

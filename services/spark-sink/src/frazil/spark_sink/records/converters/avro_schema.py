"""Map Avro schemas to Connect's, as Confluent's AvroData does, and compile their decoders."""

from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import replace
from typing import Any, NamedTuple

from frazil.spark_sink.records.converters import avro_bytes
from frazil.spark_sink.records.converters.avro_bytes import Decode
from frazil.spark_sink.records.converters.avro_primitives import Mapped, mapped_primitive
from frazil.spark_sink.records.errors import ConverterError
from frazil.spark_sink.records.model import Field, Kind, Schema

# A parsed schema: the name of a type, a list (a union), or an object.
Avro = Any
NAMESPACE = "io.confluent.connect.avro"
ANYTHING = f"{NAMESPACE}.Anything"
_UNION = f"{NAMESPACE}.Union"
_ENUM = f"{NAMESPACE}.Enum"
_UNNAMED = f"{NAMESPACE}.ConnectDefault"
_ENTRY = "MapEntry"
_NO_NULL = "Standalone null schemas are not supported by this converter"


class _Missing:
    """Says that there is no default, for null is a default too."""


_MISSING = _Missing()


class _Branch(NamedTuple):
    name: str
    mapped: Mapped


def mapped_schema(schema: Avro, named: Mapping[str, Avro], *, full_names: bool = False) -> Mapped:
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

    def map(self, schema: Avro, *, optional: bool = False, default: Any = _MISSING) -> Mapped:
        if isinstance(schema, list):
            return self._union(schema, default)
        node = self._node(schema)
        if node["type"] == "null":
            raise ConverterError(_NO_NULL)
        mapper = self._mappers.get(node["type"], mapped_primitive)
        plain = mapper(node)
        annotated = _annotated(plain.schema, node)
        if default is _MISSING:
            default = node.get("connect.default", _MISSING)
        elif "connect.default" not in node:
            annotated = _with_parameters(annotated, {f"{NAMESPACE}.field.default": "true"})
        value = _default(plain, default)
        return plain._replace(schema=replace(annotated, optional=optional, default=value))

    def _node(self, schema: Avro) -> dict[str, Any]:
        """Return the definition behind a name, or a primitive type as an object."""
        if isinstance(schema, dict):
            return schema
        node: dict[str, Any] = self._named.get(schema) or {"type": schema}
        return node

    def _array(self, node: dict[str, Any]) -> Mapped:
        items = node["items"]
        if not isinstance(items, list) and _is_entry(self._node(items)):
            return self._entries(self._node(items))
        item = self.map(items)
        return Mapped(
            Schema(Kind.ARRAY, element=item.schema),
            avro_bytes.array(item.decode),
            lambda default: [item.of_default(part) for part in default],
        )

    def _entries(self, entry: dict[str, Any]) -> Mapped:
        """Map the array of pairs that stands for a map whose keys are not texts."""
        fields = entry["fields"]
        if [field["name"] for field in fields] != ["key", "value"]:
            raise ConverterError("a map as an array of pairs has other fields than key and value")
        key, value = (self.map(field["type"]) for field in fields)
        return Mapped(
            Schema(Kind.MAP, key=key.schema, element=value.schema),
            avro_bytes.pairs(key.decode, value.decode),
            lambda default: {
                key.of_default(pair["key"]): value.of_default(pair["value"]) for pair in default
            },
        )

    def _map(self, node: dict[str, Any]) -> Mapped:
        value = self.map(node["values"])
        return Mapped(
            Schema(Kind.MAP, key=Schema(Kind.STRING), element=value.schema),
            avro_bytes.pairs(avro_bytes.read_string, value.decode),
            lambda default: {name: value.of_default(part) for name, part in default.items()},
        )

    def _record(self, node: dict[str, Any]) -> Mapped:
        name = node["name"]
        if name in self._open:
            raise ConverterError(f"record {name} contains itself, which no table can hold")
        self._open.append(name)
        fields = {field["name"]: self._field(field) for field in node["fields"]}
        self._open.pop()
        defaults = {
            field["name"]: field["default"] for field in node["fields"] if "default" in field
        }
        schema = Schema(
            Kind.STRUCT,
            name=_own_name(name),
            parameters=_docs(node),
            fields=tuple(Field(name, field.schema) for name, field in fields.items()),
        )
        return Mapped(
            schema,
            avro_bytes.record([(name, field.decode) for name, field in fields.items()]),
            lambda default: {
                name: field.of_default((defaults | default)[name]) for name, field in fields.items()
            },
        )

    def _field(self, field: dict[str, Any]) -> Mapped:
        mapped = self.map(field["type"], default=field.get("default", _MISSING))
        parameters = field.get("connect.parameters")
        if not isinstance(parameters, dict):
            return mapped
        texts = {name: str(value) for name, value in parameters.items()}
        return mapped._replace(schema=_with_parameters(mapped.schema, texts))

    def _enum(self, node: dict[str, Any]) -> Mapped:
        name, simple = node["name"], node["name"].rpartition(".")[2]
        parameters = {_ENUM: name} | {f"{_ENUM}.{symbol}": symbol for symbol in node["symbols"]}
        if node.get("doc") is not None:
            parameters[f"{NAMESPACE}.enum.doc.{simple}"] = node["doc"]
        if node.get("default") is not None:
            parameters[f"{NAMESPACE}.enum.default.{simple}"] = node["default"]
        schema = Schema(Kind.STRING, name=_own_name(name), parameters=parameters)
        return Mapped(schema, avro_bytes.enum(node["symbols"]), str)

    def _fixed(self, node: dict[str, Any]) -> Mapped:
        plain = mapped_primitive(node | {"type": "bytes"}, avro_bytes.fixed(node["size"]))
        schema = _with_parameters(plain.schema, {"connect.fixed.size": str(node["size"])})
        if schema.name is None:
            schema = replace(schema, name=_own_name(node["name"]))
        return plain._replace(schema=schema)

    def _union(self, union: list[Avro], default: Any) -> Mapped:
        words = [self._node(member)["type"] for member in union]
        if len(union) - words.count("null") > 1:
            return self._choice(union, default)
        members = [member for member, word in zip(union, words, strict=True) if word != "null"]
        if not members:
            raise ConverterError(_NO_NULL)
        # The field's default is not asked for: as a rule it is null, and AvroData drops it.
        mapped = self.map(members[0], optional="null" in words)
        if "null" in words:
            decode = avro_bytes.optional(mapped.decode, null=words.index("null"))
            return Mapped(mapped.schema, decode, _optional_default(mapped))
        return mapped._replace(decode=_single(mapped.decode))

    def _choice(self, union: list[Avro], default: Any) -> Mapped:
        """Map a union of several types to a struct with a field for each of them."""
        branches = [self._branch(member) for member in union]
        present = [branch for branch in branches if branch is not None]
        names = [branch.name for branch in present]
        if len(set(names)) < len(names):
            raise ConverterError(f"a union has two members that Connect would call alike: {names}")
        schema = Schema(
            Kind.STRUCT,
            optional=len(present) < len(union),
            name=_UNION,
            fields=tuple(Field(branch.name, branch.mapped.schema) for branch in present),
        )
        decode = avro_bytes.choice(
            [branch and (branch.name, branch.mapped.decode) for branch in branches]
        )

        def of_default(value: Any) -> Any:
            first = branches[0]
            if first is None:
                return None
            return dict.fromkeys(names) | {first.name: first.mapped.of_default(value)}

        mapped = Mapped(schema, decode, of_default)
        return mapped._replace(schema=replace(schema, default=_default(mapped, default)))

    def _branch(self, member: Avro) -> _Branch | None:
        node = self._node(member)
        if node["type"] == "null":
            return None
        name: str = node.get("name", node["type"])
        if not self._full_names:
            name = name.rpartition(".")[2]
        return _Branch(name, self.map(member, optional=True))


def _default(mapped: Mapped, default: Any) -> Any:
    """Read a default; leave it out if it does not fit its schema, as AvroData does."""
    if default is not _MISSING and default is not None:
        with suppress(ConverterError, LookupError, TypeError, ValueError, AttributeError):
            return mapped.of_default(default)
    return None


def _optional_default(mapped: Mapped) -> Callable[[Any], Any]:
    return lambda default: None if default is None else mapped.of_default(default)


def _single(decode: Decode) -> Decode:
    """Decode a union of a single type, which has its position in front of it all the same."""
    choice = avro_bytes.choice([("", decode)])
    return avro_bytes.converted(choice, lambda struct: struct[""])


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


def _docs(node: dict[str, Any]) -> dict[str, str]:
    """Keep the documentation of a record and its fields, as parameters."""
    docs = {
        f"{NAMESPACE}.field.doc.{field['name']}": field["doc"]
        for field in node["fields"]
        if field.get("doc") is not None
    }
    if node.get("doc") is not None:
        docs[f"{NAMESPACE}.record.doc"] = node["doc"]
    return docs


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

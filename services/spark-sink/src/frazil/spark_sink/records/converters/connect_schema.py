"""Read the schemas that JSON messages carry."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from frazil.spark_sink.records.converters.api import Reader
from frazil.spark_sink.records.errors import ConverterError
from frazil.spark_sink.records.model import Field, Kind, Schema

# Compiles the reader of a schema's values, which its default is read with.
Compile = Callable[[Schema], Reader]

_KINDS = {str(kind): kind for kind in Kind}


def parse_schema(document: Any, compile_reader: Compile) -> Schema | None:
    """Read a schema from its JSON; null is no schema."""
    return None if document is None else _schema(document, compile_reader)


def _schema(document: Any, compile_reader: Compile) -> Schema:
    node = document if isinstance(document, dict) else {}
    word = node.get("type")
    if not isinstance(word, str):
        raise ConverterError("Schema must contain 'type' field")
    kind = _KINDS.get(word)
    if kind is None:
        raise ConverterError(f"Unknown schema type: {word}")
    schema = Schema(
        kind,
        optional=node.get("optional") is True,
        name=_of_type(node.get("name"), str),
        version=_of_type(node.get("version"), int),
        parameters=_parameters(node.get("parameters")),
        fields=_fields(node, compile_reader) if kind is Kind.STRUCT else (),
        key=_part(node, "keys", compile_reader) if kind is Kind.MAP else None,
        element=_element(node, kind, compile_reader),
        doc=_of_type(node.get("doc"), str),
    )
    if "default" not in node:
        return schema
    return replace(schema, default=compile_reader(schema)(node["default"]))


def _element(node: Mapping[str, Any], kind: Kind, compile_reader: Compile) -> Schema | None:
    if kind is Kind.ARRAY:
        return _part(node, "items", compile_reader)
    return _part(node, "values", compile_reader) if kind is Kind.MAP else None


def _part(node: Mapping[str, Any], name: str, compile_reader: Compile) -> Schema:
    if node.get(name) is None:
        raise ConverterError(f"{node['type'].capitalize()} schema did not specify its {name}")
    return _schema(node[name], compile_reader)


def _fields(node: Mapping[str, Any], compile_reader: Compile) -> tuple[Field, ...]:
    documents = node.get("fields")
    if not isinstance(documents, list):
        raise ConverterError('Struct schema\'s "fields" argument is not an array.')
    fields: dict[str, Field] = {}
    for document in documents:
        name = document.get("field") if isinstance(document, dict) else None
        if not isinstance(name, str):
            raise ConverterError("Struct schema's field name not specified properly")
        if name in fields:
            raise ConverterError(f"Struct schema has two fields {name}")
        fields[name] = Field(name, _schema(document, compile_reader))
    return tuple(fields.values())


def _parameters(document: Any) -> Mapping[str, str]:
    if not isinstance(document, dict):
        return {}
    if not all(isinstance(value, str) for value in document.values()):
        raise ConverterError("Schema parameters must have string values.")
    return document


def _of_type(value: Any, wanted: type) -> Any:
    return value if type(value) is wanted else None

"""Convert Avro in Confluent's format: a zero, the id of a schema in a registry, then the datum."""

import json
import struct
from collections.abc import Callable, Mapping
from io import BytesIO
from typing import Any, NamedTuple

import fastavro
from fastavro.schema import SchemaParseException, UnknownType

from frazil.spark_sink.records.converters.api import Converter, Reader
from frazil.spark_sink.records.converters.avro_anything import read_anything
from frazil.spark_sink.records.converters.avro_logical import hide_logical_types
from frazil.spark_sink.records.converters.avro_schema import ANYTHING, mapped
from frazil.spark_sink.records.converters.avro_wire import Avro, wire_schema
from frazil.spark_sink.records.errors import ConverterError
from frazil.spark_sink.records.model import Schema
from frazil.spark_sink.records.registry import (
    RegisteredSchema,
    SchemaRegistry,
    UnknownSchemaError,
    remembered,
)

_HEADER = struct.Struct(">bI")
_MAGIC = 0
_BROKEN = (EOFError, ValueError, LookupError, TypeError, OverflowError, struct.error, MemoryError)


class _Datum(NamedTuple):
    """How data of one schema are read: by `wire`, then by `read` if they need it."""

    wire: Any
    schema: Schema | None
    read: Reader | None


def avro_converter(options: Mapping[str, str]) -> Converter:
    """Compile the converter; schemas are fetched when a record asks for them, each once."""
    registry = SchemaRegistry.of(options)
    full_names = options.get("enhanced.avro.schema.support", "").lower() == "true"
    return converter_with(registry.schema, full_names=full_names)


def converter_with(
    registered: Callable[[int], RegisteredSchema], *, full_names: bool = False
) -> Converter:
    """Compile the converter for any source of schemas by id."""
    datum_of = remembered(lambda number: _compiled(registered(number), full_names=full_names))
    read_datum = fastavro.schemaless_reader
    unpack, size = _HEADER.unpack_from, _HEADER.size

    def convert(value: bytes | None) -> tuple[Any, Schema | None]:
        if value is None:
            return None, None
        if len(value) < size or value[0] != _MAGIC:
            raise ConverterError("Unknown magic byte!" if value else "it has no bytes")
        number = unpack(value)[1]
        try:
            wire, schema, read = datum_of(number)
        except UnknownSchemaError as error:
            raise ConverterError(f"schema {number}: {error}") from None
        stream = BytesIO(value)
        stream.seek(size)
        try:
            datum = read_datum(stream, wire, None, handle_unicode_errors="replace")
        except _BROKEN as error:
            raise ConverterError(f"it is not Avro of schema {number}: {error}") from None
        if stream.tell() != len(value):
            raise ConverterError(f"it is not Avro of schema {number}: bytes are left over")
        return (datum if read is None or datum is None else read(datum)), schema

    return convert


def _compiled(registered: RegisteredSchema, *, full_names: bool) -> _Datum:
    """Compile a schema; one that has no meaning in Connect is as good as none."""
    named: dict[str, Avro] = {}
    try:
        for text in registered.references:
            fastavro.parse_schema(hide_logical_types(json.loads(text)), named_schemas=named)
        document = hide_logical_types(json.loads(registered.text))
        parsed = fastavro.parse_schema(document, named_schemas=named)
        wire = fastavro.parse_schema(wire_schema(parsed, named))
        if isinstance(parsed, dict) and parsed.get("name") == ANYTHING:
            return _Datum(wire, None, read_anything)
        return _Datum(wire, *mapped(parsed, named, full_names=full_names))
    except (SchemaParseException, UnknownType, ConverterError) as error:
        raise UnknownSchemaError(f"it has no meaning in Connect: {error}") from error
    except (LookupError, TypeError, ValueError, AttributeError, RecursionError) as error:
        raise UnknownSchemaError(f"it is not a schema of Avro: {error!r}") from error

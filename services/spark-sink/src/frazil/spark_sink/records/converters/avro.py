"""Convert Avro in Confluent's format: a zero, the id of a schema in a registry, then the datum."""

import json
import struct
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from fastavro.schema import SchemaParseException, UnknownType
from fastavro.schema import parse_schema as parse_avro

from frazil.spark_sink.records.converters.api import Converter
from frazil.spark_sink.records.converters.avro_anything import read_anything
from frazil.spark_sink.records.converters.avro_bytes import Decode
from frazil.spark_sink.records.converters.avro_primitives import hide_logical_types
from frazil.spark_sink.records.converters.avro_schema import ANYTHING, Avro, mapped_schema
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
# What decoders raise of bytes that are not of their schema.
_BROKEN = (ValueError, LookupError, TypeError, OverflowError, struct.error)


class _Compiled(NamedTuple):
    schema: Schema | None
    decode: Decode


def avro_converter(options: Mapping[str, str]) -> Converter:
    """Compile the converter; schemas are fetched when a record asks for them, each once."""
    registry = SchemaRegistry.of(options)
    full_names = options.get("enhanced.avro.schema.support", "").lower() == "true"
    return converter_with(registry.schema, full_names=full_names)


def converter_with(
    registered: Callable[[int], RegisteredSchema], *, full_names: bool = False
) -> Converter:
    """Compile the converter for any source of schemas by id."""
    compiled = remembered(lambda number: _compile(registered(number), full_names=full_names))
    unpack, begin = _HEADER.unpack_from, _HEADER.size

    def convert(value: bytes | None) -> tuple[Any, Schema | None]:
        if value is None:
            return None, None
        if len(value) < begin or value[0] != _MAGIC:
            raise ConverterError("Unknown magic byte!" if value else "it has no bytes")
        number = unpack(value)[1]
        try:
            schema, decode = compiled(number)
        except UnknownSchemaError as error:
            raise ConverterError(f"schema {number}: {error}") from None
        try:
            datum, end = decode(value, begin)
        except _BROKEN as error:
            raise ConverterError(f"it is not Avro of schema {number}: {error}") from None
        if end != len(value):
            why = "bytes are left over" if end < len(value) else "bytes are missing"
            raise ConverterError(f"it is not Avro of schema {number}: {why}")
        return datum, schema

    return convert


def _compile(registered: RegisteredSchema, *, full_names: bool) -> _Compiled:
    """Compile a schema; raises UnknownSchemaError if it has no meaning in Connect."""
    named: dict[str, Avro] = {}
    try:
        for text in registered.references:
            parse_avro(hide_logical_types(json.loads(text)), named_schemas=named)
        parsed = parse_avro(hide_logical_types(json.loads(registered.text)), named_schemas=named)
        if isinstance(parsed, dict) and parsed.get("name") == ANYTHING:
            return _Compiled(None, read_anything)
        mapped = mapped_schema(parsed, named, full_names=full_names)
        return _Compiled(mapped.schema, mapped.decode)
    except (SchemaParseException, UnknownType, ConverterError) as error:
        raise UnknownSchemaError(f"it has no meaning in Connect: {error}") from error
    except (LookupError, TypeError, ValueError, AttributeError, RecursionError) as error:
        raise UnknownSchemaError(f"it is not a schema of Avro: {error!r}") from error

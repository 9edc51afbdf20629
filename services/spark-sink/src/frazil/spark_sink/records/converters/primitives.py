"""Convert texts, bytes, and the numbers and booleans of Kafka's own serializers."""

import codecs
import struct
from collections.abc import Mapping
from typing import Any

from frazil.spark_sink.records.converters.api import Converter
from frazil.spark_sink.records.errors import ConverterError
from frazil.spark_sink.records.model import Kind, Schema

# The format of the bytes, and how Kafka's deserializer names itself and the type in its errors.
_NUMBERS: Mapping[Kind, tuple[str, str, str]] = {
    Kind.INT16: (">h", "ShortDeserializer", "short"),
    Kind.INT32: (">i", "IntegerDeserializer", "integer"),
    Kind.INT64: (">q", "LongDeserializer", "long"),
    Kind.FLOAT32: (">f", "Deserializer", "float"),
    Kind.FLOAT64: (">d", "Deserializer", "double"),
}
_BOOLEANS = {b"\x00": False, b"\x01": True}


def string_converter(encoding: str = "UTF-8") -> Converter:
    """Compile the converter; bytes that are no text in the encoding become U+FFFD, as in Java."""
    schema = Schema(Kind.STRING, optional=True)
    name = codecs.lookup(encoding).name

    def convert(text: bytes | None) -> tuple[Any, Schema]:
        return (None if text is None else text.decode(name, "replace")), schema

    return convert


def bytes_converter() -> Converter:
    schema = Schema(Kind.BYTES, optional=True)

    def convert(value: bytes | None) -> tuple[Any, Schema]:
        return value, schema

    return convert


def number_converter(kind: Kind) -> Converter:
    """Compile the converter of big-endian numbers of one type."""
    layout, reader, word = _NUMBERS[kind]
    schema = Schema(kind, optional=True)
    size, unpack = struct.calcsize(layout), struct.Struct(layout).unpack

    def convert(value: bytes | None) -> tuple[Any, Schema]:
        if value is None:
            return None, schema
        if len(value) != size:
            raise ConverterError(
                f"Failed to deserialize {word}: Size of data received by {reader} is not {size}"
            )
        return unpack(value)[0], schema

    return convert


def boolean_converter() -> Converter:
    schema = Schema(Kind.BOOLEAN, optional=True)

    def convert(value: bytes | None) -> tuple[Any, Schema]:
        if value is None:
            return None, schema
        if value in _BOOLEANS:
            return _BOOLEANS[value], schema
        raise ConverterError(f"Failed to deserialize boolean: {_no_boolean(value)}")

    return convert


def _no_boolean(value: bytes) -> str:
    if len(value) != 1:
        return "Size of data received by BooleanDeserializer is not 1"
    (signed,) = struct.unpack("b", value)
    return f"Unexpected byte received by BooleanDeserializer: {signed}"

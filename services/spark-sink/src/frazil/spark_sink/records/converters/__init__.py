"""Connect's converters as functions: compiled from configuration once, then bytes to values."""

from collections.abc import Callable
from typing import Any

from frazil.contracts.plugins.converters import Converting
from frazil.spark_sink.records.converters.api import Converter, HeaderConverter
from frazil.spark_sink.records.converters.avro import avro_converter
from frazil.spark_sink.records.converters.envelope import envelope_converter, fixed_schema_converter
from frazil.spark_sink.records.converters.plain_json import plain_json_converter
from frazil.spark_sink.records.converters.primitives import (
    boolean_converter,
    bytes_converter,
    number_converter,
    string_converter,
)
from frazil.spark_sink.records.converters.simple_header import simple_header
from frazil.spark_sink.records.errors import ConverterError, Stage
from frazil.spark_sink.records.model import Header, Kind, Schema
from frazil.worker.errors import BadConfigError

__all__ = ["Converter", "HeaderConverter", "converter_of", "header_converter_of"]


def converter_of(config: Converting, *, key: bool = False) -> Converter:
    """Compile the converter that a configuration names, of values or of keys."""
    convert = _COMPILERS[config.word](config)
    if not key:
        return convert

    def convert_key(text: bytes | None) -> tuple[Any, Schema | None]:
        try:
            return convert(text)
        except ConverterError as error:
            error.stage = Stage.KEY_CONVERTER
            raise

    return convert_key


def header_converter_of(config: Converting) -> HeaderConverter:
    """Compile the converter of headers that a configuration names."""
    if config.word == "simple":
        return simple_header
    convert = converter_of(config)

    def convert_header(name: str, value: bytes | None) -> Header:
        try:
            return Header(name, *convert(value))
        except ConverterError as error:
            error.stage = Stage.HEADER_CONVERTER
            raise

    return convert_header


def _json(config: Converting) -> Converter:
    if not config.schemas:
        return plain_json_converter()
    replace_null = config.options.get("replace.null.with.default", "true").lower() == "true"
    content = config.options.get("schema.content")
    if content:
        try:
            return fixed_schema_converter(content, replace_null=replace_null)
        except ConverterError as error:
            raise BadConfigError(f"schema.content is not a schema of Connect: {error}.") from error
    cached = int(config.options.get("schemas.cache.size", "1000"))
    return envelope_converter(replace_null=replace_null, cached=cached)


def _string(config: Converting) -> Converter:
    return string_converter(config.options.get("converter.encoding", "UTF-8"))


_COMPILERS: dict[str, Callable[[Converting], Converter]] = {
    "json": _json,
    "string": _string,
    "bytes": lambda _: bytes_converter(),
    "short": lambda _: number_converter(Kind.INT16),
    "integer": lambda _: number_converter(Kind.INT32),
    "long": lambda _: number_converter(Kind.INT64),
    "float": lambda _: number_converter(Kind.FLOAT32),
    "double": lambda _: number_converter(Kind.FLOAT64),
    "boolean": lambda _: boolean_converter(),
    "avro": lambda config: avro_converter(config.options),
}

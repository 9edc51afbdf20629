"""Map Avro's primitive and logical types.

Confluent's AvroData knows decimal, date, time-millis and timestamp-millis. Microseconds are read as
Connect's Time and Timestamp too. The parameter `avro.logicalType` keeps the name of a type that
Connect does not have; nanoseconds stay numbers, for Python's datetime ends at microseconds.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

from frazil.spark_sink.records.converters import logical
from frazil.spark_sink.records.converters.avro_bytes import PRIMITIVE_DECODERS, Decode, converted
from frazil.spark_sink.records.errors import ConverterError
from frazil.spark_sink.records.model import DATE, DECIMAL, TIME, TIMESTAMP, Kind, Schema

LOGICAL_TYPE = "avro.logicalType"

Convert = Callable[[Any], Any]
_HIDDEN = "hidden.logicalType"
_DEFAULT_PRECISION = 64
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
_EQUAL: dict[tuple[str, str], tuple[str, Convert]] = {
    ("int", "date"): (DATE, logical.date_of_days),
    ("int", "time-millis"): (TIME, logical.time_of_millis),
    ("long", "timestamp-millis"): (TIMESTAMP, logical.timestamp_of_millis),
}
_ALIKE: dict[tuple[str, str], tuple[str | None, Convert | None]] = {
    ("long", "time-micros"): (TIME, logical.time_of_micros),
    ("long", "timestamp-micros"): (TIMESTAMP, logical.timestamp_of_micros),
    ("long", "local-timestamp-millis"): (TIMESTAMP, logical.timestamp_of_millis),
    ("long", "local-timestamp-micros"): (TIMESTAMP, logical.timestamp_of_micros),
    ("long", "timestamp-nanos"): (None, None),
    ("long", "local-timestamp-nanos"): (None, None),
    ("string", "uuid"): (None, None),
}


class Mapped(NamedTuple):
    """Connect's schema, the decoder of its values, and the reader of a default in JSON."""

    schema: Schema
    decode: Decode
    of_default: Convert


def mapped_primitive(node: dict[str, Any], decode: Decode | None = None) -> Mapped:
    """Map a primitive type; `decode` reads it if it is written in another way than usual."""
    word = node["type"]
    schema, convert = _logical(node, word) or (Schema(_kind(node, word)), None)
    decode = decode or PRIMITIVE_DECODERS[word]
    of_default = _DEFAULTS[word]
    if convert is None:
        return Mapped(schema, decode, of_default)
    return Mapped(schema, converted(decode, convert), lambda value: convert(of_default(value)))


def hide_logical_types(document: Any) -> Any:
    """Rename logical types, so that the parser of schemas does not check them.

    Avro ignores a logical type that does not fit, such as a decimal with too many digits.
    """
    if isinstance(document, list):
        return [hide_logical_types(item) for item in document]
    if not isinstance(document, dict):
        return document
    return {
        _HIDDEN if name == "logicalType" else name: part
        if name == "default"
        else hide_logical_types(part)
        for name, part in document.items()
    }


def _kind(node: dict[str, Any], word: str) -> Kind:
    narrow = node.get("connect.type") if word == "int" else None
    if narrow is None:
        return _KINDS[word]
    if narrow not in _NARROW:
        raise ConverterError("Connect type annotation for Avro int field is null")
    return _NARROW[narrow]


def _logical(node: dict[str, Any], word: str) -> tuple[Schema, Convert | None] | None:
    name = node.get(_HIDDEN)
    if not isinstance(name, str):
        return None
    key = (word, name.lower())
    if key == ("bytes", "decimal"):
        return _decimal(node)
    if key in _EQUAL:
        connect_name, convert = _EQUAL[key]
        return Schema(_KINDS[word], name=connect_name, version=1), convert
    if key not in _ALIKE:
        return None
    alike, reader = _ALIKE[key]
    version = None if alike is None else 1
    parameters = {LOGICAL_TYPE: key[1]}
    return Schema(_KINDS[word], name=alike, version=version, parameters=parameters), reader


def _decimal(node: dict[str, Any]) -> tuple[Schema, Convert]:
    parameters = {"scale": str(node.get("scale", 0))}
    precision = node.get("precision")
    if isinstance(precision, int) and precision != _DEFAULT_PRECISION:
        parameters["connect.decimal.precision"] = str(precision)
    schema = Schema(Kind.BYTES, name=DECIMAL, version=1, parameters=parameters)
    return schema, logical.decimal_of_bytes(logical.scale_of(parameters))


def _default_of(*types: type) -> Convert:
    def read(value: Any) -> Any:
        if type(value) in types:
            return types[0](value)
        raise ValueError("a default is not of its type")

    return read


_DEFAULTS: dict[str, Convert] = {
    "boolean": _default_of(bool),
    "int": _default_of(int),
    "long": _default_of(int),
    "float": _default_of(float, int),
    "double": _default_of(float, int),
    "bytes": lambda value: value.encode("latin-1"),
    "string": _default_of(str),
}

"""Avro's logical types: which of Connect's they are, and readers of their values.

Confluent's AvroData knows decimal, date, time-millis and timestamp-millis. Microseconds are read as
Connect's Time and Timestamp too. The parameter `avro.logicalType` keeps the name of a type that
Connect does not have; nanoseconds stay numbers, for Python's datetime ends at microseconds.
"""

from typing import Any

from frazil.spark_sink.records.converters import logical
from frazil.spark_sink.records.converters.api import Reader
from frazil.spark_sink.records.model import DATE, DECIMAL, TIME, TIMESTAMP, Kind, Schema

LOGICAL_TYPE = "avro.logicalType"

_HIDDEN = "hidden.logicalType"
_DEFAULT_PRECISION = 64
_EQUAL: dict[tuple[str, str], tuple[Kind, str, Reader]] = {
    ("int", "date"): (Kind.INT32, DATE, logical.date_of_days),
    ("int", "time-millis"): (Kind.INT32, TIME, logical.time_of_millis),
    ("long", "timestamp-millis"): (Kind.INT64, TIMESTAMP, logical.timestamp_of_millis),
}
_ALIKE: dict[tuple[str, str], tuple[Kind, str | None, Reader | None]] = {
    ("long", "time-micros"): (Kind.INT64, TIME, logical.time_of_micros),
    ("long", "timestamp-micros"): (Kind.INT64, TIMESTAMP, logical.timestamp_of_micros),
    ("long", "local-timestamp-millis"): (Kind.INT64, TIMESTAMP, logical.timestamp_of_millis),
    ("long", "local-timestamp-micros"): (Kind.INT64, TIMESTAMP, logical.timestamp_of_micros),
    ("long", "timestamp-nanos"): (Kind.INT64, None, None),
    ("long", "local-timestamp-nanos"): (Kind.INT64, None, None),
    ("string", "uuid"): (Kind.STRING, None, None),
}


def hide_logical_types(document: Any) -> Any:
    """Rename logical types, so that fastavro neither reads nor checks them.

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


def logical_type(node: dict[str, Any]) -> tuple[Schema, Reader | None] | None:
    """Map a primitive type with a logical type; None if it means nothing."""
    word = node.get(_HIDDEN)
    if not isinstance(word, str):
        return None
    key = (node["type"], word.lower())
    if key == ("bytes", "decimal"):
        return _decimal(node)
    if key in _EQUAL:
        kind, name, read = _EQUAL[key]
        return Schema(kind, name=name, version=1), read
    if key in _ALIKE:
        kind, alike, reader = _ALIKE[key]
        version = None if alike is None else 1
        parameters = {LOGICAL_TYPE: key[1]}
        return Schema(kind, name=alike, version=version, parameters=parameters), reader
    return None


def _decimal(node: dict[str, Any]) -> tuple[Schema, Reader]:
    parameters = {"scale": str(node.get("scale", 0))}
    precision = node.get("precision")
    if isinstance(precision, int) and precision != _DEFAULT_PRECISION:
        parameters["connect.decimal.precision"] = str(precision)
    read = logical.decimal_of_bytes(logical.scale_of(parameters))
    return Schema(Kind.BYTES, name=DECIMAL, version=1, parameters=parameters), read

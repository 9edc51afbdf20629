"""Decode values that Connect wrote to Avro without a schema: a record of all types, one filled."""

from typing import Any

from frazil.spark_sink.records.converters.avro_bytes import (
    PRIMITIVE_DECODERS,
    array,
    optional,
    pairs,
    record,
)

# The order of fields in Connect's own schema for such values.
_SINGLE = ("boolean", "bytes", "double", "float", "int", "long", "string")


def read_anything(data: bytes, at: int) -> tuple[Any, int]:
    values, at = _record(data, at)
    return next((value for value in values.values() if value is not None), None), at


_record = record(
    [
        *((name, optional(PRIMITIVE_DECODERS[name], null=0)) for name in _SINGLE),
        ("array", optional(array(read_anything), null=0)),
        ("map", optional(pairs(read_anything, read_anything), null=0)),
    ]
)

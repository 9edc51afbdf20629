"""Compile a schema into a reader of the JSON that stands for its values.

A reader looks for the usual form first and leaves everything else, null included, to `absent`.
"""

import binascii
from collections.abc import Callable
from decimal import Decimal
from functools import partial
from typing import Any

from frazil.spark_sink.records.converters import logical
from frazil.spark_sink.records.converters.api import Reader
from frazil.spark_sink.records.converters.simple_values import float32
from frazil.spark_sink.records.errors import ConverterError
from frazil.spark_sink.records.model import DATE, DECIMAL, TIME, TIMESTAMP, Kind, Schema

_LARGEST = 1 << 64
_MOST_DIGITS = 10_000
_BITS = {Kind.INT8: 7, Kind.INT16: 15, Kind.INT32: 31, Kind.INT64: 63}
_AS_IS = {Kind.STRING: str, Kind.BOOLEAN: bool}
# As Jackson writes what JSON has no numbers for.
_NOT_FINITE = {text: float(text) for text in ("NaN", "Infinity", "-Infinity")}
_JSON_TYPES = {
    bool: "a boolean",
    int: "a number",
    float: "a number",
    Decimal: "a number",
    str: "a string",
    list: "an array",
    dict: "an object",
}


def reader_of(schema: Schema, *, replace_null: bool) -> Reader:
    """Compile the reader of a schema; `replace_null` puts a default where there is null."""
    absent = _absent(schema, replace_null=replace_null)
    if schema.name in _LOGICAL:
        return _LOGICAL[schema.name](schema, absent)
    if schema.kind is Kind.STRUCT:
        return _struct(schema, absent, replace_null=replace_null)
    if schema.kind is Kind.ARRAY:
        return _array(schema, absent, replace_null=replace_null)
    if schema.kind is Kind.MAP:
        return _map(schema, absent, replace_null=replace_null)
    return _PRIMITIVES[schema.kind](schema, absent)


def _absent(schema: Schema, *, replace_null: bool) -> Reader:
    """Compile what becomes of null, and of anything that is not of the schema's type."""
    default = schema.default if replace_null else None
    refuses_null = default is None and not schema.optional
    kind = schema.kind.name
    wanted = schema.name if schema.name in _LOGICAL else kind

    def absent(value: Any) -> Any:
        if value is not None:
            raise ConverterError(f"{_JSON_TYPES[type(value)]} is not of type {wanted}")
        if refuses_null:
            raise ConverterError(f"Invalid null value for required {kind} field")
        return default

    return absent


def _string(_schema: Schema, absent: Reader) -> Reader:
    def read(value: Any) -> Any:
        return value if type(value) is str else absent(value)

    return read


def _boolean(_schema: Schema, absent: Reader) -> Reader:
    def read(value: Any) -> Any:
        return value if value is True or value is False else absent(value)

    return read


def _integer(schema: Schema, absent: Reader) -> Reader:
    limit = 1 << _BITS[schema.kind]
    name = schema.kind.name

    def read(value: Any) -> Any:
        if type(value) is int:
            if -limit <= value < limit:
                return value
            raise ConverterError(f"{value} is out of the range of {name}")
        return read(_whole_number(value)) if type(value) in (float, Decimal) else absent(value)

    return read


def _whole_number(value: float | Decimal) -> int:
    """Take 5.0 for 5, and neither 5.5 nor a power of ten that would fill the memory."""
    if -_LARGEST < value < _LARGEST and value == int(value):
        return int(value)
    raise ConverterError("a number is not an integer of 64 bits")


def _float(schema: Schema, absent: Reader) -> Reader:
    rounded = float32 if schema.kind is Kind.FLOAT32 else _float64
    name = schema.kind.name

    def read(value: Any) -> Any:
        if type(value) in (float, int, Decimal):
            number = rounded(value)
            if number is None:
                raise ConverterError(f"a number is out of the range of {name}")
            return number
        if type(value) is str and value in _NOT_FINITE:
            return _NOT_FINITE[value]
        return absent(value)

    return read


def _float64(value: float | Decimal) -> float | None:
    try:
        number = float(value)
    except OverflowError:
        return None
    return None if number in (float("inf"), float("-inf")) else number


def _bytes(_schema: Schema, absent: Reader) -> Reader:
    def read(value: Any) -> Any:
        return _base64(value) if type(value) is str else absent(value)

    return read


def _decimal(schema: Schema, absent: Reader) -> Reader:
    of_bytes = logical.decimal_of_bytes(logical.scale_of(schema.parameters))

    def read(value: Any) -> Any:
        if type(value) is str:
            return of_bytes(_base64(value))
        if type(value) is Decimal:
            if abs(value.adjusted()) > _MOST_DIGITS:
                raise ConverterError("a number has too large an exponent for a decimal")
            return value
        return Decimal(value) if type(value) is int else absent(value)

    return read


def _whole(of_number: Callable[[int], Any], _schema: Schema, absent: Reader) -> Reader:
    def read(value: Any) -> Any:
        return of_number(value) if type(value) is int else absent(value)

    return read


def _base64(text: str) -> bytes:
    try:
        return binascii.a2b_base64(text, strict_mode=True)
    except ValueError:
        raise ConverterError("Invalid bytes field: it is not base64") from None


def _as_is(schema: Schema | None, *, replace_null: bool) -> frozenset[type]:
    """Name the Python types of values that a reader would return as they are.

    Structs and maps check the type first and save a call for most of their values.
    """
    if schema is None or schema.name in _LOGICAL:
        return frozenset()
    types = {_AS_IS[schema.kind]} if schema.kind in _AS_IS else set()
    nullable = schema.optional and (schema.default is None or not replace_null)
    return frozenset(types | ({type(None)} if nullable else set()))


def _struct(schema: Schema, absent: Reader, *, replace_null: bool) -> Reader:
    fields = [
        (
            field.name,
            _as_is(field.schema, replace_null=replace_null),
            reader_of(field.schema, replace_null=replace_null),
        )
        for field in schema.fields
    ]

    def read(value: Any) -> Any:
        if type(value) is not dict:
            return absent(value)
        struct = {}
        get = value.get
        try:
            for name, as_is, read_field in fields:
                item = get(name)
                struct[name] = item if type(item) in as_is else read_field(item)
        except ConverterError as error:
            raise ConverterError(f"field {name}: {error}") from None
        return struct

    return read


def _array(schema: Schema, absent: Reader, *, replace_null: bool) -> Reader:
    element = _inner(schema.element, replace_null=replace_null)

    def read(value: Any) -> Any:
        return list(map(element, value)) if type(value) is list else absent(value)

    return read


def _map(schema: Schema, absent: Reader, *, replace_null: bool) -> Reader:
    """Read maps with string keys from objects, all others from arrays of pairs."""
    element = _inner(schema.element, replace_null=replace_null)
    as_is = _as_is(schema.element, replace_null=replace_null)
    if schema.key is not None and schema.key.kind is Kind.STRING:

        def read(value: Any) -> Any:
            if type(value) is not dict:
                return absent(value)
            return {
                name: item if type(item) in as_is else element(item) for name, item in value.items()
            }

        return read

    key = _inner(schema.key, replace_null=replace_null)

    def read_pairs(value: Any) -> Any:
        if type(value) is not list:
            return absent(value)
        try:
            return {key(name): element(item) for name, item in value}
        except (TypeError, ValueError):
            raise ConverterError(
                "an entry of a map is not an array of a single value and a value"
            ) from None

    return read_pairs


def _inner(schema: Schema | None, *, replace_null: bool) -> Reader:
    if schema is None:
        raise ConverterError("the schema of an array or a map does not say of what")
    return reader_of(schema, replace_null=replace_null)


_PRIMITIVES: dict[Kind, Callable[[Schema, Reader], Reader]] = {
    Kind.STRING: _string,
    Kind.BOOLEAN: _boolean,
    Kind.BYTES: _bytes,
    Kind.FLOAT32: _float,
    Kind.FLOAT64: _float,
    **dict.fromkeys(_BITS, _integer),
}
_LOGICAL: dict[str | None, Callable[[Schema, Reader], Reader]] = {
    DECIMAL: _decimal,
    DATE: partial(_whole, logical.date_of_days),
    TIME: partial(_whole, logical.time_of_millis),
    TIMESTAMP: partial(_whole, logical.timestamp_of_millis),
}

"""MongoDB's extended JSON: values with the types that they spell, such as `{"$oid": "..."}`."""

from base64 import b64decode
from collections.abc import Callable, Mapping
from datetime import UTC, datetime, timedelta
from typing import Any, NamedTuple
from uuid import UUID

import msgspec

from frazil.spark_sink.records.model import TIMESTAMP, Field, Kind, Schema

_STRING = Schema(Kind.STRING, optional=True)
_BOOLEAN = Schema(Kind.BOOLEAN, optional=True)
_INT32 = Schema(Kind.INT32, optional=True)
_INT64 = Schema(Kind.INT64, optional=True)
_DOUBLE = Schema(Kind.FLOAT64, optional=True)
_BYTES = Schema(Kind.BYTES, optional=True)
_TIMESTAMP = Schema(Kind.INT64, optional=True, name=TIMESTAMP, version=1)
# The schema of null, and of the items of an empty array: a string's, until there is another one.
_UNKNOWN = Schema(Kind.STRING, optional=True)

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_NUMBERS = {Kind.INT32: 2**31, Kind.INT64: 2**63}


class BsonError(ValueError):
    """The text is not a value of MongoDB's."""


class Typed(NamedTuple):
    value: Any
    schema: Schema


def parse_document(text: str | bytes, *, arrays_as_documents: bool = False) -> Typed:
    """Read a document; arrays may become documents with the fields `_0`, `_1` and so on."""
    document = parse_value(text, arrays_as_documents=arrays_as_documents)
    if document.schema.kind is not Kind.STRUCT:
        raise BsonError("its text is not a document")
    return document


def parse_value(text: str | bytes, *, arrays_as_documents: bool = False) -> Typed:
    """Read any value of extended JSON."""
    try:
        return _typed(msgspec.json.decode(text), as_documents=arrays_as_documents)
    except msgspec.MsgspecError as error:
        raise BsonError(f"its text is not JSON: {error}") from error
    except UnicodeError as error:
        raise BsonError("its text is not UTF-8") from error
    except RecursionError as error:
        raise BsonError("it is nested too deeply") from error


def _typed(value: Any, *, as_documents: bool) -> Typed:
    if isinstance(value, str):
        return Typed(value, _STRING)
    if value is None:
        return Typed(None, _UNKNOWN)
    if isinstance(value, bool):
        return Typed(value, _BOOLEAN)
    if isinstance(value, int):
        return _whole(value, Kind.INT32 if -(2**31) <= value < 2**31 else Kind.INT64)
    if isinstance(value, float):
        return Typed(value, _DOUBLE)
    if isinstance(value, list):
        return _numbered(value) if as_documents else _array(value)
    name = next(iter(value), "")
    read = _SPELT.get(name)
    return _document(value, as_documents=as_documents) if read is None else _spelt(value, read)


def _document(document: Mapping[str, Any], *, as_documents: bool) -> Typed:
    values, fields = {}, []
    for name, item in document.items():
        member = _typed(item, as_documents=as_documents)
        if member is not _ABSENT:
            values[name] = member.value
            fields.append(Field(name, member.schema))
    return Typed(values, Schema(Kind.STRUCT, optional=True, fields=tuple(fields)))


def _numbered(items: list[Any]) -> Typed:
    return _document({f"_{number}": item for number, item in enumerate(items)}, as_documents=True)


def _array(items: list[Any]) -> Typed:
    members = [_typed(item, as_documents=False) for item in items]
    element = _UNKNOWN
    for member in members:
        element = _either(element, member.schema)
    values = [_filled(member.value, element) for member in members]
    return Typed(values, Schema(Kind.ARRAY, optional=True, element=element))


def _either(one: Schema, other: Schema) -> Schema:
    """Return the schema that holds the values of both."""
    if one is _UNKNOWN or other is _UNKNOWN:
        return one if other is _UNKNOWN else other
    if one.kind is other.kind is Kind.ARRAY and one.element and other.element:
        element = _either(one.element, other.element)
        return Schema(Kind.ARRAY, optional=True, element=element)
    if one.kind is other.kind is Kind.STRUCT:
        fields = {field.name: field.schema for field in one.fields}
        for name, schema in other.fields:
            fields[name] = _either(fields.get(name, _UNKNOWN), schema)
        return Schema(Kind.STRUCT, optional=True, fields=tuple(map(Field._make, fields.items())))
    if one.name == other.name is None and {one.kind, other.kind} == set(_NUMBERS):
        return _INT64
    if one != other:
        raise BsonError(
            f"an array holds values of several types, {one.kind} and {other.kind}; set "
            "array_handling_mode=document"
        )
    return one


def _filled(value: Any, schema: Schema) -> Any:
    """Let documents of one array have the same fields."""
    if value is None or schema.kind not in (Kind.STRUCT, Kind.ARRAY):
        return value
    if schema.kind is Kind.ARRAY and schema.element:
        return [_filled(item, schema.element) for item in value]
    return {field.name: _filled(value.get(field.name), field.schema) for field in schema.fields}


_Reading = Callable[[Mapping[str, Any]], Typed]


def _spelt(value: Mapping[str, Any], read: _Reading) -> Typed:
    try:
        return read(value)
    except BsonError:
        raise
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
        raise BsonError(f"{next(iter(value))} has a value that it cannot have") from error


def _whole(value: str | int, kind: Kind) -> Typed:
    if not isinstance(value, int) and not (value.isascii() and value.lstrip("+-").isdigit()):
        raise BsonError(f"{value} is no {kind}")
    number, limit = int(value), _NUMBERS[kind]
    if not -limit <= number < limit:
        raise BsonError(f"{value} is no {kind}")
    return Typed(number, _INT32 if kind is Kind.INT32 else _INT64)


def _text(value: Any) -> Typed:
    if not isinstance(value, str):
        raise BsonError(f"{value} is no text")
    return Typed(value, _STRING)


def _date(value: Any) -> Typed:
    """Read milliseconds, bare or as a `$numberLong`, or a text of ISO 8601."""
    if isinstance(value, str):
        moment = datetime.fromisoformat(value)
        return Typed(moment.replace(tzinfo=moment.tzinfo or UTC).astimezone(UTC), _TIMESTAMP)
    millis = _whole(value["$numberLong"] if isinstance(value, dict) else value, Kind.INT64).value
    return Typed(_EPOCH + timedelta(milliseconds=millis), _TIMESTAMP)


def _binary(value: Any) -> Typed:
    text = value["base64"] if isinstance(value, dict) else value
    return Typed(b64decode(text, validate=True), _BYTES)


def _code(value: Mapping[str, Any]) -> Typed:
    code = _text(value["$code"])
    if "$scope" not in value:
        return code
    return _struct(code=code, scope=_document(value["$scope"], as_documents=False))


def _expression(pattern: Any, options: Any) -> Typed:
    return _struct(regex=_text(pattern), options=_text(options))


def _struct(**members: Typed) -> Typed:
    values = {name: member.value for name, member in members.items()}
    fields = tuple(Field(name, member.schema) for name, member in members.items())
    return Typed(values, Schema(Kind.STRUCT, optional=True, fields=fields))


_ABSENT = Typed(None, _UNKNOWN)

# By the first name in the object.
_SPELT: Mapping[str, _Reading] = {
    "$oid": lambda value: _text(value["$oid"]),
    "$numberInt": lambda value: _whole(value["$numberInt"], Kind.INT32),
    "$numberLong": lambda value: _whole(value["$numberLong"], Kind.INT64),
    "$numberDouble": lambda value: Typed(float(value["$numberDouble"]), _DOUBLE),
    "$numberDecimal": lambda value: _text(value["$numberDecimal"]),
    "$date": lambda value: _date(value["$date"]),
    "$timestamp": lambda value: Typed(
        _EPOCH + timedelta(seconds=value["$timestamp"]["t"]), _TIMESTAMP
    ),
    "$binary": lambda value: _binary(value["$binary"]),
    "$uuid": lambda value: Typed(UUID(value["$uuid"]).bytes, _BYTES),
    "$code": _code,
    "$symbol": lambda value: _text(value["$symbol"]),
    "$regularExpression": lambda value: _expression(
        value["$regularExpression"]["pattern"], value["$regularExpression"]["options"]
    ),
    "$regex": lambda value: _expression(value["$regex"], value.get("$options", "")),
    # Connect has no type for these.
    "$undefined": lambda _: _ABSENT,
    "$minKey": lambda _: _ABSENT,
    "$maxKey": lambda _: _ABSENT,
}

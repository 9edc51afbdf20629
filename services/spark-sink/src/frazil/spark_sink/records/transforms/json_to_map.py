"""JsonToMapTransform: make structs of JSON in texts, in which inner objects are maps of texts."""

from decimal import Decimal
from typing import Any

import msgspec

from frazil.contracts.plugins.transforms.chain import Step
from frazil.spark_sink.records.jackson import json_text
from frazil.spark_sink.records.model import DECIMAL, Field, Kind, Record, Schema
from frazil.spark_sink.records.transforms import Transform
from frazil.spark_sink.records.transforms.iceberg_refusals import iceberg_refusal
from frazil.spark_sink.records.transforms.refusals import Refusal, describe

_STRING = Schema(Kind.STRING, optional=True)
_BOOLEAN = Schema(Kind.BOOLEAN, optional=True)
_INT32 = Schema(Kind.INT32, optional=True)
_INT64 = Schema(Kind.INT64, optional=True)
_DOUBLE = Schema(Kind.FLOAT64, optional=True)
_DECIMAL = Schema(Kind.BYTES, optional=True, name=DECIMAL, version=1, parameters={"scale": "0"})
_MAP = Schema(Kind.MAP, optional=True, key=Schema(Kind.STRING), element=Schema(Kind.STRING))
_MAP_OF_OPTIONAL = Schema(Kind.MAP, optional=True, key=_STRING, element=_STRING)
_MAPS = Schema(Kind.ARRAY, optional=True, element=_MAP_OF_OPTIONAL)
_STRINGS = Schema(Kind.ARRAY, optional=True, element=_STRING)
_ARRAYS_OF_STRINGS = Schema(Kind.ARRAY, optional=True, element=_STRINGS)
_PAYLOAD = "payload"
_ROOT = Schema(Kind.STRUCT, fields=(Field(_PAYLOAD, _MAP),))


def json_to_map(step: Step) -> Transform:
    """Compile the transform."""
    typed = _root if step.options["json.root"] else _struct
    refuse = iceberg_refusal(step)

    def parse(record: Record) -> Record:
        if record.value is None:
            return record
        try:
            return record.with_value(*typed(_document(record.value, refuse)))
        except RecursionError as error:
            raise refuse("the text of its value is nested too deeply") from error

    return parse


def _document(text: Any, refuse: Refusal) -> dict[str, Any]:
    if not isinstance(text, str):
        raise refuse(f"its value is {describe(text)}, not a string: use StringConverter")
    try:
        document = msgspec.json.decode(text)
    except (msgspec.MsgspecError, UnicodeError) as error:
        raise refuse(f"the text of its value is not JSON: {error}") from error
    if not isinstance(document, dict):
        raise refuse(f"the text of its value is not a JSON object, but {describe(document)}")
    return document


def _root(document: dict[str, Any]) -> tuple[dict[str, Any], Schema]:
    return {_PAYLOAD: _texts(document)}, _ROOT


def _struct(document: dict[str, Any]) -> tuple[dict[str, Any], Schema]:
    schemas = ((name, _schema(item)) for name, item in document.items())
    fields = tuple(Field(name, schema) for name, schema in schemas if schema is not None)
    value = {name: _converted(document[name], schema) for name, schema in fields}
    return value, Schema(Kind.STRUCT, fields=fields)


def _schema(value: Any) -> Schema | None:
    """Return a field's schema; None for null and for what is empty, which become no field."""
    if isinstance(value, list):
        return _array(value)
    if isinstance(value, dict):
        return _MAP if value else None
    return None if value is None else _single(value)


def _single(value: Any) -> Schema:
    if isinstance(value, str):
        return _STRING
    if isinstance(value, bool):
        return _BOOLEAN
    if isinstance(value, float):
        return _DOUBLE
    if -(2**31) <= value < 2**31:
        return _INT32
    return _INT64 if -(2**63) <= value < 2**63 else _DECIMAL


def _array(items: list[Any]) -> Schema | None:
    """Return the schema of an array, whose items are texts unless all are of one type."""
    if not items:
        return None
    if all(isinstance(item, dict) for item in items):
        return _MAPS
    if all(isinstance(item, list) for item in items):
        return _array_of_arrays([_array(item) for item in items])
    if any(item is None or isinstance(item, dict | list) for item in items):
        return _STRINGS
    singles = [_single(item) for item in items]
    if any(single is not singles[0] for single in singles):
        return _STRINGS
    return Schema(Kind.ARRAY, optional=True, element=singles[0])


def _array_of_arrays(inner: list[Schema | None]) -> Schema | None:
    first = inner[0]
    if any(schema != first for schema in inner):
        return _ARRAYS_OF_STRINGS
    return None if first is None else Schema(Kind.ARRAY, optional=True, element=first)


def _converted(value: Any, schema: Schema) -> Any:
    if schema.kind is Kind.ARRAY and schema.element is not None:
        return [_converted(item, schema.element) for item in value]
    if schema.kind is Kind.MAP:
        return _texts(value)
    if schema.kind is Kind.STRING:
        return _text(value)
    return Decimal(value) if schema is _DECIMAL else value


def _texts(value: dict[str, Any]) -> dict[str, str]:
    return {name: _text(item) for name, item in value.items()}


def _text(value: Any) -> str:
    """Spell a value as Jackson does; null is the text `null`."""
    return value if isinstance(value, str) else json_text(value)

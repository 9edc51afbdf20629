"""Write JSON with schemas as Connect's JsonConverter writes it, and make schemas with values."""

import base64
import json
import math
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, time, timedelta
from decimal import Decimal
from typing import Any

from hypothesis import strategies as st

from frazil.spark_sink.records.model import DATE, DECIMAL, TIME, TIMESTAMP, Field, Kind, Schema

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
SCALE = 3
_MILLISECOND = timedelta(milliseconds=1)


def schema_json(schema: Schema | None) -> dict[str, Any] | None:
    """Write a schema; its default is not written, for each caller writes its own."""
    if schema is None:
        return None
    document: dict[str, Any] = {"type": str(schema.kind), "optional": schema.optional}
    if schema.name is not None:
        document |= {"name": schema.name, "version": schema.version}
    if schema.parameters:
        document["parameters"] = dict(schema.parameters)
    if schema.kind is Kind.STRUCT:
        document["fields"] = [
            {**(schema_json(field.schema) or {}), "field": field.name} for field in schema.fields
        ]
    if schema.key is not None:
        document |= {"keys": schema_json(schema.key), "values": schema_json(schema.element)}
    elif schema.element is not None:
        document["items"] = schema_json(schema.element)
    return document


def payload_json(schema: Schema, value: Any) -> Any:
    """Write a value; decimals as base64, numbers that JSON lacks as texts."""
    if value is None:
        return None
    if schema.name in _LOGICAL:
        return _LOGICAL[schema.name](value)
    if schema.kind is Kind.STRUCT:
        return {
            field.name: payload_json(field.schema, value[field.name]) for field in schema.fields
        }
    if schema.kind is Kind.BYTES:
        return base64.b64encode(value).decode()
    if isinstance(value, float) and not math.isfinite(value):
        return "NaN" if math.isnan(value) else f"{'-' if value < 0 else ''}Infinity"
    if schema.element is None:
        return value
    if schema.key is None:
        return [payload_json(schema.element, item) for item in value]
    entries = {name: payload_json(schema.element, item) for name, item in value.items()}
    if schema.key.kind is Kind.STRING:
        return entries
    return [[payload_json(schema.key, name), item] for name, item in entries.items()]


def envelope(schema: Schema | None, payload: Any) -> bytes:
    return json.dumps({"schema": schema_json(schema), "payload": payload}).encode()


def _unscaled(value: Decimal) -> str:
    number = int(value.scaleb(SCALE))
    size = (number if number >= 0 else ~number).bit_length() // 8 + 1
    return base64.b64encode(number.to_bytes(size, signed=True)).decode()


_LOGICAL: dict[str | None, Callable[[Any], Any]] = {
    DECIMAL: _unscaled,
    DATE: lambda value: value.toordinal() - EPOCH.toordinal(),
    TIME: lambda value: (
        ((value.hour * 60 + value.minute) * 60 + value.second) * 1000 + value.microsecond // 1000
    ),
    TIMESTAMP: lambda value: (value - EPOCH) // _MILLISECOND,
}

_TEXTS = st.text(st.characters(codec="utf-8"), max_size=8)
_BITS = {Kind.INT8: 7, Kind.INT16: 15, Kind.INT32: 31, Kind.INT64: 63}
_SINGLE: list[tuple[Schema, st.SearchStrategy[Any]]] = [
    (Schema(Kind.BOOLEAN), st.booleans()),
    (Schema(Kind.STRING), _TEXTS),
    (Schema(Kind.BYTES), st.binary(max_size=8)),
    (Schema(Kind.FLOAT32), st.floats(width=32)),
    (Schema(Kind.FLOAT64), st.floats()),
    *((Schema(kind), st.integers(-(1 << bits), (1 << bits) - 1)) for kind, bits in _BITS.items()),
    (
        Schema(Kind.BYTES, name=DECIMAL, version=1, parameters={"scale": str(SCALE)}),
        st.decimals(-(10**12), 10**12, places=SCALE),
    ),
    (Schema(Kind.INT32, name=DATE, version=1), st.dates()),
    (Schema(Kind.INT32, name=TIME, version=1), st.times()),
    (
        Schema(Kind.INT64, name=TIMESTAMP, version=1),
        st.datetimes(timezones=st.just(UTC)),
    ),
]
_KEYS = [typed for typed in _SINGLE if typed[0].kind in (Kind.STRING, Kind.INT32, Kind.INT64)]


def _whole_milliseconds(value: Any) -> Any:
    if isinstance(value, time | datetime):
        return value.replace(microsecond=value.microsecond // 1000 * 1000, fold=0)
    return value


@st.composite
def typed_values(draw: st.DrawFn, depth: int = 3) -> tuple[Schema, Any]:
    """Make a schema and a value of it."""
    schema, values = draw(_typed(depth))
    return schema, draw(values)


@st.composite
def _typed(draw: st.DrawFn, depth: int) -> tuple[Schema, st.SearchStrategy[Any]]:
    kinds = ["single", "single", "struct", "list", "map"] if depth else ["single"]
    kind = draw(st.sampled_from(kinds))
    if kind == "single":
        schema, values = draw(st.sampled_from(_SINGLE))
        values = values.map(_whole_milliseconds)
    elif kind == "struct":
        names = draw(st.lists(_TEXTS, unique=True, max_size=4))
        inner = {name: draw(_typed(depth - 1)) for name in names}
        fields = tuple(Field(name, typed[0]) for name, typed in inner.items())
        schema = Schema(Kind.STRUCT, fields=fields)
        values = st.tuples(*(typed[1] for typed in inner.values())).map(
            lambda items: dict(zip(names, items, strict=True))
        )
    else:
        element, items = draw(_typed(depth - 1))
        key, keys = draw(st.sampled_from(_KEYS))
        keys = keys.map(_whole_milliseconds)
        is_map = kind == "map"
        schema = (
            Schema(Kind.MAP, key=key, element=element)
            if is_map
            else Schema(Kind.ARRAY, element=element)
        )
        values = st.dictionaries(keys, items, max_size=3) if is_map else st.lists(items, max_size=3)
    if not draw(st.booleans()):
        return schema, values
    return replace(schema, optional=True), st.none() | values

"""Convert JSON that carries its schema, as `schema` and `payload`: JsonConverter's default."""

from collections.abc import Callable, Iterator
from functools import lru_cache, partial
from typing import Any, NamedTuple

import msgspec

from frazil.spark_sink.records.converters.api import Converter, Reader
from frazil.spark_sink.records.converters.connect_schema import parse_schema
from frazil.spark_sink.records.converters.json_values import reader_of
from frazil.spark_sink.records.converters.strict_json import (
    REFUSED,
    JsonDecoder,
    decode_odd,
    decoder_of,
)
from frazil.spark_sink.records.errors import ConverterError
from frazil.spark_sink.records.model import DECIMAL, Schema

_NO_ENVELOPE = (
    'JsonConverter with schemas.enable requires "schema" and "payload" fields and may not contain '
    "additional fields. If you are trying to deserialize plain JSON data, set "
    "schemas.enable=false in your converter configuration."
)
_encode = msgspec.json.Encoder(decimal_format="number").encode
_decode_plain = decoder_of()
_decode_exact = decoder_of(decimals=True)


class _Envelope(msgspec.Struct, forbid_unknown_fields=True, gc=False):
    schema: msgspec.Raw
    payload: msgspec.Raw


class _Payload(NamedTuple):
    """How payloads of one schema are decoded, and read."""

    schema: Schema | None
    decode: JsonDecoder
    read: Reader


def envelope_converter(*, replace_null: bool = True, cached: int = 1000) -> Converter:
    """Compile the converter; it remembers this many schemas by their bytes."""
    split = msgspec.json.Decoder(_Envelope).decode
    payload_of = lru_cache(cached)(partial(_payload, replace_null=replace_null))

    def convert(text: bytes | None) -> tuple[Any, Schema | None]:
        if text is None:
            return None, None
        try:
            envelope = split(text)
        except REFUSED:
            return _convert_odd(text, payload_of)
        schema, decode, read = payload_of(bytes(envelope.schema))
        return read(decode(envelope.payload)), schema

    return convert


def fixed_schema_converter(content: str, *, replace_null: bool = True) -> Converter:
    """Compile the converter of bare payloads, whose schema is in the configuration."""
    schema, decode, read = _payload(content.encode(), replace_null=replace_null)

    def convert(text: bytes | None) -> tuple[Any, Schema | None]:
        return (None, None) if text is None else (read(decode(text)), schema)

    return convert


def _convert_odd(text: bytes, payload_of: Callable[[bytes], _Payload]) -> tuple[Any, Schema | None]:
    """Convert an envelope that the fast decoder refuses, or say what is wrong with it."""
    envelope = decode_odd(text, decimals=True)
    if not isinstance(envelope, dict) or envelope.keys() != {"schema", "payload"}:
        raise ConverterError(_NO_ENVELOPE)
    schema, _, read = payload_of(_encode(envelope["schema"]))
    if schema is None:
        return decode_odd(text)["payload"], None
    return read(envelope["payload"]), schema


def _payload(text: bytes, *, replace_null: bool) -> _Payload:
    try:
        schema = parse_schema(_decode_exact(text), partial(reader_of, replace_null=replace_null))
    except RecursionError:
        raise ConverterError("the schema is nested too deeply") from None
    if schema is None:
        return _Payload(None, _decode_plain, lambda value: value)
    has_decimal = any(inner.name == DECIMAL for inner in _schemas(schema))
    return _Payload(
        schema,
        _decode_exact if has_decimal else _decode_plain,
        reader_of(schema, replace_null=replace_null),
    )


def _schemas(schema: Schema) -> Iterator[Schema]:
    yield schema
    for inner in (schema.key, schema.element, *(field.schema for field in schema.fields)):
        if inner is not None:
            yield from _schemas(inner)

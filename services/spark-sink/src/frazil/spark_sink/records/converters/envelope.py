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
    fast_decoder,
)
from frazil.spark_sink.records.errors import ConverterError
from frazil.spark_sink.records.model import DECIMAL, Schema

_NO_ENVELOPE = (
    'JsonConverter with schemas.enable requires "schema" and "payload" fields and may not contain '
    "additional fields. If you are trying to deserialize plain JSON data, set "
    "schemas.enable=false in your converter configuration."
)
_encode = msgspec.json.Encoder(decimal_format="number").encode
_decode_plain = fast_decoder()
_decode_exact = fast_decoder(decimals=True)


class _Envelope(msgspec.Struct, forbid_unknown_fields=True, gc=False):
    schema: msgspec.Raw
    payload: msgspec.Raw


class _Payload(NamedTuple):
    """How payloads of one schema are decoded, if they are not odd, and read."""

    schema: Schema | None
    decode: JsonDecoder
    read: Reader


def envelope_converter(*, replace_null: bool = True, cached: int = 1000) -> Converter:
    """Compile the converter; it remembers this many schemas by their bytes.

    Most records begin with the same bytes as the one before, up to the payload. Then the rest is
    the payload and a brace, and only that is decoded.
    """
    split = msgspec.json.Decoder(_Envelope).decode
    payload_of = lru_cache(cached)(partial(_payload, replace_null=replace_null))
    head, last = b"", _Payload(None, _decode_plain, _same)

    def convert(text: bytes | None) -> tuple[Any, Schema | None]:
        nonlocal head, last
        if text is None:
            return None, None
        if head and text.startswith(head) and text.endswith(b"}"):
            try:
                payload = last.decode(text[len(head) : -1])
            except REFUSED:
                pass
            else:
                return last.read(payload), last.schema
        try:
            envelope = split(text)
        except REFUSED:
            return _convert_odd(text, payload_of, replace_null=replace_null)
        written = bytes(envelope.schema)
        head, last = b'{"schema":%b,"payload":' % written, payload_of(written)
        return last.read(_decoded(last, envelope.payload)), last.schema

    return convert


def fixed_schema_converter(content: str, *, replace_null: bool = True) -> Converter:
    """Compile the converter of bare payloads, whose schema is in the configuration."""
    payload = _payload(content.encode(), replace_null=replace_null)

    def convert(text: bytes | None) -> tuple[Any, Schema | None]:
        if text is None:
            return None, None
        return payload.read(_decoded(payload, text)), payload.schema

    return convert


def _convert_odd(
    text: bytes, payload_of: Callable[[bytes], _Payload], *, replace_null: bool
) -> tuple[Any, Schema | None]:
    """Convert an envelope that the fast decoder refuses, or say what is wrong with it."""
    envelope = decode_odd(text, decimals=True)
    if not isinstance(envelope, dict) or envelope.keys() != {"schema", "payload"}:
        raise ConverterError(_NO_ENVELOPE)
    try:
        schema, _, read = payload_of(_encode(envelope["schema"]))
    except OverflowError:  # the encoder ends at 64 bits
        schema, _, read = _compiled(envelope["schema"], replace_null=replace_null)
    if schema is None:
        return decode_odd(text)["payload"], None
    return read(envelope["payload"]), schema


def _payload(text: bytes, *, replace_null: bool) -> _Payload:
    return _compiled(decode_odd(text, decimals=True), replace_null=replace_null)


def _compiled(document: Any, *, replace_null: bool) -> _Payload:
    try:
        schema = parse_schema(document, partial(reader_of, replace_null=replace_null))
        if schema is None:
            return _Payload(None, _decode_plain, _same)
        has_decimal = any(inner.name == DECIMAL for inner in _schemas(schema))
        return _Payload(
            schema,
            _decode_exact if has_decimal else _decode_plain,
            reader_of(schema, replace_null=replace_null),
        )
    except RecursionError:
        raise ConverterError("the schema is nested too deeply") from None


def _decoded(payload: _Payload, text: bytes | msgspec.Raw) -> Any:
    try:
        return payload.decode(text)
    except REFUSED:
        return decode_odd(bytes(text), decimals=payload.decode is _decode_exact)


def _same(value: Any) -> Any:
    return value


def _schemas(schema: Schema) -> Iterator[Schema]:
    yield schema
    for inner in (schema.key, schema.element, *(field.schema for field in schema.fields)):
        if inner is not None:
            yield from _schemas(inner)

"""Encode values as variants, in the binary form that Parquet and Iceberg have for them."""

import struct
from collections.abc import Iterator, Mapping
from datetime import UTC, date, datetime, time
from decimal import Decimal
from typing import Any

_METADATA_SORTED = 0b1_0001
_PRIMITIVE, _SHORT_STRING, _OBJECT, _ARRAY = range(4)
_NULL, _TRUE, _FALSE = 0, 1, 2
_INTS = ((3, 1), (4, 2), (5, 4), (6, 8))
_DOUBLE = 7
_DECIMALS = ((8, 4, 9), (9, 8, 18), (10, 16, 38))
_DATE, _TIMESTAMPTZ, _TIMESTAMP = 11, 12, 13
_BINARY, _STRING, _TIME = 15, 16, 17
_LONGEST_SHORT_STRING = 63
_MOST_SMALL = 255
_MOST_DIGITS = 38
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)

Ids = Mapping[str, int]


class NotAVariantError(ValueError):
    """The value has no place in a variant."""


def encode_variant(value: Any) -> tuple[bytes, bytes]:
    """Return the metadata, which are the sorted names of all fields, and the value."""
    names = sorted(set(_names(value)))
    ids = {name: number for number, name in enumerate(names)}
    return _metadata(names), _value(value, ids)


def _names(value: Any) -> Iterator[str]:
    """List the names of all fields at any depth."""
    if type(value) is dict:
        for name, item in value.items():
            if type(name) is not str:
                raise NotAVariantError("a map with keys that are not text")
            yield name
            yield from _names(item)
    elif type(value) is list:
        for item in value:
            yield from _names(item)


def _metadata(names: list[str]) -> bytes:
    texts = [_utf8(name) for name in names]
    size = _size(max(len(texts), sum(map(len, texts))))
    head = _METADATA_SORTED | (size - 1) << 6
    return bytes([head]) + _unsigned(len(texts), size) + _offsets(texts, size) + b"".join(texts)


def _value(value: Any, ids: Ids) -> bytes:
    kind = type(value)
    if kind is str:
        return _text(value)
    if kind is dict:
        return _object(value, ids)
    if kind is list:
        return _array(value, ids)
    if value is None:
        return _primitive(_NULL)
    if kind is bool:
        return _primitive(_TRUE if value else _FALSE)
    if kind is int:
        return _integer(value)
    if kind is float:
        return _primitive(_DOUBLE, struct.pack("<d", value))
    return _logical(value)


def _logical(value: Any) -> bytes:
    kind = type(value)
    if kind is Decimal:
        return _decimal(value)
    if kind is bytes:
        return _primitive(_BINARY, _unsigned(len(value), 4) + value)
    if kind is datetime:
        return _timestamp(value)
    if kind is date:
        return _primitive(_DATE, _signed(value.toordinal() - _EPOCH.toordinal(), 4))
    if kind is time:
        seconds = value.hour * 3600 + value.minute * 60 + value.second
        return _primitive(_TIME, _signed(seconds * 1_000_000 + value.microsecond, 8))
    raise NotAVariantError(kind.__name__)


def _integer(value: int) -> bytes:
    for number, width in _INTS:
        if -(1 << 8 * width - 1) <= value < 1 << 8 * width - 1:
            return _primitive(number, _signed(value, width))
    return _decimal(Decimal(value))


def _decimal(value: Decimal) -> bytes:
    sign, digits, exponent = value.as_tuple()
    if not isinstance(exponent, int) or max(len(digits) + exponent, -exponent) > _MOST_DIGITS:
        raise NotAVariantError("a number beyond 38 digits")
    scale = max(0, -exponent)
    unscaled = int("".join(map(str, digits))) * 10 ** max(0, exponent) * (-1 if sign else 1)
    for number, width, most in _DECIMALS:
        if abs(unscaled) < 10**most:
            return _primitive(number, bytes([scale]) + _signed(unscaled, width))
    raise NotAVariantError("a number beyond 38 digits")


def _timestamp(value: datetime) -> bytes:
    delta = value.replace(tzinfo=value.tzinfo or UTC) - _EPOCH
    micros = (delta.days * 86_400 + delta.seconds) * 1_000_000 + delta.microseconds
    return _primitive(_TIMESTAMPTZ if value.tzinfo else _TIMESTAMP, _signed(micros, 8))


def _text(value: str) -> bytes:
    content = _utf8(value)
    if len(content) <= _LONGEST_SHORT_STRING:
        return bytes([_SHORT_STRING | len(content) << 2]) + content
    return _primitive(_STRING, _unsigned(len(content), 4) + content)


def _array(items: list[Any], ids: Ids) -> bytes:
    values = [_value(item, ids) for item in items]
    size, large = _size(sum(map(len, values))), len(values) > _MOST_SMALL
    head = _ARRAY | (size - 1) << 2 | large << 4
    count = _unsigned(len(values), 4 if large else 1)
    return bytes([head]) + count + _offsets(values, size) + b"".join(values)


def _object(fields: Mapping[str, Any], ids: Ids) -> bytes:
    """Fields are in the order of their names, which is that of their ids."""
    numbers = sorted(map(ids.__getitem__, fields))
    by_id = {ids[name]: item for name, item in fields.items()}
    values = [_value(by_id[number], ids) for number in numbers]
    size, large = _size(sum(map(len, values))), len(values) > _MOST_SMALL
    id_size = _size(numbers[-1]) if numbers else 1
    head = _OBJECT | (size - 1) << 2 | (id_size - 1) << 4 | large << 6
    count = _unsigned(len(values), 4 if large else 1)
    names = b"".join(_unsigned(number, id_size) for number in numbers)
    return bytes([head]) + count + names + _offsets(values, size) + b"".join(values)


def _primitive(number: int, content: bytes = b"") -> bytes:
    return bytes([_PRIMITIVE | number << 2]) + content


def _offsets(parts: list[bytes], size: int) -> bytes:
    """Say where each part begins, and where the last one ends."""
    offset, offsets = 0, [_unsigned(0, size)]
    for part in parts:
        offset += len(part)
        offsets.append(_unsigned(offset, size))
    return b"".join(offsets)


def _size(largest: int) -> int:
    """Return how many bytes hold a number."""
    return max(1, (largest.bit_length() + 7) // 8)


def _unsigned(value: int, size: int) -> bytes:
    return value.to_bytes(size, "little")


def _signed(value: int, size: int) -> bytes:
    return value.to_bytes(size, "little", signed=True)


def _utf8(text: str) -> bytes:
    return text.encode("utf-8", "replace")

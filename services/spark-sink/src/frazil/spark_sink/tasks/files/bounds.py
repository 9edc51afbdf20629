"""Bounds of columns: cut to a length so that they still bound, and written as Iceberg has them."""

from typing import Any

from frazil.spark_sink.records.schema.types import Primitive
from frazil.spark_sink.tasks.values import to_bytes

_LAST_CODE_POINT = 0x10FFFF
_SURROGATES = range(0xD800, 0xE000)


def lower_bound(kind: Primitive, value: Any, length: int) -> bytes:
    """Serialize a lower bound, cut to `length` code points or bytes."""
    cut = value[:length] if kind.name in {"string", "binary"} else value
    return to_bytes(kind, cut)


def upper_bound(kind: Primitive, value: Any, length: int) -> bytes | None:
    """Serialize an upper bound, cut to `length`; None if no shorter value is above it."""
    if kind.name == "string":
        value = truncate_text_up(value, length)
    elif kind.name == "binary":
        value = truncate_bytes_up(value, length)
    return None if value is None else to_bytes(kind, value)


def truncate_text_up(text: str, length: int) -> str | None:
    """Cut a text to code points and raise the last that can be, so that it is above the text."""
    if len(text) <= length:
        return text
    for last in range(length - 1, -1, -1):
        point = ord(text[last]) + 1
        if point in _SURROGATES:
            point = _SURROGATES.stop
        if point <= _LAST_CODE_POINT:
            return text[:last] + chr(point)
    return None


def truncate_bytes_up(value: bytes, length: int) -> bytes | None:
    """Cut bytes and raise the last that can be, so that they are above the value."""
    if len(value) <= length:
        return value
    for last in range(length - 1, -1, -1):
        if value[last] < 0xFF:
            return value[:last] + bytes((value[last] + 1,))
    return None

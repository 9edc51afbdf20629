"""Decode Avro's binary encoding: functions of bytes and a position, combined by the schema.

Each returns the value and the position behind it. Bytes that are no Avro raise ValueError or
IndexError. A slice may reach beyond the end: the reader of a whole datum checks where it ended.
"""

import struct
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from frazil.spark_sink.records.errors import ConverterError

Decode = Callable[[bytes, int], tuple[Any, int]]

_FLOAT, _DOUBLE = struct.Struct("<f"), struct.Struct("<d")
_INT = 1 << 31
_CONTINUED = 0x80
_LONGEST = 70


def read_long(data: bytes, at: int) -> tuple[int, int]:
    number = data[at]
    at += 1
    if number >= _CONTINUED:
        number, at = _longer(data, at, number & 0x7F)
    return (number >> 1) ^ -(number & 1), at


def _longer(data: bytes, at: int, number: int) -> tuple[int, int]:
    """Read the rest of a number of more than seven bits."""
    for shift in range(7, _LONGEST, 7):
        byte = data[at]
        at += 1
        number |= (byte & 0x7F) << shift
        if byte < _CONTINUED:
            if number >> 64:
                break
            return number, at
    raise ValueError("a number has more than 64 bits")


def read_int(data: bytes, at: int) -> tuple[int, int]:
    number, at = read_long(data, at)
    if -_INT <= number < _INT:
        return number, at
    raise ValueError("an int has more than 32 bits")


def read_boolean(data: bytes, at: int) -> tuple[bool, int]:
    if data[at] > 1:
        raise ValueError("a boolean is neither 0 nor 1")
    return data[at] == 1, at + 1


def read_float(data: bytes, at: int) -> tuple[float, int]:
    return _FLOAT.unpack(data[at : at + 4])[0], at + 4


def read_double(data: bytes, at: int) -> tuple[float, int]:
    return _DOUBLE.unpack(data[at : at + 8])[0], at + 8


def read_bytes(data: bytes, at: int) -> tuple[bytes, int]:
    length = data[at]
    at += 1
    if length >= _CONTINUED:
        length, at = _longer(data, at, length & 0x7F)
    if length & 1:
        raise ValueError("a length is negative")
    end = at + (length >> 1)
    return data[at:end], end


def read_string(data: bytes, at: int) -> tuple[str, int]:
    """Read a text; bytes that are no UTF-8 become U+FFFD, as in Java."""
    # As in `read_bytes`, which would cost a call for each of many texts.
    length = data[at]
    at += 1
    if length >= _CONTINUED:
        length, at = _longer(data, at, length & 0x7F)
    if length & 1:
        raise ValueError("a length is negative")
    end = at + (length >> 1)
    return data[at:end].decode("utf-8", "replace"), end


PRIMITIVE_DECODERS: Mapping[str, Decode] = {
    "boolean": read_boolean,
    "int": read_int,
    "long": read_long,
    "float": read_float,
    "double": read_double,
    "bytes": read_bytes,
    "string": read_string,
}


def converted(decode: Decode, convert: Callable[[Any], Any]) -> Decode:
    def read(data: bytes, at: int) -> tuple[Any, int]:
        value, at = decode(data, at)
        return convert(value), at

    return read


def fixed(size: int) -> Decode:
    def read(data: bytes, at: int) -> tuple[Any, int]:
        return data[at : at + size], at + size

    return read


def enum(symbols: Sequence[str]) -> Decode:
    def read(data: bytes, at: int) -> tuple[Any, int]:
        position, at = read_long(data, at)
        if 0 <= position < len(symbols):
            return symbols[position], at
        raise ValueError("an enum has no symbol of this position")

    return read


def array(item: Decode) -> Decode:
    def read(data: bytes, at: int) -> tuple[Any, int]:
        values: list[Any] = []
        count, at = _block(data, at)
        while count:
            for _ in range(count):
                value, at = item(data, at)
                values.append(value)
            count, at = _block(data, at)
        return values, at

    return read


def pairs(key: Decode, item: Decode) -> Decode:
    """Decode a map, or the array of pairs that stands for a map with other keys than texts."""

    def read(data: bytes, at: int) -> tuple[Any, int]:
        values: dict[Any, Any] = {}
        count, at = _block(data, at)
        while count:
            for _ in range(count):
                name, at = key(data, at)
                values[name], at = item(data, at)
            count, at = _block(data, at)
        return values, at

    return read


def _block(data: bytes, at: int) -> tuple[int, int]:
    """Read how many items follow; a negative number has their size in bytes behind it."""
    count, at = read_long(data, at)
    if count < 0:
        count = -count
        _, at = read_long(data, at)
    if count > len(data):
        raise ValueError("there are more items than bytes")
    return count, at


def record(fields: Sequence[tuple[str, Decode]]) -> Decode:
    def read(data: bytes, at: int) -> tuple[Any, int]:
        values = {}
        try:
            for name, decode in fields:
                values[name], at = decode(data, at)
        except ConverterError as error:
            raise ConverterError(f"field {name}: {error}") from None
        return values, at

    return read


def optional(decode: Decode, *, null: int) -> Decode:
    """Decode a union of null, at this position, and one other type."""
    absent, present = 2 * null, 2 * (1 - null)

    def read(data: bytes, at: int) -> tuple[Any, int]:
        position = data[at]
        if position == present:
            return decode(data, at + 1)
        if position == absent:
            return None, at + 1
        raise ValueError("a union has no branch of this position")

    return read


def choice(branches: Sequence[tuple[str, Decode] | None]) -> Decode:
    """Decode a union as a struct in which one field has a value; a branch of None is null."""
    empty = dict.fromkeys(branch[0] for branch in branches if branch is not None)

    def read(data: bytes, at: int) -> tuple[Any, int]:
        position, at = read_long(data, at)
        if not 0 <= position < len(branches):
            raise ValueError("a union has no branch of this position")
        branch = branches[position]
        if branch is None:
            return None, at
        values: dict[str, Any] = empty.copy()
        values[branch[0]], at = branch[1](data, at)
        return values, at

    return read

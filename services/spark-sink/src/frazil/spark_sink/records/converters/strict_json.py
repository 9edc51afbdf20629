"""Decode JSON exactly: integers of any length, floats in range, a whole document or none.

The fast decoder takes what almost every record is. Bytes that it refuses get a second chance with
the standard library, which takes what Jackson takes besides: a byte order mark, halves of
surrogate pairs, zeros before a number.
"""

import json
import math
import re
from collections.abc import Callable
from decimal import Decimal
from typing import Any, NoReturn

import msgspec

from frazil.spark_sink.records.errors import ConverterError

# Takes bytes, or a part of an envelope.
JsonDecoder = Callable[[bytes | msgspec.Raw], Any]
BLANKS = b" \t\r\n"

# What the fast decoder raises; its caller gives the bytes to `decode_odd` then.
REFUSED = (msgspec.MsgspecError, UnicodeDecodeError, RecursionError)

_BOM = b"\xef\xbb\xbf"
# A text as a whole, so that numbers in it stay, or the zeros before a number.
_LEADING_ZEROS = re.compile(r'"(?:[^"\\]|\\.)*"|(?<![\d.eE+-])(-?)0+(?=\d)', re.DOTALL)
# Python writes and reads no longer ones.
_MOST_DIGITS = 4_300
_TOO_DEEP = "the JSON is nested too deeply"


def fast_decoder(*, decimals: bool = False) -> JsonDecoder:
    """Make the fast decoder; with `decimals`, fractions are Decimal and keep all their digits."""
    return msgspec.json.Decoder(float_hook=Decimal if decimals else None).decode


def decode_odd(text: bytes, *, decimals: bool = False) -> Any:
    """Decode what the fast decoder refuses, or say what is wrong with it."""
    fraction = Decimal if decimals else _finite
    try:
        unicode = text.removeprefix(_BOM).decode()
        unicode = _LEADING_ZEROS.sub(_without_zeros, unicode)
        value = json.loads(
            unicode, parse_int=_integer, parse_float=fraction, parse_constant=_refuse
        )
        return _without_surrogates(value) if "\\u" in unicode else value
    except RecursionError:
        raise ConverterError(_TOO_DEEP) from None
    except ValueError as error:
        raise ConverterError(f"it is not JSON in UTF-8: {error}") from None


def _integer(text: str) -> int:
    if len(text.removeprefix("-")) > _MOST_DIGITS:
        raise ValueError(f"a number has more than {_MOST_DIGITS} digits")
    return int(text)


def _finite(text: str) -> float:
    number = float(text)
    if math.isinf(number):
        raise ValueError("a number is out of the range of a double")
    return number


def _refuse(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is no number of JSON")


def _without_zeros(match: re.Match[str]) -> str:
    return match[0] if match[1] is None else match[1]


def _without_surrogates(value: Any) -> Any:
    """Write `?` for half a surrogate pair, as Java does when it encodes a text in UTF-8."""
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode()
    if isinstance(value, list):
        return [_without_surrogates(item) for item in value]
    if isinstance(value, dict):
        return {
            _without_surrogates(name): _without_surrogates(item) for name, item in value.items()
        }
    return value

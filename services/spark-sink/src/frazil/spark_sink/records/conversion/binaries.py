"""Values into bytes: base64, and UUIDs."""

import binascii
from typing import Any

from frazil.spark_sink.records.conversion.rules import Leaf, Unfit, unfit

_UUID_BYTES = 16
_HYPHENS = (8, 13, 18, 23)


def binary(value: Any) -> bytes:
    """Take bytes, or a text in base64, with its padding or without."""
    if type(value) is bytes:
        return value
    if type(value) is not str:
        raise unfit(value)
    try:
        return binascii.a2b_base64(value + "=" * (-len(value) % 4), strict_mode=True)
    except ValueError:
        raise Unfit("text that is not base64") from None


def fixed(length: int) -> Leaf:
    """Take bytes of one length, or their base64."""

    def convert(value: Any) -> bytes:
        content = binary(value)
        if len(content) != length:
            raise Unfit(f"{len(content)} bytes")
        return content

    return convert


def uuid(value: Any) -> bytes:
    """Take the text of a UUID with hyphens, or its 16 bytes."""
    if type(value) is bytes:
        if len(value) != _UUID_BYTES:
            raise Unfit(f"{len(value)} bytes")
        return value
    if type(value) is not str:
        raise unfit(value)
    digits = value.replace("-", "")
    if len(value) == len(digits) + 4 and all(value[at : at + 1] == "-" for at in _HYPHENS):
        try:
            content = bytes.fromhex(digits)
        except ValueError:
            content = b""
        if len(content) == _UUID_BYTES and len(digits) == 2 * _UUID_BYTES:
            return content
    raise Unfit("text that is not a UUID")

"""Values into bytes: base64, and UUIDs."""

import binascii
import re
from typing import Any

from frazil.spark_sink.records.conversion.rules import Leaf, Unfit, unfit

_UUID_BYTES = 16
_UUID_TEXT = re.compile("[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}").fullmatch


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
    if not _UUID_TEXT(value):
        raise Unfit("text that is not a UUID")
    return bytes.fromhex(value.replace("-", ""))

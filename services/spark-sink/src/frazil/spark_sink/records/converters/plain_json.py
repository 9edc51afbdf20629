"""Convert JSON without schemas: the document is the value."""

from typing import Any

from frazil.spark_sink.records.converters.api import Converter
from frazil.spark_sink.records.converters.strict_json import (
    BLANKS,
    REFUSED,
    decode_odd,
    fast_decoder,
)
from frazil.spark_sink.records.model import Schema


def plain_json_converter() -> Converter:
    """Compile the converter; no bytes, or blank ones, are a tombstone."""
    decode = fast_decoder()

    def convert(text: bytes | None) -> tuple[Any, Schema | None]:
        if text is None:
            return None, None
        try:
            return decode(text), None
        except REFUSED:
            return (decode_odd(text) if text.strip(BLANKS) else None), None

    return convert

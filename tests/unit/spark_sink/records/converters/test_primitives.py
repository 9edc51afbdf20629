import math
from typing import Any

import pytest

from frazil.contracts.plugins.converters import Converting
from frazil.spark_sink.records.converters import converter_of
from frazil.spark_sink.records.errors import ConverterError
from frazil.spark_sink.records.model import Kind, Schema


def convert(word: Any, value: bytes | None, **options: str) -> Any:
    names = {name.replace("_", "."): text for name, text in options.items()}
    return converter_of(Converting(word, True, names))(value)


@pytest.mark.parametrize(
    ("word", "value", "result", "kind"),
    [
        ("string", b"", "", Kind.STRING),
        ("string", "\u20ac".encode(), "\u20ac", Kind.STRING),
        ("string", b"a\xffb\xc0\x80", "a\ufffdb\ufffd\ufffd", Kind.STRING),
        ("bytes", b"", b"", Kind.BYTES),
        ("bytes", b"\0\xff", b"\0\xff", Kind.BYTES),
        ("short", b"\xff\xfe", -2, Kind.INT16),
        ("integer", b"\x7f\xff\xff\xff", 2**31 - 1, Kind.INT32),
        ("long", b"\x80" + b"\0" * 7, -(2**63), Kind.INT64),
        ("float", b"\x3d\xcc\xcc\xcd", 0.10000000149011612, Kind.FLOAT32),
        ("double", b"\x3f\xb9\x99\x99\x99\x99\x99\x9a", 0.1, Kind.FLOAT64),
        ("double", b"\xff\xf0" + b"\0" * 6, -math.inf, Kind.FLOAT64),
        ("boolean", b"\0", False, Kind.BOOLEAN),
        ("boolean", b"\1", True, Kind.BOOLEAN),
    ],
)
def test_bytes_are_a_value_of_the_converters_type(
    word: str, value: bytes, result: Any, kind: Kind
) -> None:
    assert convert(word, value) == (result, Schema(kind, optional=True))
    assert convert(word, None) == (None, Schema(kind, optional=True))


@pytest.mark.parametrize(
    ("word", "value", "why"),
    [
        ("short", b"\0", "short: Size of data received by ShortDeserializer is not 2"),
        ("integer", b"", "integer: Size of data received by IntegerDeserializer is not 4"),
        ("long", b"\0" * 9, "long: Size of data received by LongDeserializer is not 8"),
        ("float", b"\0" * 8, "float: Size of data received by Deserializer is not 4"),
        ("double", b"\0" * 4, "double: Size of data received by Deserializer is not 8"),
        ("boolean", b"", "boolean: Size of data received by BooleanDeserializer is not 1"),
        ("boolean", b"\0\1", "boolean: Size of data received by BooleanDeserializer is not 1"),
        ("boolean", b"\xfe", "boolean: Unexpected byte received by BooleanDeserializer: -2"),
    ],
)
def test_bytes_of_another_length_are_refused_in_kafkas_words(
    word: str, value: bytes, why: str
) -> None:
    with pytest.raises(ConverterError) as caught:
        convert(word, value)
    assert str(caught.value) == f"Failed to deserialize {why}"


@pytest.mark.parametrize(
    ("encoding", "value", "text"),
    [
        ("ISO-8859-1", b"\xe4", "\u00e4"),
        ("windows-1252", b"\x80", "\u20ac"),
        ("UTF-16BE", b"\x20\xac", "\u20ac"),
        ("UTF-16", b"\xfe\xff\x20\xac", "\u20ac"),
        ("US-ASCII", b"a\xe4", "a\ufffd"),
    ],
)
def test_a_text_may_have_another_encoding(encoding: str, value: bytes, text: str) -> None:
    assert convert("string", value, converter_encoding=encoding)[0] == text

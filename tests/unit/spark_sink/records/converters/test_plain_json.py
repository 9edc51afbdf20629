import json
import math
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from frazil.contracts.plugins.converters import Converting
from frazil.spark_sink.records.converters import converter_of
from frazil.spark_sink.records.errors import ConverterError

convert = converter_of(Converting("json", False, {}))

TAKEN: list[tuple[bytes, Any]] = [
    (b"null", None),
    (b"true", True),
    (b"false", False),
    (b'""', ""),
    (b"[]", []),
    (b"{}", {}),
    (b" \t\r\n1 \t\r\n", 1),
    (b"0", 0),
    (b"-0", 0),
    (b"-0.0", -0.0),
    (b"1e5", 100000.0),
    (b"1E+2", 100.0),
    (b"1e-2", 0.01),
    (b"0e1", 0.0),
    (b"1.0", 1.0),
    (b"123456789012345.678", 123456789012345.678),
    (b"0.1000000000000000055511151231257827021181583404541015625", 0.1),
    (b"2.2250738585072011e-308", 2.2250738585072011e-308),
    (b"5e-324", 5e-324),
    (b"1e-400", 0.0),
    (b"1.7976931348623157e308", 1.7976931348623157e308),
    (b"9007199254740993", 9007199254740993),
    (b"9223372036854775807", 2**63 - 1),
    (b"-9223372036854775808", -(2**63)),
    (b"9223372036854775808", 2**63),
    (b"-9223372036854775809", -(2**63) - 1),
    (b"18446744073709551616", 2**64),
    (b'{"a":[123456789012345678901234567890]}', {"a": [123456789012345678901234567890]}),
    (b'"\\u0000"', "\0"),
    (b'"\\u0061\\n\\/\\"\\\\\\b\\f\\r\\t"', 'a\n/"\\\b\f\r\t'),
    (b'"\\uD834\\uDd1e"', "\U0001d11e"),
    ('"\u20ac\U0001d11e"'.encode(), "\u20ac\U0001d11e"),
    ('"\u2028\u2029\ufeff"'.encode(), "\u2028\u2029\ufeff"),
    ('"\uffff\ufdd0\U0010ffff"'.encode(), "\uffff\ufdd0\U0010ffff"),
    (b'"\x7f"', "\x7f"),
    (b'{"a":1,"a":2}', {"a": 2}),
    (b'{"a":1,"\\u0061":2}', {"a": 2}),
    (b'{"":0}', {"": 0}),
    (b'{"a\\u0000b":1}', {"a\0b": 1}),
    (b'{"a":{"b":[{"c":null}]}}', {"a": {"b": [{"c": None}]}}),
    (b"[" * 200 + b"]" * 200, None),
    # What the fast decoder refuses and Jackson takes.
    (b"\xef\xbb\xbf[1]", [1]),
    (b'"\\ud800"', "?"),
    (b'"\\uDC00\\uD800"', "??"),
    (b'"\\ud800\\u0061"', "?a"),
    (b'{"\\udfaa":{"b":["\\uDBFF"]}}', {"?": {"b": ["?"]}}),
    (b'["\\ud800", 18446744073709551616, 0.5]', ["?", 2**64, 0.5]),
    (b"007", 7),
    (b"[-01, 00.5, 010, 0e5, 1.05, 10e05]", [-1, 0.5, 10, 0.0, 1.05, 1e6]),
    (b'[00, "x 007 \\" 08"]', [0, 'x 007 " 08']),
]
REFUSED: list[bytes] = [
    b"nul",
    b"True",
    b"NULL",
    b"undefined",
    b"NaN",
    b"[-NaN]",
    b"Infinity",
    b"-Infinity",
    b'{"a":Infinity}',
    b"inf",
    b"1e400",
    b"-1e400",
    b'{"a":[1e309]}',
    b"+1",
    b".5",
    b"1.",
    b"-",
    b"-.5",
    b"1e",
    b"1e+",
    b"1.e1",
    b"0x10",
    b"1_000",
    b"1,000",
    b"--1",
    "\uff11".encode(),
    b"1" * 5000,
    b"1 2",
    b'{"a":1} trailing',
    b'{"a":1}{"b":2}',
    b"{}}",
    b"[1]]",
    b"[1],",
    b"1\x00",
    b"\x00",
    b"[1\x0b]",
    b"[1\xc2\xa0]",
    b"[",
    b"[1",
    b"[1,",
    b"[1,]",
    b"[,1]",
    b"[1,,2]",
    b"[1 2]",
    b"[1:2]",
    b"{",
    b'{"a"',
    b'{"a":',
    b'{"a":1',
    b'{"a":1,}',
    b'{"a":1 "b":2}',
    b'{"a" 1}',
    b"{a:1}",
    b"{'a':1}",
    b"{1:1}",
    b"{null:1}",
    b'{"a":1,,"b":2}',
    b'"',
    b'"a',
    b'"\\"',
    b'"\\x"',
    b'"\\u00"',
    b'"\\u00g0"',
    b'"\\U0061"',
    b'"\\ud800\\u"',
    b"'a'",
    b'"a\nb"',
    b'"a\tb"',
    b'"\x00"',
    b'"\x1f"',
    b'"\xff"',
    b'"\xc0\x80"',
    b'"\xed\xa0\x80"',
    b'"\xf4\x90\x80\x80"',
    b'"\xe2\x82"',
    b'{"\xff":1}',
    b"\xff",
    b"\xef\xbb\xbf",
    b"\xef\xbb[]",
    "[1]".encode("utf-16"),
    "[1]".encode("utf-16-le"),
    "[1]".encode("utf-32-be"),
    b"// x\n1",
    b"[1/* x */]",
    b"#1",
    b"<a/>",
    b"[" * 100_000,
    b"[" * 100_000 + b"]" * 100_000,
    b'{"a":' * 100_000 + b"1" + b"}" * 100_000,
    b'["\\ud800",' + b"[" * 100_000,
]


@pytest.mark.parametrize(("text", "value"), TAKEN, ids=lambda text: repr(text)[:40])
def test_a_document_is_its_value(text: bytes, value: Any) -> None:
    result, schema = convert(text)
    assert schema is None
    if text.startswith(b"[["):
        assert isinstance(result, list)
        return
    assert result == value
    assert type(result) is type(value)
    assert repr(result) == repr(value)


@pytest.mark.parametrize("text", REFUSED, ids=lambda text: repr(text)[:40])
def test_what_is_not_exactly_one_document_is_refused(text: bytes) -> None:
    with pytest.raises(ConverterError) as caught:
        convert(text)
    assert str(caught.value).startswith(("it is not JSON in UTF-8: ", "the JSON is nested"))


@pytest.mark.parametrize("text", [None, b"", b" ", b" \t\r\n"])
def test_no_bytes_and_blanks_are_a_tombstone(text: bytes | None) -> None:
    assert convert(text) == (None, None)


def test_nesting_without_end_is_refused_in_words() -> None:
    with pytest.raises(ConverterError, match="the JSON is nested too deeply"):
        convert(b"[" * 100_000 + b"]" * 100_000)


VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.integers(min_value=-(2**70), max_value=2**70)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(codec="utf-8")),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(st.characters(codec="utf-8")), inner),
    max_leaves=20,
)


@given(value=VALUES, ascii_only=st.booleans(), indent=st.sampled_from([None, 1]))
@settings(derandomize=True, deadline=None, max_examples=200)
def test_any_value_comes_back_as_the_standard_library_reads_it(
    value: Any, *, ascii_only: bool, indent: int | None
) -> None:
    text = json.dumps(value, ensure_ascii=ascii_only, indent=indent)
    result, _ = convert(text.encode())
    assert repr(result) == repr(json.loads(text))


@given(
    digits=st.from_regex(
        r"-?(0|[1-9][0-9]{0,25})\.[0-9]{1,30}([eE][+-]?[0-9]{1,3})?", fullmatch=True
    )
)
@settings(derandomize=True, deadline=None, max_examples=300)
def test_a_fraction_is_the_nearest_double(digits: str) -> None:
    nearest = float(digits)
    if math.isinf(nearest):
        with pytest.raises(ConverterError):
            convert(digits.encode())
        return
    assert repr(convert(digits.encode())[0]) == repr(nearest)


@given(text=st.binary(max_size=30) | st.text('[]{}",:0123456789.eE+-\\u trufalsn').map(str.encode))
@settings(derandomize=True, deadline=None, max_examples=500)
def test_any_bytes_are_a_value_or_refused(text: bytes) -> None:
    try:
        result, _ = convert(text)
    except ConverterError:
        return
    json.dumps(result, ensure_ascii=False, allow_nan=False).encode()

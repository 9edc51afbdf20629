from datetime import UTC, date, datetime, time
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from frazil.contracts.plugins.converters import Converting
from frazil.spark_sink.records.converters import header_converter_of
from frazil.spark_sink.records.model import DATE, DECIMAL, TIME, TIMESTAMP, Header, Kind, Schema

convert = header_converter_of(Converting("simple", True, {}))

STRING, BOOLEAN = Schema(Kind.STRING), Schema(Kind.BOOLEAN)
INT8, INT16, INT32, INT64 = map(Schema, (Kind.INT8, Kind.INT16, Kind.INT32, Kind.INT64))
FLOAT32, FLOAT64 = Schema(Kind.FLOAT32), Schema(Kind.FLOAT64)
A_DATE = Schema(Kind.INT32, name=DATE, version=1)
A_TIME = Schema(Kind.INT32, name=TIME, version=1)
A_TIMESTAMP = Schema(Kind.INT64, name=TIMESTAMP, version=1)
MOMENT = datetime(2019, 8, 23, 14, 34, 54, 346_000, tzinfo=UTC)


def decimal(scale: int) -> Schema:
    return Schema(Kind.BYTES, name=DECIMAL, version=1, parameters={"scale": str(scale)})


def list_of(element: Schema | None) -> Schema:
    return Schema(Kind.ARRAY, element=element)


def map_of(key: Schema | None, element: Schema | None) -> Schema:
    return Schema(Kind.MAP, key=key, element=element)


@pytest.mark.parametrize(
    ("text", "value", "schema"),
    [
        ("null", None, None),
        (" null\t", None, None),
        ("true", True, BOOLEAN),
        (" false ", False, BOOLEAN),
        ("0", 0, INT8),
        ("-128", -128, INT8),
        ("+5", 5, INT8),
        ("007", 7, INT8),
        (" 5 ", 5, INT8),
        ("1.0", 1, INT8),
        ("1e2", 100, INT8),
        ("128", 128, INT16),
        ("-32769", -32769, INT32),
        ("2147483648", 2147483648, INT64),
        ("9223372036854775807", 2**63 - 1, INT64),
        ("-9223372036854775808", -(2**63), INT64),
        ("9223372036854775808", Decimal(2**63), decimal(0)),
        ("1.5", 1.5, FLOAT32),
        (".5", ".5", STRING),
        ("-.5", -0.5, FLOAT32),
        ("0.1", 0.10000000149011612, FLOAT32),
        ("1e30", 1.0000000150474662e30, FLOAT32),
        ("1e-400", 0.0, FLOAT32),
        ("1e40", 1e40, FLOAT64),
        ("1e400", Decimal("1e400"), decimal(-400)),
        ("2019-08-23", date(2019, 8, 23), A_DATE),
        ("14:34:54.346Z", time(14, 34, 54, 346_000), A_TIME),
        ("2019-08-23T14:34:54.346Z", MOMENT, A_TIMESTAMP),
        ("14\\:34\\:54.346Z", time(14, 34, 54, 346_000), A_TIME),
        ("2019-08-23T14\\:34\\:54.346Z", MOMENT, A_TIMESTAMP),
        ("[]", [], list_of(None)),
        ("[null]", [None], list_of(None)),
        ("[true, false]", [True, False], list_of(BOOLEAN)),
        ("[1, 300]", [1, 300], list_of(INT16)),
        ("[300, 1]", [300, 1], list_of(INT16)),
        ("[1, 2.5]", [1.0, 2.5], list_of(FLOAT32)),
        ("[2.5, 1e40]", [2.5, 1e40], list_of(FLOAT64)),
        ('["a", "b,c"]', ["a", "b,c"], list_of(STRING)),
        ('["a", 1]', ["a", 1], list_of(None)),
        ('[1, "a", 300]', [1, "a", 300], list_of(None)),
        ("[1,2,]", [1, 2], list_of(INT8)),
        ("[1] ", [1], list_of(INT8)),
        ("[2019-08-23]", [date(2019, 8, 23)], list_of(A_DATE)),
        ("[14:34:54.346Z, 14:34:54.346Z]", [time(14, 34, 54, 346_000)] * 2, list_of(A_TIME)),
        ("[9223372036854775808]", [Decimal(2**63)], list_of(decimal(0))),
        ("[[]]", [[]], list_of(list_of(None))),
        ("[{}]", [{}], list_of(map_of(None, None))),
        ("{}", {}, map_of(None, None)),
        ("{1: true}", {1: True}, map_of(INT8, BOOLEAN)),
        ("{3: null}", {3: None}, map_of(INT8, None)),
        ('{"a":{}}', {"a": {}}, map_of(STRING, map_of(None, None))),
        ('{"a":1, "b":"x"}', {"a": 1, "b": "x"}, map_of(STRING, None)),
        ('{"a":1, 2:"x"}', {"a": 1, 2: "x"}, map_of(None, None)),
        ('{"k":"14:34:54.346Z"}', {"k": time(14, 34, 54, 346_000)}, map_of(STRING, A_TIME)),
        ('{"k":14:34:54.346Z}', {"k": time(14, 34, 54, 346_000)}, map_of(STRING, A_TIME)),
        ('{"a":1.5,"b":2}', {"a": 1.5, "b": 2.0}, map_of(STRING, FLOAT32)),
    ],
)
def test_a_text_is_the_value_that_it_spells(text: str, value: Any, schema: Schema | None) -> None:
    result = convert("h", text.encode())
    assert result == Header("h", value, schema)
    assert repr(result.value) == repr(value)


@pytest.mark.parametrize(
    "text",
    [
        "",
        " ",
        "abc",
        "\uffff",
        "NaN",
        "-",
        "+",
        "1_000",
        "\uff12",
        "1e99999",
        "0x10",
        "5 apples",
        "5,6",
        "[1] x",
        "{} {}",
        "true}",
        "false]",
        "null=",
        '"quoted"',
        "[",
        "[1",
        "[1,",
        "[,1]",
        "[1,,2]",
        "[1, 2, 3,,,]",
        "[0 1 2]",
        "[foo]",
        "[1, null]",
        "[null, 1]",
        "{",
        "{1",
        "{1:",
        "{1:2",
        "{,}",
        "{1}",
        "{6:9 4:20}",
        "{foo: 3}",
        "{3: foo}",
        "{null: 3}",
        "{[1]: 2}",
        "2019-13-01",
        "25:00:00.000Z",
        "2019-08-23T14:34:54Z",
        "a\\",
        "http://host:80/[x]",
    ],
)
def test_anything_else_is_a_text(text: str) -> None:
    assert convert("h", text.encode()) == Header("h", text, STRING)


def test_no_bytes_are_null() -> None:
    assert convert("h", None) == Header("h", None, None)


def test_bytes_that_are_no_text_have_replacement_characters() -> None:
    assert convert("h", b"a\xff") == Header("h", "a\ufffd", STRING)


def test_lists_without_end_stay_bytes() -> None:
    deep = b"[" * 100_000
    assert convert("h", deep) == Header("h", deep, Schema(Kind.BYTES))


def test_headers_may_have_the_converter_of_values() -> None:
    json = header_converter_of(Converting("json", False, {}))
    assert json("h", b'{"a": 1}') == Header("h", {"a": 1}, None)
    number = header_converter_of(Converting("short", True, {}))
    assert number("n", b"\0\1") == Header("n", 1, Schema(Kind.INT16, optional=True))


@given(text=st.text('[]{},:"\\ 0123.-eTZ+nulltrfas') | st.text())
@settings(derandomize=True, deadline=None, max_examples=500)
def test_any_text_is_some_value(text: str) -> None:
    result = convert("h", text.encode("utf-8", "replace"))
    assert (result.value is None) == (result.schema is None)

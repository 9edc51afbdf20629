"""Values as Java's `toString` spells them."""

from datetime import UTC, date, datetime, time
from decimal import Decimal
from typing import Any

import pytest
from tests.support.plain_records import struct

from frazil.spark_sink.records.model import Kind, Schema
from frazil.spark_sink.records.texts import double_text, text_of

STRING = Schema(Kind.STRING)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("a", "a"),
        (5, "5"),
        (-(2**70), "-1180591620717411303424"),
        (True, "true"),
        (None, "null"),
        (1.0, "1.0"),
        ([1, None, "a"], "[1, null, a]"),
        ({"a": 1, "b": {"c": False}}, "{a=1, b={c=false}}"),
        (b"abc", "YWJj"),
        (Decimal("1.50"), "1.50"),
        (Decimal("1E+3"), "1E+3"),
        (datetime(2022, 5, 4, 7, 8, 9, 999, UTC), "Wed May 04 07:08:09 UTC 2022"),
        (date(1970, 1, 1), "Thu Jan 01 00:00:00 UTC 1970"),
        (time(23, 59), "Thu Jan 01 23:59:00 UTC 1970"),
    ],
)
def test_a_value_is_spelled_as_in_java(value: Any, text: str) -> None:
    assert text_of(value) == text


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.0, "0.0"),
        (-0.0, "-0.0"),
        (100.0, "100.0"),
        (0.001, "0.001"),
        (0.00099, "9.9E-4"),
        (9999999.0, "9999999.0"),
        (1e7, "1.0E7"),
        (-1.25e10, "-1.25E10"),
        (1e300, "1.0E300"),
        (float("nan"), "NaN"),
        (float("-inf"), "-Infinity"),
    ],
)
def test_a_double_is_spelled_as_in_java(value: float, text: str) -> None:
    assert double_text(value) == text


def test_a_number_of_32_bits_has_no_more_digits_than_it_needs() -> None:
    assert text_of(0.10000000149011612, Schema(Kind.FLOAT32)) == "0.1"
    assert text_of(0.10000000149011612) == "0.10000000149011612"


def test_a_struct_is_spelled_without_its_nulls() -> None:
    schema = struct(("a", STRING), ("b", STRING), ("c", struct(("d", STRING))))
    assert text_of({"a": "x", "b": None, "c": {"d": "y"}}, schema) == "Struct{a=x,c=Struct{d=y}}"

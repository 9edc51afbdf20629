"""Casts of single values: what Java makes of them, and where ours are stricter."""

from datetime import UTC, date, datetime, time
from decimal import Decimal
from math import inf, isnan, nan
from typing import Any

import pytest

from frazil.spark_sink.records.model import Kind
from frazil.spark_sink.records.transforms.casting import CastError, caster

MIDNIGHT = datetime(2023, 11, 14, tzinfo=UTC)
MOMENT = datetime(2023, 11, 14, 22, 13, 20, 123_000, tzinfo=UTC)

CASTS: list[tuple[str, Any, Any]] = [
    ("int8", 127, 127),
    ("int8", -128, -128),
    ("int8", True, 1),
    ("int32", "12", 12),
    ("int32", "+12", 12),
    ("int32", "-12", -12),
    ("int32", "\uff11\uff12", 12),
    ("int32", 2.9, 2),
    ("int32", -2.9, -2),
    ("int64", Decimal("-2.9"), -2),
    ("int64", 2**63 - 1, 2**63 - 1),
    ("int64", MOMENT, 1_700_000_000_123),
    ("int64", datetime(1969, 12, 31, 23, 59, 59, 999_000, tzinfo=UTC), -1),
    ("int32", date(2022, 1, 8), 19_000),
    ("int32", time(1, 0, 0, 5000), 3_600_005),
    ("float64", " 12\t", 12.0),
    ("float64", "1e3", 1000.0),
    ("float64", ".5d", 0.5),
    ("float64", "-Infinity", -inf),
    ("float64", 10**400, inf),
    ("float64", False, 0.0),
    ("float32", 0.1, 0.10000000149011612),
    ("float32", -1e300, -inf),
    ("float32", "1e300", inf),
    ("boolean", 0, False),
    ("boolean", 3, True),
    ("boolean", 0.5, False),
    ("boolean", -1.5, True),
    ("boolean", nan, False),
    ("boolean", inf, True),
    ("boolean", Decimal("0.9"), False),
    ("boolean", Decimal("1E+90000"), True),
    ("float64", Decimal("1E+90000"), inf),
    ("boolean", "TRUE", True),
    ("boolean", "yes", False),
    ("boolean", "1", False),
    ("boolean", date(1970, 1, 1), False),
    ("string", 7, "7"),
    ("string", True, "true"),
    ("string", 1e10, "1.0E10"),
    ("string", 1e-5, "1.0E-5"),
    ("string", 100.0, "100.0"),
    ("string", 12345678.9, "1.23456789E7"),
    ("string", 0.001, "0.001"),
    ("string", -0.0, "-0.0"),
    ("string", nan, "NaN"),
    ("string", -inf, "-Infinity"),
    ("string", b"\x01\x02", "AQI="),
    ("string", Decimal("-123.40"), "-123.40"),
    ("string", Decimal("1E+3"), "1E+3"),
    ("string", MOMENT, "2023-11-14T22:13:20.123Z"),
    ("string", MIDNIGHT, "2023-11-14"),
    ("string", date(2022, 1, 8), "2022-01-08"),
    ("string", date(1960, 1, 8), "1960-01-08"),
    ("string", time(1, 0), "01:00:00.000Z"),
]


@pytest.mark.parametrize(("target", "value", "expected"), CASTS)
def test_a_value_is_cast_as_java_does(target: str, value: Any, expected: Any) -> None:
    result = caster(target)(value)
    assert (type(result), result) == (type(expected), expected)


@pytest.mark.parametrize(
    ("target", "value"),
    [
        ("int8", 128),
        ("int16", 40_000),
        ("int32", 1e10),
        ("int64", 2**63),
        ("int64", nan),
        ("int64", inf),
        ("int64", Decimal("1E+90000")),
        ("int32", " 12"),
        ("int32", "1_000"),
        ("int32", "1.0"),
        ("int32", ""),
        ("int32", "9" * 5000),
        ("float64", "\uff11\uff12"),
        ("float64", "x"),
        ("float64", ""),
        ("int32", b"\x01"),
        ("boolean", b"\x01"),
        ("string", [1]),
        ("string", {"a": 1}),
    ],
)
def test_what_the_type_cannot_hold_is_refused(target: str, value: Any) -> None:
    with pytest.raises(CastError, match=r"^is "):
        caster(target)(value)


@pytest.mark.parametrize("target", ["int8", "float32", "boolean", "string"])
def test_null_stays_null(target: str) -> None:
    assert caster(target)(None) is None


def test_a_number_of_32_bits_has_the_fewest_digits() -> None:
    single = caster("float32")(0.1)
    assert caster("string", Kind.FLOAT32)(single) == "0.1"
    assert caster("string", Kind.FLOAT64)(single) == "0.10000000149011612"
    assert isnan(caster("float32")("NaN"))

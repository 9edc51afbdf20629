"""Single values in bounds, in JSON and in paths, as Iceberg has them."""

from decimal import Decimal
from typing import Any
from uuid import UUID

import pytest

from frazil.spark_sink.records.schema.types import Primitive, parse_type
from frazil.spark_sink.tasks.values import civil, to_bytes, to_json, to_text

CAT = UUID("f79c3e09-677c-4bbd-a479-3f349cb785e7").bytes


def kind_of(text: str) -> Primitive:
    kind = parse_type(text)
    assert isinstance(kind, Primitive)
    return kind


@pytest.mark.parametrize(
    ("kind", "value", "expected"),
    [
        ("boolean", False, "00"),
        ("boolean", True, "01"),
        ("int", 84202, "ea480100"),
        ("long", 200, "c800000000000000"),
        ("float", -4.5, "000090c0"),
        ("double", 6.0, "0000000000001840"),
        ("date", 1000, "e8030000"),
        ("time", 10_000_000_000, "00e40b5402000000"),
        ("timestamp", 400_000, "801a060000000000"),
        ("timestamptz", 400_000, "801a060000000000"),
        ("timestamp_ns", 400_000_000, "0084d71700000000"),
        ("string", "ABC", "414243"),
        ("string", "é\U0001f9ca", "c3a9f09fa78a"),
        ("uuid", CAT, "f79c3e09677c4bbda4793f349cb785e7"),
        ("fixed[2]", b"ab", "6162"),
        ("binary", b"Z", "5a"),
        ("decimal(5, 2)", 345, "0159"),
        ("decimal(7, 4)", 1_234_567, "12d687"),
        ("decimal(9, 2)", 0, "00"),
        ("decimal(9, 2)", -1, "ff"),
        ("decimal(9, 2)", 128, "0080"),
        ("decimal(9, 2)", -128, "80"),
        ("decimal(38, 0)", 1 - 10**38, "b4c4b357a5793b85f675ddc000000001"),
    ],
)
def test_a_bound_is_in_icebergs_binary_form(kind: str, value: Any, expected: str) -> None:
    assert to_bytes(kind_of(kind), value).hex() == expected


@pytest.mark.parametrize(
    ("kind", "value", "expected"),
    [
        ("int", 5, 5),
        ("boolean", True, True),
        ("string", None, None),
        ("date", 20_412, "2025-11-20"),
        ("date", -1, "1969-12-31"),
        ("date", -719_529, "-0001-12-31"),
        ("date", 2_932_897, "+10000-01-01"),
        ("time", 0, "00:00:00"),
        ("time", 81_068_000_100, "22:31:08.0001"),
        ("timestamp", -1, "1969-12-31T23:59:59.999999"),
        ("timestamptz", 1_510_871_468_000_000, "2017-11-16T22:31:08+00:00"),
        ("timestamp_ns", 1_510_871_468_000_000_001, "2017-11-16T22:31:08.000000001"),
        ("timestamptz_ns", -1, "1969-12-31T23:59:59.999999999+00:00"),
        ("decimal(9, 2)", Decimal("14.20"), "14.20"),
        ("decimal(38, 10)", Decimal("5E-10"), "0.0000000005"),
        ("uuid", CAT, "f79c3e09-677c-4bbd-a479-3f349cb785e7"),
        ("fixed[2]", b"\x00\xff", "00FF"),
        ("binary", b"", ""),
    ],
)
def test_json_has_a_value_as_icebergs_parser_reads_it(kind: str, value: Any, expected: Any) -> None:
    assert to_json(kind_of(kind), value) == expected


@pytest.mark.parametrize(
    ("kind", "value", "expected"),
    [
        ("string", None, "null"),
        ("string", "a/b", "a/b"),
        ("boolean", False, "false"),
        ("date", 17_486, "2017-11-16"),
        ("time", 0, "00:00"),
        ("time", 3_660_000_000, "01:01"),
        ("time", 1_000_000, "00:00:01"),
        ("time", 100_000, "00:00:00.100"),
        ("time", 36_775_038_194, "10:12:55.038194"),
        ("timestamptz", 1_512_151_975_038_194, "2017-12-01T18:12:55.038194+00:00"),
        ("timestamp", 1_512_151_975_000_000, "2017-12-01T18:12:55"),
        ("timestamp_ns", 1_512_151_975_038_194_001, "2017-12-01T18:12:55.038194001"),
        ("binary", b"\x01\x02\x03", "AQID"),
        ("fixed[3]", b"\x01\x02\x03", "AQID"),
        ("decimal(9, 2)", Decimal("-1.50"), "-1.50"),
        ("decimal(38, 10)", Decimal("5E-10"), "5E-10"),
        ("double", 1.0, "1.0"),
        ("double", 100.0, "100.0"),
        ("double", -0.0, "-0.0"),
        ("double", 0.001, "0.001"),
        ("double", 0.00015, "1.5E-4"),
        ("double", 1234567.5, "1234567.5"),
        ("double", 12345678.0, "1.2345678E7"),
        ("double", 1e10, "1.0E10"),
        ("double", float("nan"), "NaN"),
        ("double", float("-inf"), "-Infinity"),
        ("float", 0.10000000149011612, "0.1"),
        ("float", 3.4028234663852886e38, "3.4028235E38"),
        ("float", float("inf"), "Infinity"),
    ],
)
def test_a_path_has_a_value_as_java_prints_it(kind: str, value: Any, expected: str) -> None:
    assert to_text(kind_of(kind), value) == expected


@pytest.mark.parametrize(
    ("days", "expected"),
    [
        (0, (1970, 1, 1)),
        (-1, (1969, 12, 31)),
        (11_016, (2000, 2, 29)),
        (-719_528, (0, 1, 1)),
        (146_097 * 25, (11_970, 1, 1)),
    ],
)
def test_a_calendar_has_any_year(days: int, expected: tuple[int, int, int]) -> None:
    assert civil(days) == expected

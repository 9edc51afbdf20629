"""What a column of each type holds of a value, or that it is a misfit."""

from datetime import UTC, date, datetime, time
from decimal import Decimal
from typing import Any

import pytest

from frazil.spark_sink.records.conversion import ConversionRules, row_converter
from frazil.spark_sink.records.errors import MisfitError
from frazil.spark_sink.records.model import Field, Kind, Schema
from frazil.spark_sink.records.schema.types import Column, Struct, parse_type

MISFIT = "misfit"
NOON = 1_795_003_200_500_000
NOON_ZONED = datetime(2026, 11, 18, 12, 0, 0, 500_000, tzinfo=UTC)
LATE = 2**63
UUID = "f81d4fae-7dec-11d0-a765-00a0c91e6bf6"

BOOLEANS: list[tuple[Any, str, Any]] = [
    (True, "boolean", True),
    (False, "boolean", False),
    ("true", "boolean", True),
    ("False", "boolean", False),
    (" TRUE ", "boolean", True),
    (1, "boolean", True),
    (0, "boolean", False),
    ("1", "boolean", True),
    ("0", "boolean", False),
    (2, "boolean", MISFIT),
    (-1, "boolean", MISFIT),
    (1.0, "boolean", MISFIT),
    ("yes", "boolean", MISFIT),
    ("t", "boolean", MISFIT),
    ("", "boolean", MISFIT),
    ("maybe", "boolean", MISFIT),
    ({}, "boolean", MISFIT),
]

INTEGERS: list[tuple[Any, str, Any]] = [
    (1, "long", 1),
    ("12", "long", 12),
    ("-12", "long", -12),
    ("+12", "long", 12),
    (" 12 ", "int", 12),
    ("１２", "int", 12),  # noqa: RUF001
    ("1.0", "int", 1),
    ("1e3", "int", 1000),
    ("0e999999999", "int", 0),
    (1.0, "long", 1),
    (-0.0, "long", 0),
    (Decimal("5.00"), "long", 5),
    (1.5, "long", MISFIT),
    ("1.5", "long", MISFIT),
    (Decimal("1.5"), "int", MISFIT),
    ("x", "long", MISFIT),
    ("", "long", MISFIT),
    ("1_000", "long", MISFIT),
    ("0x10", "long", MISFIT),
    ("NaN", "long", MISFIT),
    (float("nan"), "long", MISFIT),
    (float("inf"), "int", MISFIT),
    (2**31 - 1, "int", 2**31 - 1),
    (2**31, "int", MISFIT),
    (-(2**31), "int", -(2**31)),
    (-(2**31) - 1, "int", MISFIT),
    (9_999_999_999, "int", MISFIT),
    (2**63 - 1, "long", 2**63 - 1),
    (2**63, "long", MISFIT),
    ("9223372036854775808", "long", MISFIT),
    (1e300, "long", MISFIT),
    ("1e999999999", "long", MISFIT),
    ("9" * 5000, "long", MISFIT),
    (True, "long", MISFIT),
    ({"a": 1}, "long", MISFIT),
    ([1], "long", MISFIT),
    (b"1", "long", MISFIT),
    (NOON_ZONED, "long", MISFIT),
]

FRACTIONS: list[tuple[Any, str, Any]] = [
    (3, "double", 3.0),
    (10**30 + 1, "double", 1e30),
    ("123456789012345678901234567890", "double", 123456789012345678901234567890.0),
    ("2.5", "float", 2.5),
    (" 2.5 ", "double", 2.5),
    ("NaN", "double", float("nan")),
    ("Infinity", "double", float("inf")),
    ("-Infinity", "double", float("-inf")),
    (float("inf"), "float", float("inf")),
    (Decimal("0.1"), "double", 0.1),
    (10**400, "double", MISFIT),
    ("1e400", "double", MISFIT),
    (Decimal("1e400"), "double", MISFIT),
    (1e39, "float", MISFIT),
    (3.4028234663852886e38, "float", 3.4028234663852886e38),
    ("1_0.5", "double", MISFIT),
    ("x", "double", MISFIT),
    ("", "float", MISFIT),
    (True, "double", MISFIT),
    ([], "float", MISFIT),
]

DECIMALS: list[tuple[Any, str, Any]] = [
    (1.005, "decimal(5, 2)", Decimal("1.01")),
    ("1.005", "decimal(5, 2)", Decimal("1.01")),
    ("-1.005", "decimal(5, 2)", Decimal("-1.01")),
    (7, "decimal(5, 2)", Decimal("7.00")),
    (2.5, "decimal(5, 1)", Decimal("2.5")),
    (Decimal("1E+2"), "decimal(5, 2)", Decimal("100.00")),
    ("1e2", "decimal(5, 2)", Decimal("100.00")),
    ("９", "decimal(5, 2)", Decimal("9.00")),  # noqa: RUF001
    (10**37, "decimal(38, 0)", Decimal(10**37)),
    (1e22, "decimal(38, 0)", Decimal(10**22)),
    (12345, "decimal(5, 2)", MISFIT),
    ("999.995", "decimal(5, 2)", MISFIT),
    ("1e999999999", "decimal(5, 2)", MISFIT),
    ("1e9999999999999999999", "decimal(5, 2)", MISFIT),
    ("1_0", "decimal(5, 2)", MISFIT),
    ("NaN", "decimal(5, 2)", MISFIT),
    (float("nan"), "decimal(5, 2)", MISFIT),
    (Decimal("sNaN"), "decimal(5, 2)", MISFIT),
    ("x", "decimal(5, 2)", MISFIT),
    (True, "decimal(5, 2)", MISFIT),
    (b"\x01", "decimal(5, 2)", MISFIT),
]

DATES: list[tuple[Any, str, Any]] = [
    ("2026-11-18", "date", 20_775),
    (20_775, "date", 20_775),
    ("20775", "date", 20_775),
    (20_775.0, "date", 20_775),
    ("1969-12-31", "date", -1),
    ("2024-02-29", "date", 19_782),
    ("0000-03-01", "date", -719_468),
    ("-0001-01-01", "date", -719_893),
    ("+12022-05-04", "date", 3_671_541),
    (date(2026, 11, 18), "date", 20_775),
    (NOON_ZONED, "date", 20_775),
    (datetime(1969, 12, 31, 23, tzinfo=UTC), "date", -1),
    ("2026-02-29", "date", MISFIT),
    ("2026-13-01", "date", MISFIT),
    ("2026-11-18T12:00:00Z", "date", MISFIT),
    (" 2026-11-18 ", "date", 20_775),
    ("2026-W47-3", "date", MISFIT),
    ("20261118T", "date", MISFIT),
    ("18.11.2026", "date", MISFIT),
    ("soon", "date", MISFIT),
    ("", "date", MISFIT),
    (9_999_999_999, "date", MISFIT),
    (1.5, "date", MISFIT),
    (True, "date", MISFIT),
]

TIMES: list[tuple[Any, str, Any]] = [
    ("10:15", "time", 36_900_000_000),
    ("10:15:30", "time", 36_930_000_000),
    ("10:15:30.5", "time", 36_930_500_000),
    ("10:15:30.123456789", "time", 36_930_123_456),
    (36_930_500, "time", 36_930_500_000),
    ("36930500", "time", 36_930_500_000),
    (1.5, "time", 1500),
    (0, "time", 0),
    (time(10, 15, 30, 500_000), "time", 36_930_500_000),
    (86_400_000, "time", MISFIT),
    (-1, "time", MISFIT),
    ("24:00", "time", MISFIT),
    ("10:60", "time", MISFIT),
    ("10:15:60", "time", MISFIT),
    ("noon", "time", MISFIT),
    (True, "time", MISFIT),
    (NOON_ZONED, "time", MISFIT),
]

TIMESTAMPS: list[tuple[Any, str, Any]] = [
    ("2026-11-18T12:00:00.5Z", "timestamptz", NOON),
    ("2026-11-18 12:00:00.5", "timestamptz", NOON),
    ("2026-11-18T13:00:00.5+01:00", "timestamptz", NOON),
    ("2026-11-18T13:00:00.500+0100", "timestamptz", NOON),
    ("2026-11-18T13:00:00.500000000+01", "timestamptz", NOON),
    ("2026-11-18T02:30:00.5-09:30", "timestamptz", NOON),
    ("2026-11-18t12:00:00.5z", "timestamptz", NOON),
    (" 2026-11-18T12:00:00.5Z ", "timestamptz", NOON),
    ("2026-11-18T12:00:00.500000999999Z", "timestamptz", NOON),
    ("2022-05-04T14:12Z", "timestamptz", 1_651_673_520_000_000),
    ("2022-05-04T14:12", "timestamptz", 1_651_673_520_000_000),
    ("2022-05-04 14:12:00+0000", "timestamptz", 1_651_673_520_000_000),
    ("2022-05-04T14:12:00+00", "timestamptz", 1_651_673_520_000_000),
    ("2022-05-04T24:00:00Z", "timestamptz", 1_651_708_800_000_000),
    ("2026-11-18", "timestamptz", 1_794_960_000_000_000),
    ("1969-12-31T23:59:59.999999Z", "timestamptz", -1),
    (1_795_003_200_500, "timestamptz", NOON),
    ("1795003200500", "timestamptz", NOON),
    (1_795_003_200_500.25, "timestamptz", NOON + 250),
    (-1, "timestamptz", -1000),
    (NOON_ZONED, "timestamptz", NOON),
    (NOON_ZONED.replace(tzinfo=None), "timestamptz", NOON),
    (date(2026, 11, 18), "timestamptz", 1_794_960_000_000_000),
    ("0000-03-01T00:00:00Z", "timestamptz", -719_468 * 86_400_000_000),
    ("+12022-05-04T00:00:00Z", "timestamptz", 3_671_541 * 86_400_000_000),
    ("2026-11-18T13:00:00.5+01:00", "timestamp", NOON + 3_600_000_000),
    ("2026-11-18T12:00:00.5", "timestamp", NOON),
    ("+12022-05-04T00:00:00+05:00", "timestamp", 3_671_541 * 86_400_000_000),
    (1_795_003_200_500, "timestamp", NOON),
    (NOON_ZONED, "timestamp", NOON),
    ("2026-11-18T12:00:00.123456789Z", "timestamptz_ns", 1_795_003_200_123_456_789),
    ("2026-11-18T12:00:00.12345678Z", "timestamptz_ns", 1_795_003_200_123_456_780),
    ("2026-11-18T12:00:00.1+01:37", "timestamptz_ns", 1_794_997_380_100_000_000),
    ("2026-11-18T12:00Z", "timestamptz_ns", 1_795_003_200_000_000_000),
    ("2026-11-18t12:00:00.123456789z", "timestamptz_ns", 1_795_003_200_123_456_789),
    ("2026-11-18T12:00:00.123456789+01:00", "timestamp_ns", 1_795_003_200_123_456_789),
    (1_795_003_200_500, "timestamptz_ns", NOON * 1000),
    (NOON_ZONED, "timestamptz_ns", NOON * 1000),
    ("2300-01-01T00:00:00Z", "timestamptz_ns", MISFIT),
    (LATE, "timestamptz_ns", MISFIT),
    (LATE - 1, "timestamptz", MISFIT),
    ("9223372036854775807", "timestamp", MISFIT),
    ("1e999999999", "timestamptz", MISFIT),
    (float("inf"), "timestamptz", MISFIT),
    (Decimal("NaN"), "timestamptz", MISFIT),
    ("2026-02-30T00:00:00Z", "timestamptz", MISFIT),
    ("2026-11-18T24:00:01Z", "timestamptz", MISFIT),
    ("2026-11-18T25:00:00Z", "timestamptz", MISFIT),
    ("2026-11-18T12:00:60Z", "timestamptz", MISFIT),
    ("2026-11-18T12:00:00+24:00", "timestamptz", MISFIT),
    ("+12026-11-18T12:00:00+01:60", "timestamptz", MISFIT),
    ("2026-11-18x12:00:00Z", "timestamptz", MISFIT),
    ("20261118T120000Z", "timestamptz", MISFIT),
    ("2026-W47-3T12:00", "timestamptz", MISFIT),
    ("noon", "timestamptz", MISFIT),
    ("", "timestamp", MISFIT),
    (True, "timestamptz", MISFIT),
    (time(12), "timestamptz", MISFIT),
    ({}, "timestamptz", MISFIT),
]

STRINGS: list[tuple[Any, str, Any]] = [
    ("x", "string", "x"),
    ("", "string", ""),
    (5, "string", "5"),
    (True, "string", "true"),
    (1.5, "string", "1.5"),
    (100.0, "string", "100.0"),
    (1e10, "string", "1.0E10"),
    (-1.25e-7, "string", "-1.25E-7"),
    (0.001, "string", "0.001"),
    (9_999_999.0, "string", "9999999.0"),
    (1e7, "string", "1.0E7"),
    (-0.0, "string", "-0.0"),
    (float("nan"), "string", "NaN"),
    (float("-inf"), "string", "-Infinity"),
    (Decimal("1.50"), "string", "1.50"),
    ({"a": 1, "b": "x"}, "string", '{"a":1,"b":"x"}'),
    ({"a": None}, "string", '{"a":null}'),
    ([1, 2], "string", "[1,2]"),
    ({}, "string", "{}"),
    ({"k": "Ä", "n": [1.5, None, True]}, "string", '{"k":"Ä","n":[1.5,null,true]}'),
    ({"big": 2**70}, "string", '{"big":1180591620717411303424}'),
    ({"d": Decimal("1.50")}, "string", '{"d":1.50}'),
    ({"lone": "\ud800"}, "string", '{"lone":"?"}'),
    (
        {"at": NOON_ZONED, "day": date(1970, 1, 3), "t": time(0, 0, 1), "b": b"hi"},
        "string",
        '{"at":1795003200500,"day":2,"t":1000,"b":"aGk="}',
    ),
    (b"hi", "string", "aGk="),
    (NOON_ZONED, "string", "2026-11-18T12:00:00.500000Z"),
    (date(2026, 11, 18), "string", "2026-11-18"),
    (time(10, 15), "string", "10:15:00"),
]

BYTES: list[tuple[Any, str, Any]] = [
    ("aGk=", "binary", b"hi"),
    ("aGk", "binary", b"hi"),
    ("", "binary", b""),
    (b"hi", "binary", b"hi"),
    ("***", "binary", MISFIT),
    ("aGk=aGk=", "binary", MISFIT),
    ("a", "binary", MISFIT),
    ("ä", "binary", MISFIT),
    (5, "binary", MISFIT),
    ("aGk=", "fixed[2]", b"hi"),
    (b"hi", "fixed[2]", b"hi"),
    ("aGk=", "fixed[3]", MISFIT),
    (UUID, "uuid", bytes.fromhex(UUID.replace("-", ""))),
    (UUID.upper(), "uuid", bytes.fromhex(UUID.replace("-", ""))),
    (bytes(16), "uuid", bytes(16)),
    (bytes(15), "uuid", MISFIT),
    (UUID.replace("-", ""), "uuid", MISFIT),
    (UUID[:-1], "uuid", MISFIT),
    (UUID[:-1] + "x", "uuid", MISFIT),
    ("{" + UUID + "}", "uuid", MISFIT),
    (5, "uuid", MISFIT),
    ("x", "geometry", MISFIT),
    (None, "geometry", None),
]

ALL = BOOLEANS + INTEGERS + FRACTIONS + DECIMALS + DATES + TIMES + TIMESTAMPS + STRINGS + BYTES


def convert(value: Any, kind: str, schema: Schema | None = None) -> Any:
    table = Struct((Column("c", parse_type(kind)),))
    try:
        (held,) = row_converter(table, ConversionRules())({"c": value}, schema)
    except MisfitError as error:
        return MISFIT if error.path == ("c",) else error
    return held


@pytest.mark.parametrize(
    ("value", "kind", "expected"), ALL, ids=[f"{str(v)[:40]!r} into {k}" for v, k, _ in ALL]
)
def test_a_column_holds_a_value_or_refuses_it(value: Any, kind: str, expected: Any) -> None:
    held = convert(value, kind)
    # Texts tell 1 from 1.0 and from true, and a not-a-number is equal to itself.
    assert repr(held) == repr(expected)


@pytest.mark.parametrize(
    "zone", ["", "Z", "z", "+00", "+0000", "+00:00", "-08", "-0800", "-08:00", "+05:30"]
)
@pytest.mark.parametrize("fraction", ["", ":00", ":00.5", ":00.260514", ":00.260514999"])
@pytest.mark.parametrize("between", "T t")
def test_a_timestamp_has_many_spellings(between: str, fraction: str, zone: str) -> None:
    text = f"2023-05-18{between}11:22{fraction}{zone}"
    written = datetime(2023, 5, 18, 11, 22, tzinfo=UTC)
    micros = {":00.5": 500_000}.get(fraction, 260_514 if "26" in fraction else 0)
    local = int(written.timestamp()) * 1_000_000 + micros
    east = {"-08": -480, "+05": 330}.get(zone[:3], 0) * 60_000_000
    assert convert(text, "timestamptz") == local - east
    assert convert(text, "timestamp") == local
    nanos = 999 if fraction.endswith("999") else 0
    assert convert(text, "timestamptz_ns") == (local - east) * 1000 + nanos


@pytest.mark.parametrize("kind", sorted({kind for _, kind, _ in ALL}))
def test_null_is_null_in_every_column(kind: str) -> None:
    assert convert(None, kind) is None


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.10000000149011612, "0.1"),
        (16_777_216.0, "1.6777216E7"),
        (float("inf"), "Infinity"),
        (1.5, "1.5"),
    ],
)
def test_a_number_of_32_bits_is_written_with_its_own_digits(value: float, text: str) -> None:
    schema = Schema(Kind.STRUCT, fields=(Field("c", Schema(Kind.FLOAT32)),))
    assert convert(value, "string", schema) == text


@pytest.mark.parametrize(
    ("value", "kind", "message"),
    [
        (1.5, "long", "column c of type long cannot hold a number with a fraction"),
        (2**31, "int", "column c of type int cannot hold a number beyond its range"),
        ("x", "double", "column c of type double cannot hold text that is not a number"),
        ("noon", "timestamptz", "column c of type timestamptz cannot hold text that is not a time"),
        ({}, "date", "column c of type date cannot hold a struct"),
        (b"1", "fixed[2]", "column c of type fixed[2] cannot hold 1 bytes"),
    ],
)
def test_a_misfit_says_where_and_why(value: Any, kind: str, message: str) -> None:
    table = Struct((Column("c", parse_type(kind)),))
    with pytest.raises(MisfitError) as error:
        row_converter(table, ConversionRules())({"c": value}, None)
    assert str(error.value).startswith(message)

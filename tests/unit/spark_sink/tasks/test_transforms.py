"""Partition transforms, with the vectors of Iceberg's specification."""

from datetime import UTC, date, datetime, time
from decimal import Decimal
from typing import Any
from uuid import UUID

import pyarrow as pa
import pytest

from frazil.spark_sink.records.schema.types import Primitive, parse_type
from frazil.spark_sink.tasks.transforms import compile_transform, hash_text

NOON = datetime(2017, 11, 16, 22, 31, 8)  # noqa: DTZ001
CAT = UUID("f79c3e09-677c-4bbd-a479-3f349cb785e7").bytes
UTC_US = pa.timestamp("us", "UTC")
NS = 1_510_871_468_000_001_001
DECIMAL = pa.decimal128(9, 2)


def apply(transform: str, kind: str, values: list[Any], arrow: pa.DataType) -> list[Any]:
    primitive = parse_type(kind)
    assert isinstance(primitive, Primitive)
    return list(compile_transform(transform, primitive)(pa.array(values, arrow)).to_pylist())


@pytest.mark.parametrize(
    ("kind", "value", "arrow", "expected"),
    [
        ("int", 34, pa.int32(), 2017239379),
        ("long", 34, pa.int64(), 2017239379),
        ("decimal(9, 2)", Decimal("14.20"), DECIMAL, -500754589),
        ("date", date(2017, 11, 16), pa.date32(), -653330422),
        ("time", time(22, 31, 8), pa.time64("us"), -662762989),
        ("timestamp", NOON, pa.timestamp("us"), -2047944441),
        ("timestamptz", NOON.replace(tzinfo=UTC), UTC_US, -2047944441),
        ("timestamp", NOON.replace(microsecond=1), pa.timestamp("us"), -1207196810),
        ("timestamp_ns", NS, pa.timestamp("ns"), -1207196810),
        ("timestamptz_ns", NS, pa.timestamp("ns", "UTC"), -1207196810),
        ("string", "iceberg", pa.string(), 1210000089),
        ("uuid", CAT, pa.uuid(), 1488055340),
        ("fixed[4]", b"\x00\x01\x02\x03", pa.binary(4), -188683207),
        ("binary", b"\x00\x01\x02\x03", pa.binary(), -188683207),
    ],
)
def test_a_bucket_is_the_hash_of_the_specification(
    kind: str, value: Any, arrow: pa.DataType, expected: int
) -> None:
    values = apply("bucket[1000]", kind, [value, None], arrow)
    assert values == [(expected & 0x7FFFFFFF) % 1000, None]


@pytest.mark.parametrize(
    ("transform", "kind", "arrow", "value", "expected"),
    [
        ("truncate[10]", "int", pa.int32(), 1, 0),
        ("truncate[10]", "int", pa.int32(), -1, -10),
        ("truncate[10]", "long", pa.int64(), -11, -20),
        ("truncate[50]", "decimal(9, 2)", DECIMAL, Decimal("10.65"), Decimal("10.50")),
        ("truncate[10]", "decimal(9, 2)", DECIMAL, Decimal("-0.05"), Decimal("-0.10")),
        ("truncate[3]", "string", pa.string(), "iceberg", "ice"),
        ("truncate[2]", "string", pa.string(), "\U0001f9ca\U0001f9ca\U0001f9ca", "\U0001f9ca" * 2),
        ("truncate[3]", "string", pa.string(), "ab", "ab"),
        ("truncate[2]", "binary", pa.binary(), b"\x00\x01\x02", b"\x00\x01"),
        ("year", "date", pa.date32(), date(1969, 12, 31), -1),
        ("month", "date", pa.date32(), date(2017, 11, 16), 574),
        ("day", "date", pa.date32(), date(2017, 11, 16), 17486),
        ("year", "timestamp", pa.timestamp("us"), NOON, 47),
        ("month", "timestamptz", UTC_US, NOON.replace(tzinfo=UTC), 574),
        ("day", "timestamp", pa.timestamp("us"), NOON, 17486),
        ("hour", "timestamp", pa.timestamp("us"), NOON, 419686),
        ("hour", "timestamp", pa.timestamp("us"), -1, -1),
        ("day", "timestamptz", UTC_US, -1, -1),
        ("year", "timestamp_ns", pa.timestamp("ns"), NS, 47),
        ("month", "timestamptz_ns", pa.timestamp("ns", "UTC"), NS, 574),
        ("day", "timestamp_ns", pa.timestamp("ns"), -1, -1),
        ("hour", "timestamptz_ns", pa.timestamp("ns", "UTC"), -1, -1),
        ("hour", "timestamp_ns", pa.timestamp("ns"), NS, 419686),
        ("bucket[16]", "timestamp_ns", pa.timestamp("ns"), -1, 8),
        ("identity", "date", pa.date32(), date(2017, 11, 16), 17486),
        ("identity", "time", pa.time64("us"), time(0, 0, 1), 1_000_000),
        ("identity", "timestamp_ns", pa.timestamp("ns"), NS, NS),
        ("identity", "uuid", pa.uuid(), CAT, CAT),
        ("identity", "fixed[2]", pa.binary(2), b"ab", b"ab"),
        ("identity", "boolean", pa.bool_(), False, False),
        ("identity", "double", pa.float64(), 1.5, 1.5),
    ],
)
def test_a_transform_gives_icebergs_value_and_keeps_null(
    transform: str, kind: str, arrow: pa.DataType, value: Any, expected: Any
) -> None:
    assert apply(transform, kind, [value, None], arrow) == [expected, None]


def test_the_last_bits_of_a_hash_are_those_of_murmur3() -> None:
    assert hash_text("iceberg", 20) == 1210000089 & 0xFFFFF

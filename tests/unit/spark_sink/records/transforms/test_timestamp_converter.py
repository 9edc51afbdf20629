"""TimestampConverter without schemas: from every form of a time to every other."""

from datetime import UTC, date, datetime, time
from typing import Any

import pytest
from tests.support.connect_steps import changed_value, step
from tests.support.plain_records import struct

from frazil.spark_sink.records.model import Kind, Schema

MOMENT = datetime(2023, 11, 14, 22, 13, 20, 123_000, tzinfo=UTC)
PATTERN = "yyyy-MM-dd HH:mm:ss.SSS"

# The value, `target.type`, other options, and what becomes of it.
TIMES: list[tuple[Any, str, dict[str, str], Any]] = [
    (1_700_000_000_123, "Timestamp", {}, MOMENT),
    (1_700_000_000, "Timestamp", {"unix_precision": "seconds"}, MOMENT.replace(microsecond=0)),
    (1_700_000_000_123_456_789, "Timestamp", {"unix_precision": "nanoseconds"}, MOMENT),
    (-1, "Timestamp", {"unix_precision": "microseconds"}, datetime(1970, 1, 1, tzinfo=UTC)),
    (1_700_000_000_123, "Date", {}, date(2023, 11, 14)),
    (-1, "Date", {}, date(1969, 12, 31)),
    (1_700_000_000_123, "Time", {}, time(22, 13, 20, 123_000)),
    (-1, "Time", {}, time(23, 59, 59, 999_000)),
    (1_700_000_000_123, "string", {"format": "yyyy/MM/dd HH:mm"}, "2023/11/14 22:13"),
    (1_700_000_000_123_456, "unix", {"unix_precision": "microseconds"},
     1_700_000_000_123_000),
    (MOMENT, "unix", {"unix_precision": "seconds"}, 1_700_000_000),
    (datetime(1969, 12, 31, 23, 59, 59, tzinfo=UTC), "unix", {"unix_precision": "nanoseconds"},
     -1_000_000_000),
    (datetime(1969, 12, 31, 23, 59, 58, 1000, tzinfo=UTC), "unix",
     {"unix_precision": "seconds"}, -1),
    ("2023-11-14 22", "unix", {"format": "yyyy-MM-dd HH"}, 1_699_999_200_000),
    ("2023-11-14 22:13:20.123", "Timestamp", {"format": PATTERN}, MOMENT),
    ("2023-11-14 22:13:20.123", "string", {"format": PATTERN}, "2023-11-14 22:13:20.123"),
    (date(2023, 11, 14), "Timestamp", {}, datetime(2023, 11, 14, tzinfo=UTC)),
    (time(1, 0), "unix", {}, 3_600_000),
    (None, "unix", {}, None),
]  # fmt: skip


@pytest.mark.parametrize(("value", "target", "options", "expected"), TIMES)
def test_a_field_is_converted(
    value: Any, target: str, options: dict[str, str], expected: Any
) -> None:
    converter = step("TimestampConverter$Value", field="t", target_type=target, **options)
    assert changed_value({"a": 1, "t": value}, converter) == {"a": 1, "t": expected}


@pytest.mark.parametrize(("value", "target", "options", "expected"), TIMES)
def test_a_whole_value_is_converted(
    value: Any, target: str, options: dict[str, str], expected: Any
) -> None:
    converter = step("TimestampConverter$Value", target_type=target, **options)
    assert changed_value(value, converter) == expected


@pytest.mark.parametrize(
    ("value", "options", "words"),
    [
        ("14.11.2023", {"format": "yyyy-MM-dd"},
         "field t is no time: '14.11.2023' does not match the pattern yyyy-MM-dd"),
        ("2023", {}, "field t is no time: it is a string, and there is no format"),
        (2**63 - 1, {"unix_precision": "seconds"}, "field t is beyond the years 1 to 9999"),
        (-(10**15), {}, "field t is beyond the years 1 to 9999"),
        ("99999-01-01", {"format": "yyyy-MM-dd"}, "field t is no time: year 99999 is out of"),
        ("9" * 30, {"format": "yyyy"}, "field t is beyond the years 1 to 9999"),
        (True, {}, "field t is a boolean, which is no time"),
        (1.5, {}, "field t is a floating-point number, which is no time"),
        ({"a": 1}, {}, "field t is a map, which is no time"),
    ],
)  # fmt: skip
def test_what_is_no_time_is_refused(value: Any, options: dict[str, str], words: str) -> None:
    converter = step("TimestampConverter$Value", field="t", target_type="Timestamp", **options)
    assert changed_value({"t": value}, converter).startswith(f"!{words}")


def test_a_missing_field_becomes_null() -> None:
    converter = step("TimestampConverter$Value", field="t", target_type="unix")
    assert changed_value({"a": 1}, converter) == {"a": 1, "t": None}


@pytest.mark.parametrize(
    ("schema", "expected"),
    [
        pytest.param(None, None, id="one without a schema"),
        pytest.param(struct(("t", Schema(Kind.INT64))), None, id="one of a struct"),
        pytest.param(
            Schema(Kind.STRING), "!there is no field in a schema of string", id="one of text"
        ),
    ],
)
def test_a_tombstone_has_to_be_one_of_fields(schema: Schema | None, expected: str | None) -> None:
    converter = step("TimestampConverter$Value", field="t", target_type="unix")
    assert changed_value(None, converter, schema=schema) == expected


def test_a_zone_in_a_text_does_not_change_how_later_ones_are_written() -> None:
    pattern = "yyyy-MM-dd HH:mm z"
    converter = step("TimestampConverter$Value", target_type="string", format=pattern)
    assert changed_value("2023-11-14 22:13 PST", converter) == "2023-11-15 06:13 UTC"
    assert changed_value(1_700_000_000_123, converter) == "2023-11-14 22:13 UTC"

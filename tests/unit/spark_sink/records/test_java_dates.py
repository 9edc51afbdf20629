"""Patterns of SimpleDateFormat: what is written, and what is read how leniently."""

from datetime import UTC, datetime

import pytest

from frazil.spark_sink.records.java_dates import (
    BadDatePatternError,
    date_formatter,
    date_parser,
)

MILLIS = 1_700_000_000_123  # 2023-11-14T22:13:20.123Z, a Tuesday
DAY = 86_400_000
NOVEMBER_14 = 1_699_920_000_000


@pytest.mark.parametrize(
    ("pattern", "text"),
    [
        ("yyyyMMdd", "20231114"),
        ("yy y yyy yyyyyy", "23 2023 2023 002023"),
        ("M MM MMM MMMM", "11 11 Nov November"),
        ("d ddd", "14 014"),
        ("H:mm:ss.SSS", "22:13:20.123"),
        ("SSSSSS S", "000123 123"),
        ("hh h a", "10 10 PM"),
        ("E EEE EEEE", "Tue Tue Tuesday"),
        ("z Z X XX XXX", "UTC +0000 Z Z Z"),
        ("yyyy-MM-dd'T'HH:mm''ss'o''clock'", "2023-11-14T22:13'20o'clock"),
        ("yyyy''''", "2023''"),
    ],
)
def test_a_time_is_written(pattern: str, text: str) -> None:
    assert date_formatter(pattern)(MILLIS) == text


def test_midnight_and_noon_are_twelve_o_clock() -> None:
    write = date_formatter("h a")
    assert (write(0), write(DAY // 2)) == ("12 AM", "12 PM")


@pytest.mark.parametrize(
    ("pattern", "text", "millis"),
    [
        ("yyyy-MM-dd", "2023-11-14", NOVEMBER_14),
        ("yyyy-MM-dd", "2023-1-4", 1_672_790_400_000),
        ("yyyy-MM-dd", " 2023- 11-\t14", NOVEMBER_14),
        ("yyyy-MM-dd", "2023-11-14 and more", NOVEMBER_14),
        ("yyyy-MM-dd", "2023-10-45", NOVEMBER_14),
        ("yyyy-MM-dd", "2022-23-14", NOVEMBER_14),
        ("yyyy-MM-dd", "2023-12-0", 1_701_302_400_000),
        ("yyyy-MM-dd HH:mm:ss", "2023-11-13 45:73:20", MILLIS - 123),
        ("yyyyMMdd", "20231114", NOVEMBER_14),
        ("yyyyMMdd", "2023114", NOVEMBER_14 - 10 * DAY),
        ("yyyyMMddHHmmssSSS", "20231114221320123", MILLIS),
        ("ss.SSSSSS", "20.123456", 143_456),
        ("dd/MMM/yyyy:HH:mm:ss Z", "14/nov/2023:22:13:20 -0130", MILLIS - 123 + 5_400_000),
        ("d MMM yyyy", "14 November 2023", NOVEMBER_14),
        ("d MMMM yyyy", "14 Nov 2023", NOVEMBER_14),
        ("EEE, d MMM yyyy", "tuesday, 14 Nov 2023", NOVEMBER_14),
        ("yyyy-MM-dd hh:mm:ss a", "2023-11-14 10:13:20 pm", MILLIS - 123),
        ("yyyy-MM-dd h a", "2023-11-14 12 AM", NOVEMBER_14),
        ("yyyy-MM-dd h a", "2023-11-14 12 PM", NOVEMBER_14 + DAY // 2),
        ("yyyy-MM-dd H a", "2023-11-14 1 PM", NOVEMBER_14 + 3_600_000),
        ("HH:mm X", "01:00 +01", 0),
        ("HH:mm X", "01:00 Z", 3_600_000),
        ("HH:mm XX", "01:00 -0130", 9_000_000),
        ("HH:mm XXX", "01:00 +01:30", -1_800_000),
        ("HH:mm z", "01:00 PST", 32_400_000),
        ("HH:mm z", "01:00 GMT+1:30", -1_800_000),
        ("HH:mm z", "01:00 gmt", 3_600_000),
        ("HH:mm Z", "01:00 UTC", 3_600_000),
        ("y-MM-dd", "0001-01-01", -62_135_596_800_000),
        ("", "anything", 0),
    ],
)
def test_a_time_is_read_as_leniently_as_java_does(pattern: str, text: str, millis: int) -> None:
    assert date_parser(pattern)(text) == millis


@pytest.mark.parametrize(
    ("pattern", "text"),
    [
        ("yyyy-MM-dd", "14.11.2023"),
        ("yyyy-MM-dd", "2023-11"),
        ("yyyyMMdd", "202311"),
        ("yyyyMMdd", "2023-11-14"),
        ("yyyy-MM-dd", "-2023-11-14"),
        ("d MMM", "14 Nuv"),
        ("HH:mm Z", "01:00 +01:00"),
        ("HH:mm XXX", "01:00 +0100"),
        ("HH:mm z", "01:00 CEST"),
        ("HH:mm X", "01:00 +25"),
        ("yyyy-MM-dd", "99999-01-01"),
        ("h a", "10 XM"),
        ("yyyy", ""),
    ],
)
def test_another_text_is_refused(pattern: str, text: str) -> None:
    with pytest.raises(ValueError):  # noqa: PT011
        date_parser(pattern)(text)


def test_two_digits_of_a_year_are_one_of_the_last_eighty_years_or_the_next_twenty() -> None:
    write = date_formatter("yyyy")
    read = date_parser("yy")
    this_year = datetime.now(UTC).year
    assert int(write(read(f"{this_year % 100:02}"))) == this_year
    assert int(write(read(f"{(this_year + 19) % 100:02}"))) == this_year + 19
    assert int(write(read(f"{(this_year - 80) % 100:02}"))) == this_year - 80
    assert write(read("2023")) == "2023"


@pytest.mark.parametrize(
    "pattern", ["yyyy-MM-ddTHH", "yyyy 'open", "XXXX", "YYYY", "GG", "w", "D", "k"]
)
def test_a_pattern_that_is_not_supported_is_refused(pattern: str) -> None:
    with pytest.raises(BadDatePatternError, match="the date pattern"):
        date_formatter(pattern)
    with pytest.raises(BadDatePatternError, match="the date pattern"):
        date_parser(pattern)


@pytest.mark.parametrize("millis", [0, MILLIS, -1, -62_135_596_800_000, 253_402_300_799_999])
def test_what_was_written_is_read_back(millis: int) -> None:
    pattern = "yyyy-MM-dd'T'HH:mm:ss.SSSX"
    assert date_parser(pattern)(date_formatter(pattern)(millis)) == millis

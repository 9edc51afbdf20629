"""Times and durations, read back with the rules of Go's own parsers."""

import re
from datetime import timedelta
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.log_records import parse_time

from frazil.log_generator.shapes.golang import SPELLINGS, duration, rfc3339

NANOS = {"h": 3600 * 10**9, "m": 60 * 10**9, "s": 10**9, "ms": 10**6, "us": 1000, "µs": 1000}
PART = re.compile(r"(\d+(?:\.\d+)?)(ns|us|µs|ms|s|m|h)")


def parse_duration(text: str) -> Fraction:
    assert PART.sub("", text) == "", f"not a duration: {text}"
    return sum(
        (Fraction(number) * NANOS.get(unit, 1) for number, unit in PART.findall(text)), Fraction()
    )


@pytest.mark.parametrize(
    ("ns", "text"),
    [
        (0, "0s"),
        (450, "450ns"),
        (1_500, "1.5µs"),
        (2_000_000, "2ms"),
        (15_020_000, "15.02ms"),
        (1_000_000_000, "1s"),
        (90_500_000_000, "1m30.5s"),
        (3_600_000_000_000, "1h0m0s"),
    ],
)
def test_a_duration_is_printed_as_go_prints_it(ns: int, text: str) -> None:
    assert duration(ns) == text


@given(ns=st.integers(0, 10**15))
def test_every_spelling_says_the_same_duration(ns: int) -> None:
    for spell, _ in SPELLINGS:
        assert parse_duration(spell(ns)) == ns, spell.__name__


@given(
    when_ns=st.integers(0, 4 * 10**18),
    digits=st.integers(0, 9),
    offset=st.sampled_from([0, 120, 330, -420]),
)
def test_a_time_keeps_its_digits_whatever_the_zone(when_ns: int, digits: int, offset: int) -> None:
    text = rfc3339(when_ns, digits, offset)
    kept_us = when_ns // 10 ** (9 - digits) * 10 ** (9 - digits) // 1000
    moment = parse_time(text)
    assert (moment - parse_time("1970-01-01T00:00:00Z")) // timedelta(microseconds=1) == kept_us
    assert text.endswith("Z") == (offset == 0)


def test_zeros_at_the_end_of_a_second_are_dropped() -> None:
    assert rfc3339(1_500_000_000, 9) == "1970-01-01T00:00:01.5Z"
    assert rfc3339(1_000_000_000, 9) == "1970-01-01T00:00:01Z"
    assert rfc3339(1_999_999_999, 0) == "1970-01-01T00:00:01Z"

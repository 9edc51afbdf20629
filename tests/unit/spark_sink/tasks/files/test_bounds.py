"""Bounds cut to a length, which have to bound still."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from frazil.spark_sink.records.schema.types import Primitive
from frazil.spark_sink.tasks.files.bounds import (
    lower_bound,
    truncate_bytes_up,
    truncate_text_up,
    upper_bound,
)

LAST = "\U0010ffff"
ICE = "\U0001f9ca"


@pytest.mark.parametrize(
    ("text", "length", "expected"),
    [
        ("", 3, ""),
        ("abc", 3, "abc"),
        ("abcd", 3, "abd"),
        ("ab" + LAST + "d", 3, "ac"),
        (LAST * 4, 3, None),
        ("a" + LAST * 20, 16, "b"),
        (ICE * 4, 3, ICE * 2 + "\U0001f9cb"),
        ("\ud7ff" * 4, 3, "\ud7ff\ud7ff\ue000"),
        ("\uffff" * 2, 1, "\U00010000"),
        ("ab\x7f\x7f", 3, "ab\x80"),
    ],
)
def test_an_upper_bound_of_texts_is_raised_by_code_points(
    text: str, length: int, expected: str | None
) -> None:
    assert truncate_text_up(text, length) == expected


@pytest.mark.parametrize(
    ("value", "length", "expected"),
    [
        (b"", 2, b""),
        (b"\x01\x02", 2, b"\x01\x02"),
        (b"\x01\x02\x03", 2, b"\x01\x03"),
        (b"\x01\xff\x03", 2, b"\x02"),
        (b"\xff\xff\x03", 2, None),
        (b"\x7f\x00", 1, b"\x80"),
    ],
)
def test_an_upper_bound_of_bytes_is_raised(
    value: bytes, length: int, expected: bytes | None
) -> None:
    assert truncate_bytes_up(value, length) == expected


def test_only_texts_and_binary_are_cut() -> None:
    text, binary, fixed = Primitive("string"), Primitive("binary"), Primitive("fixed", length=4)
    assert lower_bound(text, ICE * 3, 2) == (ICE * 2).encode()
    assert lower_bound(binary, b"abc", 2) == b"ab"
    assert lower_bound(fixed, b"abcd", 2) == upper_bound(fixed, b"abcd", 2) == b"abcd"
    assert upper_bound(text, LAST * 3, 2) is None
    assert upper_bound(Primitive("decimal", 9, 2), 1_234_567, 1) == b"\x12\xd6\x87"


@settings(derandomize=True, max_examples=200, deadline=None)
@given(st.text(max_size=6), st.integers(1, 4))
def test_cut_bounds_of_texts_bound(text: str, length: int) -> None:
    upper = truncate_text_up(text, length)
    assert text[:length].encode() <= text.encode()
    assert upper is None or (upper.encode() >= text.encode() and len(upper) <= length)


@settings(derandomize=True, max_examples=200, deadline=None)
@given(st.lists(st.sampled_from([0, 1, 0x7F, 0xFE, 0xFF]), max_size=6), st.integers(1, 4))
def test_cut_bounds_of_bytes_bound(numbers: list[int], length: int) -> None:
    value = bytes(numbers)
    upper = truncate_bytes_up(value, length)
    assert upper is None or (upper >= value and len(upper) <= length)

"""Bytes become lines, whatever pieces they come in."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from frazil.spark_source.core.lines import Cut, cut

MANY = 1_000_000
TEXTS = st.lists(st.text(st.characters(exclude_characters="\r\n", codec="utf-8"), max_size=8))


@pytest.mark.parametrize(
    ("data", "lines", "length"),
    [
        pytest.param(b"", [], 0, id="nothing"),
        pytest.param(b"a", [], 0, id="a line without its end has to wait"),
        pytest.param(b"a\nb", ["a"], 2, id="LF"),
        pytest.param(b"a\r\nb\r\n", ["a", "b"], 6, id="CR LF"),
        pytest.param(b"a\rb\n", ["a", "b"], 4, id="CR alone"),
        pytest.param(b"a\r", [], 0, id="a CR at the end may be half of a CR LF"),
        pytest.param(b"a\n\r", ["a"], 2, id="and so after a line"),
        pytest.param(b"\n\n\r\n", ["", "", ""], 4, id="empty lines are lines"),
        pytest.param("grün 🧊\n".encode(), ["grün 🧊"], 11, id="positions are bytes"),
        pytest.param(b"\xff\n", ["\ufffd"], 2, id="no UTF-8"),
    ],
)
def test_lines_end_as_in_kafka(data: bytes, lines: list[str], length: int) -> None:
    assert cut(data, MANY) == Cut(lines, length)


def test_no_more_lines_are_taken_than_asked_for() -> None:
    assert cut(b"a\nb\nc\n", 2) == Cut(["a", "b"], 4)


@given(
    TEXTS,
    st.lists(st.sampled_from(["\n", "\r\n", "\r"]), min_size=1),
    st.lists(st.integers(1, 9)),
    st.integers(1, 3),
)
def test_pieces_of_any_size_make_the_same_lines(
    texts: list[str], ends: list[str], sizes: list[int], most: int
) -> None:
    """Read as a file that grows by bits is read: what has no end yet is looked at again."""
    text = "".join(f"{text}{ends[number % len(ends)]}" for number, text in enumerate(texts))
    data = f"{text}.".encode()
    expected = re.split("\r\n|\r|\n", text)[:-1]
    found: list[str] = []
    position = 0
    grown = 0
    for size in [*sizes, len(data)]:
        grown += size
        while (part := cut(data[position:grown], most)).lines:
            found += part.lines
            position += part.length
    assert found == expected
    assert data[position:] == b"."

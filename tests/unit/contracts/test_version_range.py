"""Ranges of versions: which there are, which versions they hold, how Connect writes them."""

import pytest

from frazil.contracts.version_range import InvalidVersionError, VersionRange, unmatched


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("9.9", "[9.9,9.9]"),
        (" 1 ", "[1,1]"),
        ("[9]", "[9,9]"),
        ("[4.4,)", "[4.4,)"),
        ("(,1],[2,3]", "(,1],[2,3]"),
        ("", "[,]"),
        ("x", "[x,x]"),
    ],
)
def test_a_range_is_written_with_both_bounds(text: str, shown: str) -> None:
    assert str(VersionRange.parse(text)) == shown


@pytest.mark.parametrize(
    "text", ["[[", "[1,2", "(1)", "[2,1]", "[1,2],[3", "[3,4],[1,2]", "[1,2]x", "1,2", "[]"]
)
def test_what_is_no_range_is_refused(text: str) -> None:
    with pytest.raises(InvalidVersionError, match=r"^Invalid version specification: "):
        VersionRange.parse(text)


@pytest.mark.parametrize(
    ("text", "is_in"),
    [
        ("4.3.1", True),
        ("4.3", False),
        ("[4.3.1]", True),
        ("[4.0,5.0)", True),
        ("(4.3.1,5)", False),
        ("[4,4.3.1)", False),
        ("[4,4.3.1]", True),
        ("(,5)", True),
        ("(,1],[4,)", True),
        ("[4.10,)", False),
    ],
)
def test_bounds_are_compared_as_numbers(text: str, *, is_in: bool) -> None:
    assert ("4.3.1" in VersionRange.parse(text)) is is_in


def test_trailing_zeros_do_not_matter() -> None:
    assert "1.0.0" in VersionRange.parse("[1,1]")


def test_a_complaint_names_what_there_is() -> None:
    assert unmatched("a.B", "9.9", ["4.3.1"]) == (
        "Plugin a.B not found that matches the version range [9.9,9.9], available versions: [4.3.1]"
    )
    assert unmatched("a.B", "latest", ["4.3.1"]) is None
    assert unmatched("a.B", "[4,5)", ["4.3.1"]) is None

"""Java's regular expressions, by what they match as a whole."""

import pytest

from frazil.spark_sink.records.java_regex import BadPatternError, compile_java


@pytest.mark.parametrize(
    ("pattern", "text"),
    [
        ("a|bc", "bc"),
        (r"\Qa.b\E.*", "a.bc"),
        (r"\Qa.b", "a.b"),
        (r"\p{Alpha}+[\p{Digit}_]+", "ab1_2"),
        (r"\P{Upper}", "a"),
        (r"(?<name>a)-\k<name>", "a-a"),
        (r"(?i)ABC", "abc"),
        (r"a++b", "aab"),
        (r"\x{1F600}", "\U0001f600"),
        (r"[\]a]+", "a]"),
        (r"[]a]+", "]a"),
        (r"a\hb\z", "a\tb"),
        (r"\[\&&&", "[&&&"),
    ],
)
def test_a_pattern_matches_what_it_matches_in_java(pattern: str, text: str) -> None:
    assert compile_java(pattern).fullmatch(text)


@pytest.mark.parametrize(
    ("pattern", "text"), [("a|bc", "abc"), (r"\Qa.b\E", "axb"), (r"\d", "१"), (r"\w", "ä")]
)
def test_a_pattern_does_not_match_what_it_does_not_in_java(pattern: str, text: str) -> None:
    assert not compile_java(pattern).fullmatch(text)


@pytest.mark.parametrize("pattern", ["(", r"[a[b]]", r"[a-z&&[^b]]", r"\p{IsGreek}", r"[\P{L}]"])
def test_what_cannot_be_compiled_is_refused(pattern: str) -> None:
    with pytest.raises(BadPatternError):
        compile_java(pattern)

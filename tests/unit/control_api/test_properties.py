"""Java's properties, as java.util.Properties reads them."""

import pytest

from frazil.control_api.core.properties import parse_properties


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("a=b", {"a": "b"}),
        ("a = b", {"a": "b"}),
        ("a:b\nc d", {"a": "b", "c": "d"}),
        ("a==b=c", {"a": "=b=c"}),
        ("  a  =  b  ", {"a": "b  "}),
        ("# a=b\n ! c=d\n\n\t\n", {}),
        ("a=b \\\n   c", {"a": "b c"}),
        ("a=b\\\\\nc=d", {"a": "b\\", "c": "d"}),
        ("a\\=b=c", {"a=b": "c"}),
        ("a\\ b=c", {"a b": "c"}),
        ("a=\\u00fc\\t\\q", {"a": "ü\tq"}),
        ("a=1\na=2", {"a": "2"}),
        ("a", {"a": ""}),
        ("a=b\r\nc=d\re=f", {"a": "b", "c": "d", "e": "f"}),
        ("a=b\\", {"a": "b"}),
    ],
)
def test_entries_are_read_as_java_does(text: str, found: dict[str, str]) -> None:
    assert parse_properties(text) == found

"""The route of a record is read without the rest of it."""

import pytest

from frazil.spark_sink.tasks.route_peek import ODD, Odd, route_peek


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (b'{"a": {"b": "x"}, "c": [1, {"b": 2}]}', "x"),
        (b'{"a": {"b": ""}}', ""),
        (b'{"a": {"\\u0062": "\\u00e9"}}', "é"),
        (b'{"a": {"b": "x", "b": "y"}}', "y"),
        (b'{"a": {"b": "x"}, "a": null}', None),
        (b'{"a": {"b": null}}', None),
        (b'{"a": {}}', None),
        (b"{}", None),
        (b'{"a": {"b": 5}}', ODD),
        (b'{"a": {"b": "\\ud800"}}', ODD),
        (b'{"a": "b"}', ODD),
        (b'{"a": {"b": "x"}', ODD),
        (b'{"a": {"b": "x"}} y', ODD),
        (b"null", ODD),
        (b"", ODD),
        (None, ODD),
    ],
)
def test_the_text_at_a_path_is_the_route(value: bytes | None, expected: str | Odd | None) -> None:
    peek = route_peek(["a", "b"])
    assert peek is not None

    assert peek(value) == expected


def test_a_path_of_odd_names_has_no_peek() -> None:
    assert route_peek(['quo"te']) is None

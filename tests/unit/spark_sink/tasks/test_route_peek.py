"""The route of a record is read without the rest of it."""

import pytest

from frazil.contracts.table_template import parse_template
from frazil.spark_sink.records.routes import Route
from frazil.spark_sink.tasks.route_peek import ODD, Odd, TablePeek, route_peek


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


VALUES = [b'{"a": "X"}', b'{"a": "ns.y"}', b'{"a": "."}', b'{"a": 1}', b"{}", None, b'{"a": "x"}']


@pytest.mark.parametrize(
    ("patterns", "expected"),
    [
        pytest.param(None, {"ns.x": [0, 6], "ns.y": [1], None: [2, 3, 4, 5]}, id="the name of one"),
        pytest.param(
            {"ns.one": "[xX]", "ns.two": "x|ns.*"},
            {"ns.one": [0], "ns.two": [1], None: [2, 3, 4, 5, 6]},
            id="none is what is for two tables",
        ),
    ],
)
def test_records_are_told_apart_by_the_one_table_that_they_name(
    patterns: dict[str, str] | None, expected: dict[str | None, list[int]]
) -> None:
    peek = TablePeek.of(Route(parse_template("${value.a}"), patterns, namespace="ns"))
    assert peek is not None
    found = peek.tables(VALUES)
    assert {table: sorted(indices) for table, indices in found.items()} == expected


@pytest.mark.parametrize("template", ["${topic}", "ns.${value.a}", "${key.a}", "ns"])
def test_a_route_that_takes_more_than_one_field_has_no_peek(template: str) -> None:
    assert TablePeek.of(Route(parse_template(template))) is None


def test_records_without_a_route_have_no_peek() -> None:
    assert TablePeek.of(None) is None

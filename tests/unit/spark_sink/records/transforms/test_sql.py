"""What a SQL statement sees of a record, and what the record becomes."""

from dataclasses import replace
from datetime import time
from typing import Any

import pytest

from frazil.spark_sink.records.model import SELECTED, TIME, Field, KafkaRecord, Kind, Record, Schema
from frazil.spark_sink.records.transforms.sql import (
    KEY,
    STAR,
    Mentions,
    Selected,
    shape_of,
    visible,
    with_selected,
)

SOURCE = KafkaRecord("orders", 0, 7, None, b"k", b"v")
LONG = Schema(Kind.INT64)


def record(value: Any, schema: Schema | None = None, key: Any = None) -> Record:
    return Record(SOURCE, "orders", key, None, value, schema)


def struct(**fields: Schema) -> Schema:
    return Schema(Kind.STRUCT, fields=tuple(Field(name, kind) for name, kind in fields.items()))


@pytest.mark.parametrize(
    ("value", "paths", "shape"),
    [
        pytest.param({"a": 1, "b": "x"}, [("a",)], "struct<a: long>", id="fields that are named"),
        pytest.param({"a": 1.5}, [("a",)], "struct<a: double>", id="by this record's types"),
        pytest.param({}, [("a",)], "struct<a: void>", id="a field that is not there"),
        pytest.param({"a": {}}, [("a",)], "struct<a: void>", id="{} says no more than null"),
        pytest.param({"a": []}, [("a",)], "struct<a: list<void>>", id="a list of nothing"),
        pytest.param(
            {"a": {"x": 1}},
            [("a", "y", "z")],
            "struct<a: struct<x: long, y: struct<z: void>>>",
            id="what is missing inside of a field",
        ),
        pytest.param({"a": None}, [("a", "y")], "struct<a: struct<y: void>>", id="inside of null"),
        pytest.param(
            {"a": [{"x": 1}]},
            [("a", "y"), ("a", "[]", "z")],
            "struct<a: list<struct<x: long, z: void, y: void>>>",
            id="inside of the elements of a list",
        ),
        pytest.param({"a": 5}, [("a", "y")], "struct<a: long>", id="a number has no inside"),
        pytest.param("text", [("value",)], "struct<value: string>", id="a value that is no struct"),
        pytest.param(
            {"_kafka": 1}, [("_kafka", "offset")], "struct<>", id="Kafka's part wins over a field"
        ),
    ],
)
def test_a_statement_sees(value: Any, paths: list[tuple[str, ...]], shape: str) -> None:
    assert str(shape_of(record(value), Mentions(tuple(paths)))) == shape


def test_a_star_inside_of_an_expression_sees_all_fields_and_those_that_are_named() -> None:
    found = shape_of(record({"b": True, "a": 1}), Mentions((("a",), ("c",)), whole=True))
    assert str(found) == "struct<b: boolean, a: long, c: void>"


def test_the_key_is_seen_where_it_is_named() -> None:
    found = record({}, key={"id": 1})
    assert str(shape_of(found, Mentions((("_kafka",),)))) == f"struct<{KEY}: struct<id: long>>"
    inside = shape_of(found, Mentions((("_kafka", "key", "no"),)))
    assert str(inside) == f"struct<{KEY}: struct<id: long, no: void>>"
    assert visible(found)[KEY] == {"id": 1}


def test_a_schema_says_the_types_and_what_spark_lacks_is_text() -> None:
    at = Schema(Kind.INT32, name=TIME)
    found = record({"n": 1, "at": time(1)}, struct(n=Schema(Kind.INT32), at=at))
    assert str(shape_of(found, Mentions((), whole=True))) == "struct<n: int, at: string>"


def test_a_record_gets_what_was_selected_in_the_order_of_the_statement() -> None:
    before = Selected({"x": 1, "b": 2}, struct(x=LONG, b=LONG))
    after = Selected({"a": 9}, struct(a=LONG))
    found = with_selected(record({"a": 1, "b": {}}), [before, STAR, after])
    assert list(found.value.items()) == [("x", 1), ("b", {}), ("a", 9)]
    assert found.value_schema is None


def test_without_a_star_selected_fields_have_sparks_types() -> None:
    found = with_selected(record({"a": 1}), [Selected({"n": None}, struct(n=LONG))])
    assert found.value == {"n": None}
    assert found.value_schema == replace(struct(n=LONG), name=SELECTED)


def test_beside_a_star_selected_fields_have_schemas_where_the_record_has_one() -> None:
    schema = struct(a=Schema(Kind.STRING))
    found = with_selected(record({"a": "x"}, schema), [STAR, Selected({"n": 1}, struct(n=LONG))])
    assert (found.value, found.value_schema) == (
        {"a": "x", "n": 1},
        struct(a=Schema(Kind.STRING), n=LONG),
    )

"""JsonToMapTransform: what becomes of JSON in texts, and of which types it is."""

from decimal import Decimal
from typing import Any

import pytest
from tests.support.plain_records import iceberg_step, record_of, struct

from frazil.spark_sink.records.errors import TransformError
from frazil.spark_sink.records.model import DECIMAL, Kind, Record, Schema
from frazil.spark_sink.records.transforms.json_to_map import json_to_map

STRING = Schema(Kind.STRING, optional=True)
INT32 = Schema(Kind.INT32, optional=True)
DOUBLE = Schema(Kind.FLOAT64, optional=True)
NUMBER = Schema(Kind.BYTES, optional=True, name=DECIMAL, version=1, parameters={"scale": "0"})
MAP = Schema(Kind.MAP, optional=True, key=Schema(Kind.STRING), element=Schema(Kind.STRING))
LOOSE_MAP = Schema(Kind.MAP, optional=True, key=STRING, element=STRING)


def parsed(text: Any, options: dict[str, str] | None = None) -> Record:
    record = json_to_map(iceberg_step("JsonToMapTransform", options))(record_of(text))
    assert record is not None
    return record


def array(element: Schema) -> Schema:
    return Schema(Kind.ARRAY, optional=True, element=element)


@pytest.mark.parametrize(
    ("text", "value", "schema"),
    [
        ("1", 1, INT32),
        ("2147483648", 2**31, Schema(Kind.INT64, optional=True)),
        ("9223372036854775808", Decimal(2**63), NUMBER),
        ("1.0", 1.0, DOUBLE),
        ("true", True, Schema(Kind.BOOLEAN, optional=True)),
        ('"x"', "x", STRING),
        ('{"c": [1], "d": "x", "e": null}', {"c": "[1]", "d": "x", "e": "null"}, MAP),
        ("[1, 2]", [1, 2], array(INT32)),
        ("[1, 2147483648]", ["1", "2147483648"], array(STRING)),
        ('[1, "x", null]', ["1", "x", "null"], array(STRING)),
        ("[null]", ["null"], array(STRING)),
        ('[{"a": 1}, {}]', [{"a": "1"}, {}], array(LOOSE_MAP)),
        ('[{"a": 1}, 5]', ['{"a":1}', "5"], array(STRING)),
        ("[[1], [2, 3]]", [[1], [2, 3]], array(array(INT32))),
        ('[[1], ["x"], []]', [["1"], ["x"], []], array(array(STRING))),
        ("[[[1.5]], [[2.5]]]", [[[1.5]], [[2.5]]], array(array(array(DOUBLE)))),
    ],
)
def test_a_field_has_the_type_of_its_value(text: str, value: Any, schema: Schema) -> None:
    assert parsed(f'{{"a": {text}}}') == record_of({"a": value}, struct(("a", schema)))


@pytest.mark.parametrize("text", ["null", "{}", "[]", "[[], []]"])
def test_what_has_no_type_becomes_no_field(text: str) -> None:
    assert parsed(f'{{"a": {text}, "b": 1}}') == record_of({"b": 1}, struct(("b", INT32)))


def test_json_in_texts_becomes_one_map() -> None:
    text = '{"a": 1, "b": {"c": 1e10, "d": "\\u001f\\"ä"}, "e": null, "f": "x", "g": []}'
    texts = {
        "a": "1",
        "b": '{"c":1.0E10,"d":"\\u001F\\"ä"}',
        "e": "null",
        "f": "x",
        "g": "[]",
    }
    assert parsed(text, {"json.root": "true"}) == record_of(
        {"payload": texts}, struct(("payload", MAP))
    )


def test_a_tombstone_passes() -> None:
    assert parsed(None).value is None


@pytest.mark.parametrize(
    "value", ["x", "", "[1]", "5", "null", "{} {}", '{"a": 1e999}', {"a": 1}, b"{}", "[" * 9999]
)
def test_what_is_no_text_of_an_object_is_refused(value: Any) -> None:
    with pytest.raises(TransformError) as caught:
        parsed(value)
    assert caught.value.class_name == "org.apache.iceberg.connect.transforms.JsonToMapTransform"

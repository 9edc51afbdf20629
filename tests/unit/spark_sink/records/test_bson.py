"""MongoDB's extended JSON: which value and schema each spelling gives."""

import json
from datetime import UTC, datetime
from typing import Any

import pytest
from tests.support.plain_records import struct

from frazil.spark_sink.records.bson import BsonError, parse_document, parse_value
from frazil.spark_sink.records.model import TIMESTAMP, Kind, Schema

STRING = Schema(Kind.STRING, optional=True)
INT32 = Schema(Kind.INT32, optional=True)
INT64 = Schema(Kind.INT64, optional=True)
DOUBLE = Schema(Kind.FLOAT64, optional=True)
BYTES = Schema(Kind.BYTES, optional=True)
MOMENT = Schema(Kind.INT64, optional=True, name=TIMESTAMP, version=1)
AT = datetime(2023, 11, 14, 22, 13, 20, tzinfo=UTC)


def array(element: Schema) -> Schema:
    return Schema(Kind.ARRAY, optional=True, element=element)


def document(*fields: tuple[str, Schema]) -> Schema:
    return struct(*fields, optional=True)


SINGLE: list[Any] = [
    ("x", "x", STRING),
    (None, None, STRING),
    (True, True, Schema(Kind.BOOLEAN, optional=True)),
    (1, 1, INT32),
    (2**31, 2**31, INT64),
    (1.5, 1.5, DOUBLE),
    ({"$oid": "ab"}, "ab", STRING),
    ({"$numberInt": "-1"}, -1, INT32),
    ({"$numberLong": "5"}, 5, INT64),
    ({"$numberDouble": "-Infinity"}, float("-inf"), DOUBLE),
    ({"$numberDecimal": "1.50"}, "1.50", STRING),
    ({"$date": 1700000000000}, AT, MOMENT),
    ({"$date": {"$numberLong": "1700000000000"}}, AT, MOMENT),
    ({"$date": "2023-11-14T22:13:20Z"}, AT, MOMENT),
    ({"$date": "2023-11-14T23:13:20+01:00"}, AT, MOMENT),
    ({"$timestamp": {"t": 1700000000, "i": 3}}, AT, MOMENT),
    ({"$binary": {"base64": "YWJj", "subType": "00"}}, b"abc", BYTES),
    ({"$binary": "YWJj", "$type": "00"}, b"abc", BYTES),
    ({"$uuid": "00000000-0000-0000-0000-000000000001"}, bytes(15) + b"\1", BYTES),
    ({"$code": "f()"}, "f()", STRING),
    ({"$symbol": "s"}, "s", STRING),
    (
        {"$regularExpression": {"pattern": "a", "options": "i"}},
        {"regex": "a", "options": "i"},
        document(("regex", STRING), ("options", STRING)),
    ),
    (
        {"$code": "f()", "$scope": {"n": 1}},
        {"code": "f()", "scope": {"n": 1}},
        document(("code", STRING), ("scope", document(("n", INT32)))),
    ),
]


@pytest.mark.parametrize(("spelling", "value", "schema"), SINGLE)
def test_a_value_has_the_type_that_it_spells(spelling: Any, value: Any, schema: Schema) -> None:
    assert parse_value(json.dumps(spelling)) == (value, schema)


ARRAYS: list[Any] = [
    ([], [], array(STRING)),
    ([1, 2**40], [1, 2**40], array(INT64)),
    ([None, 1], [None, 1], array(INT32)),
    ([[], [1]], [[], [1]], array(array(INT32))),
    ([{"$oid": "a"}, "b"], ["a", "b"], array(STRING)),
    (
        [{"a": 1}, {"b": "x"}, None],
        [{"a": 1, "b": None}, {"a": None, "b": "x"}, None],
        array(document(("a", INT32), ("b", STRING))),
    ),
    (
        [{"a": None}, {"a": {"c": [1.5]}}, {"a": {"c": None}}],
        [{"a": None}, {"a": {"c": [1.5]}}, {"a": {"c": None}}],
        array(document(("a", document(("c", array(DOUBLE)))))),
    ),
]


@pytest.mark.parametrize(("spelling", "value", "schema"), ARRAYS)
def test_items_of_an_array_share_a_type(spelling: Any, value: Any, schema: Schema) -> None:
    assert parse_value(json.dumps(spelling)) == (value, schema)


def test_an_array_may_be_a_document_with_numbered_fields() -> None:
    text = '{"a": [1, ["x"]], "b": []}'
    numbered = document(("_0", INT32), ("_1", document(("_0", STRING))))
    assert parse_document(text, arrays_as_documents=True) == (
        {"a": {"_0": 1, "_1": {"_0": "x"}}, "b": {}},
        document(("a", numbered), ("b", document())),
    )


def test_what_connect_has_no_type_for_is_no_field() -> None:
    text = '{"a": {"$undefined": true}, "b": {"$minKey": 1}, "c": 1}'
    assert parse_document(text) == ({"c": 1}, document(("c", INT32)))


def test_a_reference_is_a_document() -> None:
    text = '{"r": {"$ref": "c", "$id": {"$oid": "a"}}}'
    assert parse_document(text).value == {"r": {"$ref": "c", "$id": "a"}}


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("[1]", "not a document"),
        ('{"$oid": "a"}', "not a document"),
        ("{", "not JSON"),
        ('{"a": [1, "x"]}', "several types"),
        ('{"a": {"$numberInt": "2147483648"}}', "2147483648 is no int32"),
        ('{"a": {"$numberLong": "1_0"}}', "1_0 is no int64"),
        ('{"a": 9223372036854775808}', "9223372036854775808 is no int64"),
        ('{"a": {"$numberLong": 1.5}}', r"\$numberLong"),
        ('{"a": {"$date": "yesterday"}}', r"\$date"),
        ('{"a": {"$date": {"$numberLong": "9223372036854775807"}}}', r"\$date"),
        ('{"a": {"$timestamp": 5}}', r"\$timestamp"),
        ('{"a": {"$binary": "?"}}', r"\$binary"),
        ('{"a": {"$oid": 5}}', "5 is no text"),
        ('{"a":' + "[" * 800 + "]" * 800 + "}", "too deep"),
    ],
)
def test_what_is_no_document_of_mongodb_is_refused(text: str, words: str) -> None:
    with pytest.raises(BsonError, match=words):
        parse_document(text)

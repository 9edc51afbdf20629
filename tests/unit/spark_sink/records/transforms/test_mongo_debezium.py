"""MongoDebeziumTransform: documents as texts become typed, with schemas and without."""

import json
from datetime import UTC, datetime
from typing import Any

import pytest
from tests.support.plain_records import iceberg_step, record_of, struct

from frazil.spark_sink.records.errors import TransformError
from frazil.spark_sink.records.model import Kind, Record, Schema
from frazil.spark_sink.records.transforms.mongo_debezium import mongo_debezium

TEXT = Schema(Kind.STRING, optional=True)
INT32 = Schema(Kind.INT32, optional=True)
INT64 = Schema(Kind.INT64, optional=True)
DOCUMENT = """{"_id": {"$oid": "ab"}, "n": {"$numberLong": "5"}, "at": {"$date": 1700000000000},
               "list": [{"$numberInt": "1"}], "sub": {"price": {"$numberDecimal": "1.50"}}}"""
TYPED = {
    "_id": "ab",
    "n": 5,
    "at": datetime(2023, 11, 14, 22, 13, 20, tzinfo=UTC),
    "list": [1],
    "sub": {"price": "1.50"},
}
CHANGE = {"before": None, "after": None, "updateDescription": None, "op": "c"}
KEY = {"id": '{"$numberLong": "7"}'}


def read(record: Record, options: dict[str, str] | None = None) -> Record:
    changed = mongo_debezium(iceberg_step("MongoDebeziumTransform", options))(record)
    assert changed is not None
    return changed


def test_without_schemas_texts_become_documents_too() -> None:
    changed = read(record_of(CHANGE | {"after": DOCUMENT}, key=KEY))
    assert changed == record_of(CHANGE | {"after": TYPED}, key={"id": 7})


def test_without_schemas_what_is_no_text_stays() -> None:
    for value in ({"after": {"a": 1}}, {"other": 1}, {}):
        assert read(record_of(value, key="k")) == record_of(value, key="k")


@pytest.mark.parametrize(("mode", "expected"), [("array", [1]), ("document", {"_0": 1})])
def test_arrays_are_handled_as_configured(mode: str, expected: Any) -> None:
    changed = read(record_of(CHANGE | {"after": DOCUMENT}), {"array_handling_mode": mode})
    assert changed.value["after"]["list"] == expected


UPDATE = {"updatedFields": '{"b": 2}', "removedFields": ["c"], "truncatedArrays": None}


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (None, {"b": 2, "_id": 7}),
        ('{"_id": 7, "a": 1, "b": 1, "c": 1}', {"_id": 7, "a": 1, "b": 2}),
    ],
)
def test_a_partial_update_is_put_together(before: str | None, after: dict[str, Any]) -> None:
    value = CHANGE | {"before": before, "updateDescription": UPDATE}
    assert read(record_of(value, key=KEY)).value["after"] == after


DESCRIPTION = struct(
    ("removedFields", Schema(Kind.ARRAY, optional=True, element=Schema(Kind.STRING))),
    ("updatedFields", TEXT),
    optional=True,
)
ENVELOPE = struct(
    ("before", TEXT),
    ("after", TEXT),
    ("updateDescription", DESCRIPTION),
    ("op", TEXT),
    name="m.c.Envelope",
)
KEYS = struct(("id", Schema(Kind.STRING)), name="m.c.Key")


def with_schemas(value: Any, **more: Any) -> Record:
    return record_of(value, **{"schema": ENVELOPE, "key": KEY, "key_schema": KEYS, **more})


def test_with_schemas_a_document_has_the_schema_of_its_values() -> None:
    changed = read(with_schemas(CHANGE | {"after": '{"_id": {"$numberLong": "7"}, "a": [1]}'}))
    items = Schema(Kind.ARRAY, optional=True, element=INT32)
    document = struct(("_id", INT64), ("a", items), optional=True)
    assert changed == record_of(
        {"after": {"_id": 7, "a": [1]}, "updateDescription": None, "op": "c"},
        struct(
            ("after", document), ("updateDescription", DESCRIPTION), ("op", TEXT),
            name="m.c.Envelope",
        ),
        key={"id": 7},
        key_schema=struct(("id", INT64)),
    )  # fmt: skip


def test_with_schemas_a_deletion_has_the_document_before_it_alone() -> None:
    changed = read(with_schemas(CHANGE | {"before": '{"_id": 7}', "op": "d"}))
    assert changed.value == {"before": {"_id": 7}, "updateDescription": None, "op": "d"}
    assert changed.value_schema is not None
    assert changed.value_schema.field("after") is None


def test_with_schemas_a_partial_update_is_put_together() -> None:
    change = CHANGE | {"before": '{"_id": 7, "c": 1}', "updateDescription": UPDATE, "op": "u"}
    changed = read(with_schemas(change))
    assert (changed.value["before"], changed.value["after"]) == (
        {"_id": 7, "c": 1},
        {"_id": 7, "b": 2},
    )


@pytest.mark.parametrize(
    "names",
    [
        {"schema": struct(("after", TEXT), name="m.c.Heartbeat")},
        {"key_schema": struct(("id", TEXT))},
        {"key_schema": None},
    ],
)
def test_what_is_no_change_becomes_a_tombstone(names: dict[str, Any]) -> None:
    assert read(with_schemas(CHANGE | {"after": "{}"}, **names)) == record_of(None)


@pytest.mark.parametrize(
    "record",
    [
        with_schemas(CHANGE),
        with_schemas({"after": "{}", "op": "c"}, schema=struct(("after", TEXT), name="x.Envelope")),
        with_schemas(CHANGE | {"after": "x"}),
        with_schemas(CHANGE | {"after": "{}"}, key={"id": None}),
        with_schemas(CHANGE | {"after": "{}"}, key={"id": "not JSON"}),
        with_schemas(CHANGE | {"updateDescription": {"updatedFields": None}}),
        record_of(CHANGE | {"after": "x"}),
        record_of("text"),
    ],
)
def test_what_cannot_be_read_is_refused(record: Record) -> None:
    with pytest.raises(TransformError) as caught:
        read(record)
    assert caught.value.class_name is not None
    assert caught.value.class_name.endswith("MongoDebeziumTransform")


def test_documents_nested_too_deeply_are_refused() -> None:
    document: Any = {}
    for _ in range(900):
        document = {"a": document}
    with pytest.raises(TransformError, match="deep"):
        read(record_of(CHANGE | {"after": json.dumps(document)}))

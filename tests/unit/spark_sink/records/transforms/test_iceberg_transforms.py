"""The Iceberg sink's smaller transforms: CopyValue, DmsTransform, KafkaMetadataTransform."""

from typing import Any

import pytest
from tests.support.plain_records import MILLIS, iceberg_step, record_of, struct

from frazil.spark_sink.records.errors import TransformError
from frazil.spark_sink.records.model import Kind, Schema
from frazil.spark_sink.records.transforms.copy_value import copy_value
from frazil.spark_sink.records.transforms.dms import dms
from frazil.spark_sink.records.transforms.kafka_metadata import kafka_metadata

STRING = Schema(Kind.STRING)
LONG = Schema(Kind.INT64, optional=True)
COPY = iceberg_step("CopyValue", {"source.field": "a", "target.field": "b"})
DMS = iceberg_step("DmsTransform")


@pytest.mark.parametrize(
    ("value", "copied"),
    [
        ({"a": 1}, {"a": 1, "b": 1}),
        ({"a": 1, "b": 2}, {"a": 1, "b": 1}),
        ({"c": 1}, {"c": 1, "b": None}),
        (None, None),
    ],
)
def test_a_field_is_copied(value: Any, copied: Any) -> None:
    changed = copy_value(COPY)(record_of(value))
    assert changed is not None
    assert changed.value == copied


def test_a_copy_has_the_schema_of_its_source() -> None:
    schema = struct(("a", LONG), ("c", STRING), optional=True, name="row")
    changed = copy_value(COPY)(record_of({"a": 1, "c": "x"}, schema))
    assert changed == record_of(
        {"a": 1, "c": "x", "b": 1},
        struct(("a", LONG), ("c", STRING), ("b", LONG), name="row"),
    )


@pytest.mark.parametrize(
    ("value", "schema"),
    [
        ("text", None),
        ([1], None),
        ({"a": 1}, Schema(Kind.MAP, key=STRING, element=LONG)),
        ({"c": 1}, struct(("c", LONG))),
        ({"a": 1, "b": 1}, struct(("a", LONG), ("b", LONG))),
    ],
)
def test_what_cannot_be_copied_is_refused(value: Any, schema: Schema | None) -> None:
    with pytest.raises(TransformError) as caught:
        copy_value(COPY)(record_of(value, schema))
    assert caught.value.class_name == "org.apache.iceberg.connect.transforms.CopyValue"


ROW = {"id": 1, "n": "a"}


def _metadata(operation: Any) -> dict[str, Any]:
    names = {"schema-name": "s", "table-name": "t"}
    return {"timestamp": "2022", "operation": operation, **names}


@pytest.mark.parametrize(
    ("operation", "op"),
    [("update", "U"), ("delete", "D"), ("insert", "I"), ("load", "I"), (5, "I")],
)
def test_changes_of_dms_are_lifted(operation: Any, op: str) -> None:
    changed = dms(DMS)(record_of({"data": ROW, "metadata": _metadata(operation)}))
    assert changed == record_of(ROW | {"_cdc": {"op": op, "ts": "2022", "source": "s.t"}})


def test_names_that_dms_leaves_out_are_null_in_the_source() -> None:
    changed = dms(DMS)(record_of({"data": {}, "metadata": {"operation": "update"}}))
    assert changed is not None
    assert changed.value == {"_cdc": {"op": "U", "ts": None, "source": "null.null"}}


@pytest.mark.parametrize("value", [{"other": 1}, {"data": ROW}, {"data": 1, "metadata": {}}])
def test_what_is_no_change_of_dms_is_filtered(value: Any) -> None:
    assert dms(DMS)(record_of(value)) is None


def test_a_tombstone_passes_dms() -> None:
    assert dms(DMS)(record_of(None)) == record_of(None)


@pytest.mark.parametrize(
    ("value", "schema"),
    [
        ({"data": ROW, "metadata": {"operation": None}}, None),
        ("text", None),
        ({"data": ROW}, struct(("data", STRING))),
    ],
)
def test_what_dms_does_not_write_is_refused(value: Any, schema: Schema | None) -> None:
    with pytest.raises(TransformError):
        dms(DMS)(record_of(value, schema))


PLACE = {"topic": "routed", "partition": 1, "offset": 7, "timestamp": MILLIS}
FLAT = {f"_kafka_metadata_{name}": item for name, item in PLACE.items()}
NESTED = {"nested": "true", "field_name": "k", "external_field": "cluster,blue"}


@pytest.mark.parametrize(
    ("options", "added"),
    [
        ({}, FLAT),
        (NESTED, {"k": PLACE | {"cluster": "blue"}}),
        ({"field_name": "k", "external_field": "c,b"},
         {f"k_{name}": item for name, item in PLACE.items()} | {"k_c": "b"}),
    ],
)  # fmt: skip
def test_kafkas_metadata_is_added(options: dict[str, str], added: dict[str, Any]) -> None:
    add = kafka_metadata(iceberg_step("KafkaMetadataTransform", options))
    record = record_of({"a": 1, "_kafka_metadata_topic": "old"}, topic="routed")
    changed = add(record)
    assert changed is not None
    assert changed.value == record.value | added


def test_kafkas_metadata_has_a_schema_where_the_value_has() -> None:
    add = kafka_metadata(iceberg_step("KafkaMetadataTransform", NESTED))
    changed = add(record_of({"a": 1}, struct(("a", LONG)), topic="routed"))
    assert changed is not None
    assert changed.value == {"a": 1, "k": PLACE | {"cluster": "blue"}}
    place = struct(
        ("topic", STRING),
        ("partition", Schema(Kind.INT32)),
        ("offset", Schema(Kind.INT64)),
        ("timestamp", LONG),
        ("cluster", STRING),
    )
    assert changed.value_schema == struct(("a", LONG), ("k", place))


def test_records_of_one_schema_share_the_new_schema() -> None:
    add = kafka_metadata(iceberg_step("KafkaMetadataTransform"))
    schema = struct(("a", LONG))
    first, second = (add(record_of({"a": number}, schema)) for number in range(2))
    assert first is not None
    assert second is not None
    assert first.value_schema is second.value_schema


@pytest.mark.parametrize(
    ("value", "schema"),
    [
        ("text", None),
        ("text", STRING),
        ({"_kafka_metadata_topic": 1}, struct(("_kafka_metadata_topic", LONG))),
    ],
)
def test_where_metadata_cannot_be_added_the_record_is_refused(
    value: Any, schema: Schema | None
) -> None:
    with pytest.raises(TransformError):
        kafka_metadata(iceberg_step("KafkaMetadataTransform"))(record_of(value, schema))


def test_settings_are_those_of_each_connector() -> None:
    steps = [iceberg_step("KafkaMetadataTransform", {"field_name": name}) for name in ("x", "y")]
    first, second = map(kafka_metadata, steps)
    second(record_of({}))
    changed = first(record_of({}))
    assert changed is not None
    assert "x_topic" in changed.value


def test_fields_are_in_the_order_of_the_original() -> None:
    add = kafka_metadata(iceberg_step("KafkaMetadataTransform"))
    changed = add(record_of({"a": 1}, struct(("a", LONG))))
    assert changed is not None
    assert changed.value_schema is not None
    names = [field.name for field in changed.value_schema.fields]
    assert names == ["a", *FLAT]

"""What Kafka's own transforms do, recorded from the classes of Connect 4.3.1."""

from datetime import date
from typing import Any

import pytest
from tests.support.connect_steps import Configured, changed_value, step, through
from tests.support.plain_records import record_of

from frazil.spark_sink.records.errors import TransformError
from frazil.spark_sink.records.model import DATE, Header, Kind, Schema

N: dict[str, Any] = {
    "id": 7,
    "inner": {"x": 1, "y": {"z": "deep"}},
    "tags": ["a"],
    "text": "t",
    "half": 1.5,
}

TRANSFORMED: list[tuple[Configured, Any]] = [
    (step("ReplaceField$Value", exclude="inner,tags"), {"id": 7, "text": "t", "half": 1.5}),
    (step("ReplaceField$Value", include="id,text", renames="id:key"), {"key": 7, "text": "t"}),
    (step("ReplaceField$Value", include="nowhere"), {}),
    (step("ExtractField$Value", field="inner"), {"x": 1, "y": {"z": "deep"}}),
    (step("ExtractField$Value", field="inner.y.z", field_syntax_version="V2"), "deep"),
    (step("ExtractField$Value", field="inner.y.z"), None),
    (step("ExtractField$Value", field="nowhere"), None),
    (step("HoistField$Value", field="all"), {"all": N}),
    (step("Flatten$Value", delimiter="_"),
     {"id": 7, "inner_x": 1, "inner_y_z": "deep", "tags": ["a"], "text": "t", "half": 1.5}),
    (step("InsertField$Value", topic_field="tp", partition_field="p!", offset_field="o",
          timestamp_field="at", static_field="s?", static_value="v"),
     N | {"tp": "orders", "p": 1, "o": 7, "at": 1_700_000_000_500, "s": "v"}),
    (step("MaskField$Value", fields="id,text,tags"), N | {"id": 0, "text": "", "tags": []}),
    (step("MaskField$Value", fields="id,text", replacement="9"), N | {"id": 9, "text": "9"}),
    (step("MaskField$Value", fields="id,half", replacement="1.5"), N | {"id": 1, "half": 1.5}),
    (step("MaskField$Value", fields="id", replacement="x"),
     "!field id is an integer, which 'x' cannot mask"),
    (step("MaskField$Value", fields="inner"), N | {"inner": {}}),
    (step("MaskField$Value", fields="nowhere"), N | {"nowhere": None}),
    (step("Cast$Value", spec="id:string,text:boolean"), N | {"id": "7", "text": False}),
    (step("Cast$Value", spec="id:int8,half:int32"), N | {"half": 1}),
    (step("Cast$Value", spec="id:float64"), N | {"id": 7.0}),
    (step("Cast$Value", spec="id:boolean"), N | {"id": True}),
    (step("Cast$Value", spec="nowhere:int8"), N | {"nowhere": None}),
    (step("Cast$Value", spec="text:int32"),
     "!field text is the text 't', which is no integer"),
    (step("Cast$Value", spec="tags:int32"),
     "!field tags is an array, which cannot be cast to int32"),
    (step("SetSchemaMetadata$Value", schema_name="n"),
     "!a schema is required to update its metadata"),
]  # fmt: skip


@pytest.mark.parametrize(("configured", "expected"), TRANSFORMED, ids=lambda case: str(case)[:90])
def test_a_document_is_transformed(configured: Configured, expected: Any) -> None:
    changed = changed_value(N, configured)
    assert changed == expected
    assert str(changed) == str(expected) or isinstance(changed, dict)


# MaskField, HeaderFrom and ValueToKey refuse tombstones: predicates have to keep these from them.
TOMBSTONES: list[tuple[Configured, Any]] = [
    *((configured, {"all": None} if "Hoist" in configured[0] else None)
      for configured, _ in TRANSFORMED if "Mask" not in configured[0]),
    (step("MaskField$Value", fields="id"), "!masking fields needs a map or a struct, not null"),
    (step("HeaderFrom$Value", fields="id", headers="h", operation="copy"),
     "!taking headers from fields needs a map or a struct, not null"),
    (step("ValueToKey", fields="id"),
     "!copying fields from value to key needs a map or a struct, not null"),
    (step("TimestampConverter$Value", field="t", target_type="unix"), None),
]  # fmt: skip


@pytest.mark.parametrize(("configured", "expected"), TOMBSTONES, ids=lambda case: str(case)[:90])
def test_a_tombstone_passes_most_transforms(configured: Configured, expected: Any) -> None:
    assert changed_value(None, configured) == expected


@pytest.mark.parametrize(
    "configured",
    [
        step("ReplaceField$Value", exclude="id"),
        step("ExtractField$Value", field="id"),
        step("Flatten$Value"),
        step("InsertField$Value", topic_field="t"),
        step("MaskField$Value", fields="id"),
        step("Cast$Value", spec="id:int8"),
        step("HeaderFrom$Value", fields="id", headers="h", operation="move"),
        step("ValueToKey", fields="id"),
        step("TimestampConverter$Value", field="id", target_type="unix"),
    ],
    ids=lambda case: str(case[0]),
)
@pytest.mark.parametrize(("value", "words"), [("text", "a string"), ([1], "an array")])
def test_a_value_without_fields_is_refused(configured: Configured, value: Any, words: str) -> None:
    with pytest.raises(TransformError, match=f"needs a map or a struct, not {words}$") as caught:
        through(record_of(value), configured)
    assert caught.value.class_name == f"org.apache.kafka.connect.transforms.{configured[0]}"


def test_a_filter_leaves_every_record_out() -> None:
    assert through(record_of(N), step("Filter")) is None


def test_topics_are_routed_and_the_place_of_a_record_stays() -> None:
    record = through(
        record_of({}),
        step("RegexRouter", regex="(ord)(.*)", replacement="$2-$1"),
        step("TimestampRouter"),
    )
    assert record is not None
    assert record.topic == "ers-ord-20231114"
    assert record.source.topic == "orders"


def test_headers_are_added_moved_and_dropped() -> None:
    record = through(
        record_of(N, headers=(Header("old", "1"), Header("kept", "2"), Header("old", "3"))),
        step("InsertHeader", header="new", value_literal="v"),
        step("HeaderFrom$Value", fields="id,inner", headers="i,n", operation="move"),
        step("DropHeaders", headers="old"),
    )
    assert record is not None
    assert [header[:2] for header in record.headers] == [
        ("kept", "2"),
        ("new", "v"),
        ("i", 7),
        ("n", {"x": 1, "y": {"z": "deep"}}),
    ]
    assert record.value == {"tags": ["a"], "text": "t", "half": 1.5}


@pytest.mark.parametrize(
    ("literal", "value", "schema"),
    [
        ("v", "v", Schema(Kind.STRING)),
        ("12", 12, Schema(Kind.INT8)),
        ("true", True, Schema(Kind.BOOLEAN)),
        ("2023-11-14", date(2023, 11, 14), Schema(Kind.INT32, name=DATE, version=1)),
    ],
)
def test_a_new_header_has_the_type_that_its_text_spells(
    literal: str, value: Any, schema: Schema
) -> None:
    record = through(record_of({}), step("InsertHeader", header="h", value_literal=literal))
    assert record is not None
    assert record.headers == (Header("h", value, schema),)


def test_copied_headers_leave_the_fields_where_they_are() -> None:
    copying = step("HeaderFrom$Value", fields="id,no", headers="i,n", operation="copy")
    record = through(record_of(N), copying)
    assert record is not None
    assert record.headers == (Header("i", 7), Header("n", None))
    assert record.value == N


def test_keys_are_transformed_on_their_own() -> None:
    record = through(
        record_of(N, key={"a": 1}),
        step("Cast$Key", spec="a:string"),
        step("HoistField$Key", field="k"),
    )
    assert record is not None
    assert (record.key, record.value) == ({"k": {"a": "1"}}, N)


def test_fields_of_the_value_become_the_key() -> None:
    record = through(record_of(N), step("ValueToKey", fields="id,nowhere"))
    assert record is not None
    assert record.key == {"id": 7, "nowhere": None}
    record = through(
        record_of(N), step("ValueToKey", fields="id"), step("ExtractField$Key", field="id")
    )
    assert record is not None
    assert record.key == 7


def test_the_first_of_several_events_counts() -> None:
    drop, fail = step("Filter"), step("Cast$Value", spec="text:int32")
    assert through(record_of(N), drop, fail) is None
    assert changed_value(N, fail, drop).startswith("!field text")

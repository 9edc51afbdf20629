"""Transforms of structs: the schemas they make, and the defaults of fields."""

from datetime import UTC, date, datetime, time
from decimal import Decimal
from typing import Any

import pytest
from tests.support.connect_steps import (
    Configured,
    changed_pair,
    refusal_class,
    step,
    steps,
    through,
)
from tests.support.plain_records import record_of, struct

from frazil.spark_sink.records.chain import chain_of
from frazil.spark_sink.records.model import (
    DATE,
    DECIMAL,
    TIME,
    TIMESTAMP,
    Field,
    Header,
    Kind,
    Schema,
)

INT, LONG, TEXT = Schema(Kind.INT32), Schema(Kind.INT64), Schema(Kind.STRING)
SINGLE, FRACTION = Schema(Kind.FLOAT32), Schema(Kind.FLOAT64)
MAYBE_TEXT = Schema(Kind.STRING, optional=True)
FIVE = Schema(Kind.INT32, default=5)
MAYBE_FIVE = Schema(Kind.INT32, optional=True, default=5)
DAY = Schema(Kind.INT32, name=DATE, version=1)
CLOCK = Schema(Kind.INT32, name=TIME, version=1)
STAMP = Schema(Kind.INT64, name=TIMESTAMP, version=1)
PRICE = Schema(Kind.BYTES, name=DECIMAL, version=1, parameters={"scale": "2"})
MAP = Schema(Kind.MAP, key=TEXT, element=TEXT)
LIST = Schema(Kind.ARRAY, element=TEXT)
INNER = struct(("x", INT), ("y", MAYBE_FIVE))
MAYBE_INNER = Schema(Kind.STRUCT, optional=True, fields=INNER.fields)
MOMENT = datetime(2023, 11, 14, 22, 13, 20, 500_000, tzinfo=UTC)


def optional(schema: Schema) -> Schema:
    return Schema(schema.kind, optional=True, name=schema.name, version=schema.version)


CASES: list[tuple[Configured, Schema, Any, Any, Schema]] = [
    (step("Cast$Value", spec="a:string,b:int8"),
     struct(("a", SINGLE), ("b", MAYBE_FIVE), ("c", TEXT), name="n"),
     {"a": 0.10000000149011612, "b": None, "c": "x"},
     {"a": "0.1", "b": 5, "c": "x"},
     struct(("a", TEXT), ("b", Schema(Kind.INT8, optional=True, default=5)), ("c", TEXT),
            name="n")),
    (step("Cast$Value", spec="a:string,b:int64,c:int32,d:string"),
     struct(("a", DAY), ("b", STAMP), ("c", CLOCK), ("d", PRICE)),
     {"a": date(2022, 1, 8), "b": MOMENT, "c": time(1, 0), "d": Decimal("-1.20")},
     {"a": "2022-01-08", "b": 1_700_000_000_500, "c": 3_600_000, "d": "-1.20"},
     struct(("a", TEXT), ("b", LONG), ("c", INT), ("d", TEXT))),
    (step("Cast$Value", spec="string"), Schema(Kind.INT64, optional=True, name="n", version=2), 7,
     "7", Schema(Kind.STRING, optional=True, name="n", version=2)),
    (step("Cast$Value", spec="int64"), STAMP, MOMENT, 1_700_000_000_500, LONG),
    (step("ExtractField$Value", field="b"), struct(("a", TEXT), ("b", MAYBE_FIVE)),
     {"a": "x", "b": None}, 5, MAYBE_FIVE),
    (step("ExtractField$Value", field="b", replace_null_with_default="false"),
     struct(("b", MAYBE_FIVE)), {"b": None}, None, MAYBE_FIVE),
    (step("ExtractField$Value", field="a.y", field_syntax_version="V2"),
     struct(("a", MAYBE_INNER)), {"a": {"x": 1, "y": 2}}, 2, MAYBE_FIVE),
    (step("ExtractField$Value", field="a.x", field_syntax_version="V2"),
     struct(("a", MAYBE_INNER)), {"a": None}, None, INT),
    (step("ExtractField$Value", field="`a.b`.x", field_syntax_version="v2"),
     struct(("a.b", INNER)), {"a.b": {"x": 3, "y": None}}, 3, INT),
    (step("Flatten$Value"), struct(("a", MAYBE_INNER), ("l", LIST), name="n", optional=True),
     {"a": {"x": 1, "y": None}, "l": ["t"]}, {"a.x": 1, "a.y": 5, "l": ["t"]},
     struct(("a.x", optional(INT)), ("a.y", MAYBE_FIVE),
            ("l", Schema(Kind.ARRAY, optional=True, element=TEXT)), name="n")),
    (step("Flatten$Value", delimiter="_"), struct(("a", MAYBE_INNER), ("t", TEXT)),
     {"a": None, "t": "x"}, {"a_x": None, "a_y": None, "t": "x"},
     struct(("a_x", optional(INT)), ("a_y", MAYBE_FIVE), ("t", TEXT))),
    (step("HoistField$Value", field="h"), MAYBE_TEXT, None, {"h": None},
     struct(("h", MAYBE_TEXT))),
    (step("InsertField$Value", topic_field="t", partition_field="p!", offset_field="o",
          timestamp_field="at", static_field="s!", static_value="v"),
     struct(("a", INT), optional=True, name="n"), {"a": 1},
     {"a": 1, "t": "orders", "p": 1, "o": 7, "at": MOMENT, "s": "v"},
     struct(("a", INT), ("t", MAYBE_TEXT), ("p", INT), ("o", optional(LONG)),
            ("at", optional(STAMP)), ("s", TEXT), name="n")),
    (step("MaskField$Value", fields="a,d,c,s,p,m,l,b"),
     struct(("a", INT), ("d", DAY), ("c", CLOCK), ("s", STAMP), ("p", PRICE), ("m", MAP),
            ("l", LIST), ("b", FIVE)),
     {"a": 7, "d": date(2022, 1, 8), "c": time(1, 0), "s": MOMENT, "p": Decimal("1.20"),
      "m": {"k": "v"}, "l": ["t"], "b": None},
     {"a": 0, "d": date(1970, 1, 1), "c": time(0), "s": datetime(1970, 1, 1, tzinfo=UTC),
      "p": Decimal(0), "m": {}, "l": [], "b": 0},
     struct(("a", INT), ("d", DAY), ("c", CLOCK), ("s", STAMP), ("p", PRICE), ("m", MAP),
            ("l", LIST), ("b", FIVE))),
    (step("MaskField$Value", fields="a,f,t", replacement="0.1"),
     struct(("a", INT), ("f", SINGLE), ("t", TEXT)), {"a": 7, "f": 2.0, "t": "x"},
     {"a": 0, "f": 0.10000000149011612, "t": "0.1"},
     struct(("a", INT), ("f", SINGLE), ("t", TEXT))),
    (step("ReplaceField$Value", exclude="a", renames="b:z"),
     struct(("a", INT), ("b", MAYBE_FIVE), ("c", TEXT), optional=True),
     {"a": 1, "b": None, "c": "x"}, {"z": 5, "c": "x"}, struct(("z", MAYBE_FIVE), ("c", TEXT))),
    (step("ReplaceField$Value", renames="gone:b", replace_null_with_default="false"),
     struct(("b", MAYBE_FIVE)), {"b": None}, {"b": None}, struct(("b", MAYBE_FIVE))),
    (step("SetSchemaMetadata$Value", schema_name="n", schema_version="3"),
     struct(("a", MAYBE_FIVE), optional=True), {"a": None}, {"a": 5},
     Schema(Kind.STRUCT, optional=True, name="n", version=3, fields=(Field("a", MAYBE_FIVE),))),
    (step("SetSchemaMetadata$Value", schema_version="3"), TEXT, "x", "x",
     Schema(Kind.STRING, version=3)),
    (step("TimestampConverter$Value", field="a", target_type="string", format="yyyy-MM-dd"),
     struct(("a", optional(STAMP)), ("b", FIVE), optional=True), {"a": MOMENT, "b": None},
     {"a": "2023-11-14", "b": 5}, struct(("a", MAYBE_TEXT), ("b", FIVE), optional=True)),
    (step("TimestampConverter$Value", field="a", target_type="Date"), struct(("a", LONG)),
     {"a": 1_700_000_000_500}, {"a": date(2023, 11, 14)}, struct(("a", DAY))),
    (step("TimestampConverter$Value", target_type="Time"), optional(STAMP), MOMENT,
     time(22, 13, 20, 500_000), optional(CLOCK)),
    (step("TimestampConverter$Value", target_type="unix"), DAY, date(1970, 1, 3), 172_800_000,
     LONG),
    (step("TimestampConverter$Value", field="gone", target_type="unix"), struct(("a", TEXT)),
     {"a": "x"}, {"a": "x"}, struct(("a", TEXT))),
]  # fmt: skip


@pytest.mark.parametrize(
    ("configured", "schema", "value", "expected", "new_schema"),
    CASES,
    ids=[f"{number}-{configured[0]}" for number, (configured, *_) in enumerate(CASES)],
)
def test_a_value_is_changed_with_its_schema(
    configured: Configured, schema: Schema, value: Any, expected: Any, new_schema: Schema
) -> None:
    assert changed_pair(value, schema, configured) == (expected, new_schema)


@pytest.mark.parametrize(
    ("configured", "schema", "value", "words"),
    [
        (step("ExtractField$Value", field="z"), INNER, {"x": 1, "y": 2}, "no field z"),
        (step("ExtractField$Value", field="a.b", field_syntax_version="V2"),
         struct(("a", TEXT)), {"a": "x"}, "needs a struct where there is a schema, not string"),
        (step("Flatten$Value"), struct(("m", MAP)), {"m": {}}, "cannot take the map m"),
        (step("Flatten$Value"), struct(("a", INNER), ("a.x", INT)), {"a": {}, "a.x": 1},
         "field a.x twice"),
        (step("InsertField$Value", topic_field="x"), INNER, {"x": 1, "y": 2}, "field x twice"),
        (step("ReplaceField$Value", renames="x:y"), INNER, {"x": 1, "y": 2}, "field y twice"),
        (step("HeaderFrom$Value", fields="z", headers="h", operation="copy"), INNER,
         {"x": 1, "y": 2}, "no field z"),
        (step("ValueToKey", fields="x,z"), INNER, {"x": 1, "y": 2}, "no field z"),
        (step("MaskField$Value", fields="a"), struct(("a", INNER)), {"a": {"x": 1, "y": 2}},
         "field a is a struct"),
        (step("MaskField$Value", fields="a", replacement="300"),
         struct(("a", Schema(Kind.INT8))), {"a": 1}, "'300' cannot mask"),
        (step("Cast$Value", spec="x:int8"), INNER, {"x": 300, "y": 2}, "field x is out of"),
        (step("Cast$Value", spec="y:int8"), struct(("y", Schema(Kind.STRING, default="z"))),
         {"y": "1"}, "the default of field y is the text 'z'"),
        (step("TimestampConverter$Value", field="x", target_type="unix"), INNER,
         {"x": 1, "y": 2}, "field x is no time: its schema is int32"),
        (step("HoistField$Value", field="h"), TEXT, None, "field h would be null"),
        (step("InsertField$Value", topic_field="t"), MAP, {"k": "v"},
         "needs a struct where there is a schema, not map"),
    ],
    ids=lambda case: str(case)[:40],
)  # fmt: skip
def test_what_the_schema_does_not_allow_is_refused(
    configured: Configured, schema: Schema, value: Any, words: str
) -> None:
    refused, _ = changed_pair(value, schema, configured)
    assert str(refused).startswith("!")
    assert words in refused
    name = f"org.apache.kafka.connect.transforms.{configured[0]}"
    assert refusal_class(record_of(value, schema), [configured]) == name


def test_a_default_struct_is_cast_like_the_values() -> None:
    schema = Schema(Kind.STRUCT, fields=(Field("x", TEXT),), default={"x": "5"})
    _, changed = changed_pair({"x": "1"}, schema, step("Cast$Value", spec="x:int32"))
    assert changed == Schema(Kind.STRUCT, fields=(Field("x", INT),), default={"x": 5})


def test_a_struct_of_defaults_gives_its_flat_fields_their_defaults() -> None:
    inner = Schema(Kind.STRUCT, optional=True, fields=(Field("x", INT),), default={"x": 5})
    _, changed = changed_pair({"a": None}, struct(("a", inner)), step("Flatten$Value"))
    assert changed == struct(("a.x", MAYBE_FIVE))


def test_moved_headers_have_the_schemas_of_their_fields() -> None:
    record = through(
        record_of({"x": 1, "y": None}, INNER),
        step("HeaderFrom$Value", fields="y", headers="h", operation="move"),
    )
    assert record is not None
    assert record.headers == (Header("h", 5, MAYBE_FIVE),)
    assert (record.value, record.value_schema) == ({"x": 1}, struct(("x", INT)))


def test_the_key_has_the_schemas_of_the_fields() -> None:
    record = through(record_of({"x": 1, "y": None}, INNER), step("ValueToKey", fields="y,x"))
    assert record is not None
    assert record.key == {"y": 5, "x": 1}
    assert record.key_schema == struct(("y", MAYBE_FIVE), ("x", INT))
    assert record.value == {"x": 1, "y": None}


def test_a_schema_is_changed_once_for_all_records() -> None:
    transform = chain_of(steps(step("InsertField$Value", topic_field="t")))
    assert transform is not None
    first = transform(record_of({"x": 1, "y": 2}, INNER))
    second = transform(record_of({"x": 3, "y": 4}, INNER))
    assert first is not None
    assert second is not None
    assert first.value_schema is second.value_schema

"""DebeziumTransform, with changes that Debezium 3.6 wrote of PostgreSQL tables."""

from datetime import UTC, datetime
from typing import Any

import pytest
from tests.support.plain_records import iceberg_step, record_of, struct

from frazil.spark_sink.records.errors import TransformError
from frazil.spark_sink.records.model import TIMESTAMP, Kind, Record, Schema
from frazil.spark_sink.records.transforms.debezium import debezium

PATTERN = {"cdc.target.pattern": "lake_{db}.{table}"}
STRING = Schema(Kind.STRING)
TEXT = Schema(Kind.STRING, optional=True)
LONG = Schema(Kind.INT64)
# The parts of recorded changes that matter here.
OLD = {"id": 11, "name": None, "amount": None, "created": "1970-01-01T00:00:00.000000Z"}
NEW = {"id": 10, "name": "upd", "amount": "A+c=", "created": "2026-11-18T10:00:00.500000Z"}
SOURCE = {"connector": "postgresql", "db": "cdc", "schema": "public", "table": "plain"}
CREATED = {"before": None, "after": NEW, "source": SOURCE, "op": "c", "ts_ms": 1795009246578}
READ = CREATED | {"op": "r"}
UPDATED = CREATED | {"op": "u"}
DELETED = CREATED | {"before": OLD, "after": None, "op": "d"}
TRUNCATED = CREATED | {"after": None, "op": "t"}
MESSAGE = {"op": "m", "ts_ms": 1795009246578, "source": SOURCE, "message": {"prefix": "p"}}
TRANSACTION = {"status": "BEGIN", "id": "1190:347150880", "event_count": None}


def lift(record: Record, options: dict[str, str] | None = None) -> Record | None:
    return debezium(iceberg_step("DebeziumTransform", options))(record)


@pytest.mark.parametrize(
    ("change", "row", "op"),
    [(CREATED, NEW, "I"), (READ, NEW, "I"), (UPDATED, NEW, "U"), (DELETED, OLD, "D")],
)
def test_a_change_becomes_its_row(change: Any, row: Any, op: str) -> None:
    lifted = lift(record_of(change, key={"id": 10}), PATTERN)
    cdc = {
        "op": op,
        "ts": 1795009246578,
        "offset": 7,
        "source": "public.plain",
        "target": "lake_public.plain",
        "key": {"id": 10},
    }
    assert lifted == record_of(row | {"_cdc": cdc}, key={"id": 10})


def test_without_a_schema_the_database_is_named() -> None:
    source = {"db": "shop", "table": "t"}
    lifted = lift(record_of(CREATED | {"source": source}))
    assert lifted is not None
    assert lifted.value["_cdc"]["source"] == lifted.value["_cdc"]["target"] == "shop.t"


@pytest.mark.parametrize("key", ["k", None, 5])
def test_a_key_that_is_no_map_is_left_out(key: Any) -> None:
    lifted = lift(record_of(CREATED, key=key))
    assert lifted is not None
    assert "key" not in lifted.value["_cdc"]


@pytest.mark.parametrize("value", [TRUNCATED, MESSAGE, CREATED | {"after": "text"}])
def test_a_change_without_a_row_is_filtered(value: Any) -> None:
    assert lift(record_of(value)) is None


def test_a_tombstone_passes() -> None:
    assert lift(record_of(None, key={"id": 1})) == record_of(None, key={"id": 1})


@pytest.mark.parametrize(
    "value",
    [
        TRANSACTION,
        CREATED | {"op": None},
        CREATED | {"source": None},
        CREATED | {"source": {"schema": None, "db": "d", "table": "t"}},
        CREATED | {"source": {"schema": "s"}},
        "text",
    ],
)
def test_what_is_no_change_is_refused(value: Any) -> None:
    with pytest.raises(TransformError) as caught:
        lift(record_of(value))
    assert caught.value.class_name == "org.apache.iceberg.connect.transforms.DebeziumTransform"


ROW = struct(("id", Schema(Kind.INT32)), ("name", TEXT), optional=True, name="row.Value")
PLACE = struct(("db", STRING), ("schema", TEXT), ("table", TEXT), name="source")
ENVELOPE = struct(
    ("before", ROW), ("after", ROW), ("source", PLACE), ("op", STRING), ("ts_ms", LONG)
)
KEY = struct(("id", Schema(Kind.INT32)), name="row.Key")
ANNA = {"id": 1, "name": "Anna"}
WITH_SCHEMA = {
    "before": None,
    "after": ANNA,
    "source": {"db": "cdc", "schema": "public", "table": "plain"},
    "op": "c",
    "ts_ms": 1500,
}


def cdc_schema(*key: tuple[str, Schema]) -> Schema:
    return struct(
        ("op", STRING),
        ("ts", Schema(Kind.INT64, name=TIMESTAMP, version=1)),
        ("offset", Schema(Kind.INT64, optional=True)),
        ("source", STRING),
        ("target", STRING),
        *key,
    )


def test_with_schemas_the_change_has_one_too() -> None:
    lifted = lift(record_of(WITH_SCHEMA, ENVELOPE, key={"id": 1}, key_schema=KEY))
    assert lifted is not None
    assert lifted.value == ANNA | {
        "_cdc": {
            "op": "I",
            "ts": datetime(1970, 1, 1, 0, 0, 1, 500_000, UTC),
            "offset": 7,
            "source": "public.plain",
            "target": "public.plain",
            "key": {"id": 1},
        }
    }
    assert lifted.value_schema == struct(
        *ROW.fields, ("_cdc", cdc_schema(("key", KEY))), name="row.Value"
    )


def test_a_key_without_schema_is_left_out_where_values_have_one() -> None:
    lifted = lift(record_of(WITH_SCHEMA, ENVELOPE, key={"id": 1}))
    assert lifted is not None
    assert "key" not in lifted.value["_cdc"]
    assert lifted.value_schema == struct(*ROW.fields, ("_cdc", cdc_schema()), name="row.Value")


def test_deletions_have_the_row_before_them() -> None:
    deleted = WITH_SCHEMA | {"before": ANNA, "after": None, "op": "d"}
    lifted = lift(record_of(deleted, ENVELOPE))
    assert lifted is not None
    assert lifted.value["name"] == "Anna"
    assert lifted.value["_cdc"]["op"] == "D"


def test_names_that_are_null_are_spelled_so_without_a_pattern_alone() -> None:
    change = WITH_SCHEMA | {"source": {"db": "d", "schema": None, "table": "t"}}
    lifted = lift(record_of(change, ENVELOPE))
    assert lifted is not None
    assert lifted.value["_cdc"]["target"] == "null.t"
    with pytest.raises(TransformError, match=r"cdc\.target\.pattern"):
        lift(record_of(change, ENVELOPE), PATTERN)


@pytest.mark.parametrize(
    "change",
    [
        {"after": None},
        {"op": None},
        {"source": None},
        {"ts_ms": None},
        {"ts_ms": 10**18},
        {"op": "d"},
    ],
)
def test_a_change_with_schema_that_lacks_a_part_is_refused(change: dict[str, Any]) -> None:
    with pytest.raises(TransformError):
        lift(record_of(WITH_SCHEMA | change, ENVELOPE))


@pytest.mark.parametrize(
    "schema",
    [
        STRING,
        struct(("op", STRING), ("after", STRING)),
        struct(*ENVELOPE.fields[:2], *ENVELOPE.fields[3:]),
        struct(("after", struct(("_cdc", STRING))), *ENVELOPE.fields[2:]),
    ],
)
def test_a_schema_that_is_not_debeziums_is_refused(schema: Schema) -> None:
    with pytest.raises(TransformError):
        lift(record_of(WITH_SCHEMA, schema))


def test_a_key_that_its_schema_requires_has_to_be_there() -> None:
    with pytest.raises(TransformError, match="key"):
        lift(record_of(WITH_SCHEMA, ENVELOPE, key_schema=KEY))

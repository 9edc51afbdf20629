"""Tables that follow their records: created, changed, and values fitted into their columns."""

from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from tests.support.fleet_lab import FleetLab
from tests.support.spark import LEAVES_SOCKETS

from frazil.worker.errors import BadRecordError, BadTableError

pytestmark = LEAVES_SOCKETS
AUTO = {"iceberg.tables.auto-create-enabled": "true"}
EVOLVE = {"iceberg.tables.evolve-schema-enabled": "true"}
WITH_SCHEMA = {
    "value.converter": "org.apache.kafka.connect.json.JsonConverter",
    "value.converter.schemas.enable": "true",
}


def one(lake: FleetLab, **keys: str) -> dict[str, str]:
    return {"iceberg.tables": f"{lake.namespace}.a", **keys}


def test_json_is_fitted_to_the_table_and_a_fault_says_where(lake: FleetLab) -> None:
    lake.sql("CREATE TABLE NS.a (id BIGINT NOT NULL, at TIMESTAMP, amount DECIMAL(6,2))")
    run = lake.start(1, one(lake, **{"errors.tolerance": "all"}))
    outcome = run.write(
        [
            {"id": 1, "at": 1795003200500, "amount": 1.005},
            {"id": "2", "at": "2026-11-18T12:00:00.5Z", "amount": "7"},
            {"id": "x"},
            {"at": 5},
            {"id": 3, "amount": 99999},
            "{",
            {"id": 4, "unknown": {"a": 1}},
        ]
    )
    assert lake.ids("a") == [1, 2, 4]
    assert lake.sql("SELECT count(DISTINCT at) FROM NS.a WHERE id < 3") == [[1]]
    assert lake.sql("SELECT amount FROM NS.a ORDER BY id") == [
        [Decimal("1.01")],
        [Decimal(7)],
        [None],
    ]
    assert (outcome.dead, outcome.written) == (4, 3)
    assert outcome.first_dead is not None
    assert (outcome.first_dead.offset, outcome.first_dead.reason) == (
        2,
        "column id of type long cannot hold text that is not a number",
    )


def test_values_that_did_not_fit_at_first_are_rows_once_and_leave_no_files(lake: FleetLab) -> None:
    lake.sql("CREATE TABLE NS.a (id BIGINT)")
    run = lake.start(1, one(lake))
    for values in (1, 2), ("3", 4), ("5", 6), (7, 8), (9, "10"):
        run.write([{"id": value} for value in values])
    assert lake.ids("a") == list(range(1, 11))
    known = {
        Path(path.removeprefix("file:")) for (path,) in lake.sql("SELECT file_path FROM NS.a.files")
    }
    assert set(next(iter(known)).parent.glob("*.parquet")) == known


def test_the_fault_of_a_value_names_its_column(lake: FleetLab) -> None:
    lake.sql("CREATE TABLE NS.a (id BIGINT, at TIMESTAMP)")
    with pytest.raises(BadRecordError, match="offset 0: column at of type timestamptz cannot hold"):
        lake.start(1, one(lake)).write([{"id": 1, "at": "never"}])


def test_a_table_is_created_from_what_records_have(lake: FleetLab) -> None:
    run = lake.start(
        1,
        {
            "iceberg.tables": f"{lake.namespace}.deep.er.a",
            **AUTO,
            "iceberg.table.a.partition-by": "bucket(id, 4), name",
            "iceberg.table.a.id-columns": "id",
            "iceberg.tables.auto-create-props.write.parquet.compression-codec": "gzip",
        },
    )
    run.write(
        [
            {"id": 1, "name": "x", "price": 1.5, "tags": ["a"], "none": None, "empty": []},
            {"id": 2, "name": "y", "on": True, "who": {"age": 3, "nothing": None}},
        ]
    )
    assert lake.columns("deep.er.a") == {
        "id": "bigint",
        "name": "string",
        "on": "boolean",
        "price": "double",
        "tags": "array<string>",
        "who": "struct<age:bigint>",
    }
    described = {row[0]: row[1] for row in lake.sql("DESCRIBE TABLE EXTENDED NS.deep.er.a")}
    assert described["Part 0"] == "bucket(4, id)"
    assert described["Part 1"] == "name"
    ((path,),) = [lake.sql("SELECT file_path FROM NS.deep.er.a.files LIMIT 1")[0]]
    footer = pq.read_metadata(path.removeprefix("file:"))
    assert footer.row_group(0).column(0).compression == "GZIP"
    (field,) = (
        f for f in lake.spark.table(f"lake.{lake.namespace}.deep.er.a").schema if f.name == "id"
    )
    assert not field.nullable


def envelope(fields: list[dict[str, Any]], payload: dict[str, Any]) -> dict[str, Any]:
    return {"schema": {"type": "struct", "optional": False, "fields": fields}, "payload": payload}


ID = {"field": "id", "type": "int32", "optional": False}
AMOUNT = {"field": "amount", "type": "float", "optional": False}


def test_a_table_is_created_from_the_schema_that_records_bring(lake: FleetLab) -> None:
    lake.start(1, one(lake, **AUTO, **WITH_SCHEMA)).write(
        [
            envelope(
                [
                    ID,
                    {
                        "field": "at",
                        "type": "int64",
                        "name": "org.apache.kafka.connect.data.Timestamp",
                    },
                    {"field": "note", "type": "string", "optional": True},
                ],
                {"id": 1, "at": 1795003200500, "note": None},
            )
        ]
    )
    assert lake.columns("a") == {"id": "int", "at": "timestamp", "note": "string"}
    nullable = {f.name: f.nullable for f in lake.spark.table(f"lake.{lake.namespace}.a").schema}
    assert nullable == {"id": False, "at": False, "note": True}


def test_all_columns_may_be_made_optional(lake: FleetLab) -> None:
    keys = {**AUTO, **WITH_SCHEMA, "iceberg.tables.schema-force-optional": "true"}
    lake.start(1, one(lake, **keys)).write([envelope([ID], {"id": 1})])
    assert all(f.nullable for f in lake.spark.table(f"lake.{lake.namespace}.a").schema)


@pytest.mark.parametrize(
    ("keys", "sentence"),
    [
        ({"iceberg.table.a.partition-by": "day(id)"}, "cannot be partitioned as asked for"),
        ({"iceberg.table.a.partition-by": "nowhere"}, "cannot be partitioned as asked for"),
        ({"iceberg.table.a.id-columns": "nowhere"}, "its records have no nowhere"),
        ({"iceberg.table.a.id-columns": "price"}, "cannot have the key price"),
    ],
)
def test_a_table_that_cannot_be_as_asked_for_is_not_created(
    lake: FleetLab, keys: dict[str, str], sentence: str
) -> None:
    with pytest.raises(BadTableError, match=sentence):
        lake.start(1, one(lake, **AUTO, **keys)).write([{"id": 1, "price": 1.5}])
    assert lake.sql("SHOW TABLES IN NS") == []


def test_records_without_a_value_make_no_table(lake: FleetLab) -> None:
    run = lake.start(1, one(lake, **AUTO))
    assert run.write([None]).written == 0
    with pytest.raises(BadRecordError, match="no field to make a column of"):
        run.write([{"none": None}])


def test_files_of_another_format_are_written_by_spark(lake: FleetLab) -> None:
    lake.sql("CREATE TABLE NS.a (id BIGINT) TBLPROPERTIES ('write.format.default'='orc')")
    lake.start(1, one(lake)).write([{"id": 1}, {"id": "2"}])
    assert lake.ids("a") == [1, 2]
    assert lake.sql("SELECT DISTINCT file_format FROM NS.a.files") == [["ORC"]]


def test_a_table_follows_its_records_at_any_depth(lake: FleetLab) -> None:
    run = lake.start(1, one(lake, **AUTO, **EVOLVE))
    run.write([{"id": 1, "who": {"a": 1}, "all": [{"x": 1}]}])
    run.write(
        [
            {"id": 2, "new": "n", "who": {"a": 2, "b": {"c": True}}, "all": [{"x": 2, "y": "z"}]},
            {"id": 3, "who": None},
        ]
    )
    assert lake.columns("a") == {
        "all": "array<struct<x:bigint,y:string>>",
        "id": "bigint",
        "who": "struct<a:bigint,b:struct<c:boolean>>",
        "new": "string",
    }
    assert lake.sql("SELECT id, new, who.b.c, all[0].y FROM NS.a ORDER BY id") == [
        [1, None, None, None],
        [2, "n", True, "z"],
        [3, None, None, None],
    ]


def test_a_table_that_is_frozen_keeps_its_columns(lake: FleetLab) -> None:
    lake.sql("CREATE TABLE NS.a (id BIGINT) USING iceberg")
    frozen = {"iceberg.table.a.evolve-schema-enabled": "false"}
    lake.start(1, one(lake, **EVOLVE, **frozen)).write([{"id": 1, "more": "x"}])
    assert lake.sql("SELECT * FROM NS.a") == [[1]]
    lake.start(2, one(lake, **EVOLVE)).write([{"id": 2, "more": "y"}])
    assert lake.sql("SELECT id, more FROM NS.a ORDER BY id") == [[1, None], [2, "y"]]


def test_a_schema_widens_and_relaxes_what_a_look_at_values_does_not(lake: FleetLab) -> None:
    lake.sql("CREATE TABLE NS.a (id INT NOT NULL, amount FLOAT NOT NULL)")
    lake.start(1, one(lake, **EVOLVE)).write([{"id": 1, "amount": 2.5}])
    assert lake.columns("a") == {"id": "int", "amount": "float"}
    wider = [{**ID, "type": "int64", "optional": True}, {**AMOUNT, "type": "double"}]
    run = lake.start(2, one(lake, **EVOLVE, **WITH_SCHEMA))
    run.write(
        [
            envelope(wider, {"id": 2**40, "amount": 0.1}),
            envelope(wider, {"id": None, "amount": 1.0}),
        ]
    )
    assert lake.columns("a") == {"id": "bigint", "amount": "double"}
    assert lake.ids("a") == [None, 1, 2**40]


def test_names_may_differ_in_case_alone_if_asked_for(lake: FleetLab) -> None:
    lake.sql("CREATE TABLE NS.a (id BIGINT, who STRUCT<firstname: STRING>)")
    keys = {**EVOLVE, "iceberg.tables.schema-case-insensitive": "true"}
    lake.start(1, one(lake, **keys)).write([{"ID": 1, "Who": {"firstName": "x"}}])
    assert lake.sql("SELECT id, who.firstname FROM NS.a") == [[1, "x"]]
    assert lake.columns("a") == {"id": "bigint", "who": "struct<firstname:string>"}


@pytest.mark.parametrize("kind", ["frozen", "following", "new"])
def test_fields_that_differ_in_case_alone_all_arrive(lake: FleetLab, kind: str) -> None:
    follows = {} if kind == "frozen" else EVOLVE | AUTO
    if kind != "new":
        lake.sql("CREATE TABLE NS.a (id BIGINT, who STRUCT<n: BIGINT>) USING iceberg")
    keys = {
        **follows,
        "iceberg.tables.schema-case-insensitive": "true",
        "errors.tolerance": "all",
    }
    outcome = lake.start(1, one(lake, **keys)).write(
        [
            {"ID": 1, "who": {"n": 1}},
            {"id": 2, "Who": {"N": 2}},
            {"id": 3, "ID": 3, "who": {"n": 3, "N": None}, "WHO": {"n": 3}},
            {"id": 4, "ID": 5},
            {"id": 6, "who": {"n": 6, "N": 7}},
        ]
    )
    assert (outcome.written, outcome.dead) == (3, 2)
    number = "ID" if kind == "new" else "id"
    assert list(lake.columns("a")) == [number, "who"]
    rows = lake.sql(f"SELECT {number}, who.* FROM NS.a ORDER BY 1")
    assert rows == [[1, 1], [2, 2], [3, 3]]


def test_where_columns_differ_in_case_alone_each_has_its_own_field(lake: FleetLab) -> None:
    lake.sql("CREATE TABLE NS.a (id BIGINT)")
    lake.start(1, one(lake, **EVOLVE)).write([{"ID": 1, "id": 2}])
    keys = {**EVOLVE, "iceberg.tables.schema-case-insensitive": "true"}
    lake.start(2, one(lake, **keys)).write([{"ID": 3, "id": 4}])
    assert lake.sql("SELECT id, ID FROM NS.a ORDER BY id") == [[2, 1], [4, 3]]


def test_names_that_differ_in_case_are_two_columns_otherwise(lake: FleetLab) -> None:
    lake.sql("CREATE TABLE NS.a (id BIGINT)")
    lake.start(1, one(lake, **EVOLVE)).write([{"ID": 1, "id": 2}])
    assert lake.columns("a") == {"id": "bigint", "ID": "bigint"}

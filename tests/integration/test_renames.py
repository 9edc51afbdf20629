"""Columns that get another name by their ids: what they hold stays, and records find them."""

from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.support.fleet_lab import FleetLab, Run
from tests.support.spark import LEAVES_SOCKETS

from frazil.contracts.redrive import Pick, Redrive
from frazil.contracts.schema_change import ChangeKind, SchemaChange, SchemaRules, SchemaUndo
from frazil.contracts.states import TableState
from frazil.worker.errors import BadTableError

pytestmark = LEAVES_SOCKETS
EVOLVE = {"iceberg.tables.evolve-schema-enabled": "true"}
AUTO = {"iceberg.tables.auto-create-enabled": "true"}
ASK = {"frazil.tables.schema-changes": "ask"}
RENAMES = "frazil.tables.rename"
RENAME = {"iceberg.table.a.rename.old": "new"}
RENAMED = SchemaChange(kind=ChangeKind.RENAME, path="old", type="new")


def keys(lake: FleetLab, *more: dict[str, str]) -> dict[str, str]:
    found = {
        "iceberg.tables": f"{lake.namespace}.a",
        "errors.tolerance": "all",
        "frazil.dead.letters.table": f"{lake.namespace}.dead",
    }
    for one in more:
        found |= one
    return found


def create(lake: FleetLab, columns: str, more: str = "") -> None:
    lake.sql(f"CREATE TABLE NS.a ({columns}) USING iceberg {more}")


def rows(lake: FleetLab, columns: str) -> list[tuple[Any, ...]]:
    return [tuple(row) for row in lake.sql(f"SELECT {columns} FROM NS.a ORDER BY id")]


def letters(lake: FleetLab) -> list[tuple[Any, ...]]:
    return [tuple(row) for row in lake.sql("SELECT offset, message FROM NS.dead ORDER BY offset")]


def changes(run: Run, lake: FleetLab) -> list[str]:
    return list(map(str, run.fleet.tables[f"{lake.namespace}.a"].changes))


@pytest.mark.parametrize("more", [{}, EVOLVE], ids=["frozen", "following"])
def test_a_column_keeps_its_values_and_gets_more_under_either_name(
    lake: FleetLab, more: dict[str, str]
) -> None:
    create(lake, "id BIGINT, old INT")
    lake.start(1, keys(lake, more)).write([{"id": 0, "old": 0}])
    run = lake.start(2, keys(lake, more, RENAME))
    assert list(lake.columns("a")) == ["id", "old"]
    run.write([{"id": 1, "old": 1}, {"id": 2, "new": 2}, {"id": 3}])
    run.write([{"id": 4, "new": 4, "old": 4}, {"id": 5, "new": None, "old": 5}])
    lake.start(3, keys(lake, more, RENAME)).write([{"id": 6, "old": 6}])
    assert lake.columns("a") == {"id": "bigint", "new": "int"}
    found = [(0, 0), (1, 1), (2, 2), (3, None), (4, 4), (5, 5), (6, 6)]
    assert rows(lake, "id, new") == found


def test_a_record_with_two_values_for_a_column_is_dead_and_may_be_tried_again(
    lake: FleetLab,
) -> None:
    create(lake, "id BIGINT, old INT")
    outcome = lake.start(1, keys(lake, RENAME)).write(
        [{"id": 0, "old": 0, "new": 1}, {"id": 1, "old": "1", "new": 1}, {"id": 2, "old": "x"}]
    )
    assert (outcome.written, outcome.dead) == (1, 2)
    why = "column new (int) cannot hold its value, or new and old are not the same"
    assert letters(lake) == [(0, why), (2, why)]
    unnamed = keys(lake, {"iceberg.table.a.evolve-schema-enabled": "true"})
    order = Redrive(number=1, picks=(Pick(before="2100-01-01T00:00:00Z", table=None),))
    again = lake.start(2, unnamed, redrive=order)
    assert again.redriven == 2
    assert rows(lake, "id, new, old") == [(0, 1, "0"), (1, 1, None), (2, None, "x")]


def test_a_table_that_is_made_has_the_new_names_only(lake: FleetLab) -> None:
    create_all = {"frazil.tables.rename.old": "new", "frazil.tables.rename.who.a": "b"}
    run = lake.start(1, keys(lake, AUTO, EVOLVE, create_all))
    run.write([{"id": 1, "old": 1, "who": {"a": 1}}, {"id": 2, "new": 2, "who": {"b": 2}}])
    run.write([{"id": 3, "old": 3, "more": [{"x": 1}]}])
    assert lake.columns("a") == {
        "id": "bigint",
        "new": "bigint",
        "who": "struct<b:bigint>",
        "more": "array<struct<x:bigint>>",
    }
    assert rows(lake, "id, new, who.b") == [(1, 1, 1), (2, 2, 2), (3, 3, None)]


def test_fields_inside_get_new_names_in_one_change_with_what_else_is_to_be_done(
    lake: FleetLab,
) -> None:
    create(
        lake, "id BIGINT, who STRUCT<a: INT, b: INT>, all ARRAY<STRUCT<x: INT>>, n STRUCT<m: INT>"
    )
    lake.start(1, keys(lake)).write(
        [{"id": 0, "who": {"a": 0, "b": 1}, "all": [{"x": 0}], "n": {"m": 0}}]
    )
    inside = {
        "iceberg.table.a.rename.who": "person",
        "iceberg.table.a.rename.who.a": "age",
        "iceberg.table.a.rename.person.b": "size",
        "iceberg.table.a.rename.all.element.x": "y",
    }
    run = lake.start(2, keys(lake, EVOLVE, inside))
    before = len(lake.sql("SELECT * FROM NS.a.metadata_log_entries"))
    run.write(
        [
            {"id": 1, "who": {"a": 1, "b": 2, "c": "c"}, "all": [{"x": 1}, {"y": 2}]},
            {"id": 2, "person": {"a": 2, "size": 3}, "n": {"m": 2}},
            {"id": 3, "person": {"age": 3}, "all": [{"x": 3, "y": 3}]},
            {"id": 4, "all": [{"x": 4, "y": 5}]},
        ]
    )
    # One for the columns, one for the rows.
    assert len(lake.sql("SELECT * FROM NS.a.metadata_log_entries")) == before + 2
    assert lake.columns("a") == {
        "id": "bigint",
        "person": "struct<age:int,size:int,c:string>",
        "all": "array<struct<y:int>>",
        "n": "struct<m:int>",
    }
    assert rows(lake, "id, person.age, person.size, person.c, all.y, n.m") == [
        (0, 0, 1, None, [0], 0),
        (1, 1, 2, "c", [1, 2], None),
        (2, 2, 3, None, None, 2),
        (3, 3, None, None, [3], None),
    ]
    assert [offset for offset, _ in letters(lake)] == [4]


def test_a_table_that_has_both_is_refused_by_name(lake: FleetLab) -> None:
    create(lake, "id BIGINT, who STRUCT<old: INT, new: INT>")
    inside = {"iceberg.table.a.rename.who.old": "new"}
    with pytest.raises(BadTableError, match=r"has a column who.old, .* and has new beside it"):
        lake.start(1, keys(lake, inside))
    element = {"iceberg.table.a.rename.list.element": "new"}
    lake.sql("ALTER TABLE NS.a ADD COLUMN list ARRAY<INT>")
    with pytest.raises(BadTableError, match=r"list.element of .* is what a list or a map holds"):
        lake.start(1, keys(lake, element))


def test_whoever_decides_on_changes_decides_on_new_names_too(lake: FleetLab) -> None:
    create(lake, "id BIGINT, old INT")
    asking = keys(lake, EVOLVE, ASK, RENAME)
    batch = [{"id": 1, "old": 1, "more": 1}]
    found = lake.preview(asking, batch)
    run = lake.start(1, asking)
    run.write(batch)
    assert run.fleet.tables[f"{lake.namespace}.a"].state is TableState.WAITING
    assert changes(run, lake) == ["rename column old to new", "add column more (bigint)"]
    (table,) = found.tables
    assert (list(map(str, table.changes)), table.rows) == (changes(run, lake), 1)
    assert list(lake.columns("a")) == ["id", "old"]
    shown = run.fleet.tables[f"{lake.namespace}.a"].changes
    lake.start(2, asking, rules={"a": SchemaRules(approved=shown)}).write(batch)
    assert rows(lake, "id, new, more") == [(1, 1, 1)]


def test_a_table_whose_columns_are_frozen_asks_for_a_new_name_too(lake: FleetLab) -> None:
    create(lake, "id BIGINT, old INT")
    run = lake.start(1, keys(lake, ASK, RENAME))
    run.write([{"id": 1, "old": 1}])
    assert changes(run, lake) == [str(RENAMED)]
    rules = {"a": SchemaRules(approved=(RENAMED,))}
    lake.start(2, keys(lake, ASK, RENAME), rules=rules).write([{"id": 1, "old": 1}])
    assert rows(lake, "id, new") == [(1, 1)]


def test_a_name_that_is_refused_is_not_given(lake: FleetLab) -> None:
    create(lake, "id BIGINT, old INT")
    rules = {"a": SchemaRules(refused=(RENAMED.makes,))}
    lake.start(1, keys(lake, EVOLVE, RENAME), rules=rules).write(
        [{"id": 1, "old": 1}, {"id": 2, "new": 2}]
    )
    assert rows(lake, "id, old") == [(1, 1), (2, None)]
    assert list(lake.columns("a")) == ["id", "old"]


def test_a_new_name_is_taken_back_and_given_again(lake: FleetLab) -> None:
    create(lake, "id BIGINT, old INT")
    lake.start(1, keys(lake, EVOLVE, RENAME)).write([{"id": 1, "old": 1}])
    back = {"a": SchemaRules(refused=("new",), undo=SchemaUndo(before=1, after=0))}
    lake.start(2, keys(lake, EVOLVE, RENAME), rules=back).write([{"id": 2, "old": 2}])
    assert rows(lake, "id, old") == [(1, 1), (2, 2)]
    again = {"a": SchemaRules(refused=("old",), undo=SchemaUndo(before=0, after=1))}
    lake.start(3, keys(lake, EVOLVE, RENAME), rules=again).write([{"id": 3, "old": 3}])
    assert rows(lake, "id, new") == [(1, 1), (2, 2), (3, 3)]


def test_other_keys_may_name_a_column_by_either_name(lake: FleetLab) -> None:
    create(lake, "id BIGINT, old INT, n INT, kind STRING", "PARTITIONED BY (kind)")
    lake.start(1, keys(lake)).write([{"id": 0, "old": 0, "kind": "k"}])
    others = {
        "frazil.tables.rename.kind": "sort",
        "iceberg.table.a.rename.n": "number",
        "frazil.tables.conflict.old": "raw",
        "iceberg.table.a.conflict.number": "null",
        "iceberg.table.a.partition-by": "bucket(old, 2), kind",
        "frazil.tables.partition-evolution": "apply",
    }
    run = lake.start(2, keys(lake, EVOLVE, RENAME, others))
    run.write([{"id": 1, "old": "x", "n": "y", "kind": "k"}, {"id": 2, "new": "z", "sort": "k"}])
    assert rows(lake, "id, new, new__raw, number, sort") == [
        (0, 0, None, None, "k"),
        (1, None, "x", None, "k"),
        (2, None, "z", None, "k"),
    ]
    assert letters(lake) == [(1, "column number (int) cannot hold its value")]
    assert sorted(lake.sql("SELECT DISTINCT spec_id FROM NS.a.files")) == [[0], [1]]
    assert lake.sql("SELECT DISTINCT partition.kind FROM NS.a.files") == [["k"]]


@pytest.mark.parametrize("ids", ["key", "id", None])
def test_records_change_rows_whose_key_order_and_operation_have_new_names(
    lake: FleetLab, ids: str | None
) -> None:
    create(lake, "id BIGINT NOT NULL, v STRING, at STRUCT<n: INT>")
    lake.spark.sql(f"ALTER TABLE lake.{lake.namespace}.a SET IDENTIFIER FIELDS id")
    changing = {
        "iceberg.tables.cdc-field": "meta.op",
        "frazil.tables.sequence-field": "at.n",
        **({"iceberg.tables.default-id-columns": ids} if ids else {}),
    }
    names = {
        "frazil.tables.rename.id": "key",
        "frazil.tables.rename.at": "moment",
        "frazil.tables.rename.meta": "about",
    }

    def put(number: int, value: str, at: int, op: str = "u") -> dict[str, object]:
        return {"id": number, "v": value, "at": {"n": at}, "meta": {"op": op}}

    first = changing | ({"iceberg.tables.default-id-columns": "id"} if ids else {})
    lake.start(1, keys(lake, first)).write([put(1, "a", 1), put(2, "b", 1), put(2, "b", 2, "d")])
    run = lake.start(2, keys(lake, changing, names))
    run.write([put(1, "b", 3), put(1, "late", 2), put(2, "late", 1)])
    run.write(
        [
            {"key": 1, "v": "c", "moment": {"n": 4}, "about": {"op": "u"}},
            put(3, "new", 1),
            {"key": 3, "about": {"op": "d"}, "moment": {"n": 2}},
        ]
    )
    found = lake.sql("SELECT key, v, moment.n FROM NS.a")
    assert found == [[1, "c", 4]]


def test_the_case_of_names_matters_only_where_it_does_for_columns(lake: FleetLab) -> None:
    create(lake, "id BIGINT, Old INT, who STRUCT<A: INT>")
    ignoring = {
        "iceberg.tables.schema-case-insensitive": "true",
        "frazil.tables.rename.WHO.a": "B",
    }
    run = lake.start(1, keys(lake, EVOLVE, RENAME, ignoring))
    run.write([{"ID": 1, "OLD": 1, "Who": {"a": 1}}, {"id": 2, "NEW": 2, "WHO": {"b": 2}}])
    assert lake.columns("a") == {"id": "bigint", "new": "int", "who": "struct<B:int>"}
    assert rows(lake, "id, new, who.B") == [(1, 1, 1), (2, 2, 2)]


def test_records_with_a_schema_find_their_columns_too(lake: FleetLab) -> None:
    create(lake, "id BIGINT NOT NULL, old INT NOT NULL, m STRUCT<x: STRING>")
    schemas = {
        "value.converter": "org.apache.kafka.connect.json.JsonConverter",
        "frazil.tables.rename.m.x": "y",
    }

    def record(name: str, kind: str, **more: Any) -> dict[str, Any]:
        of_map = {"type": "map", "keys": {"type": "string"}, "values": {"type": "string"}}
        fields = [
            {"field": "id", "type": "int64"},
            {"field": name, "type": kind},
            {"field": "m", "optional": True, **of_map},
        ]
        return {"schema": {"type": "struct", "fields": fields}, "payload": more}

    run = lake.start(1, keys(lake, EVOLVE, RENAME, schemas))
    run.write([record("old", "int32", id=1, old=1, m={"x": "a"})])
    run.write([record("new", "int64", id=2, new=2, m={"y": "b"})])
    assert lake.columns("a")["new"] == "bigint"
    assert rows(lake, "id, new, m.y") == [(1, 1, "a"), (2, 2, "b")]


VALUES = st.sampled_from([None, 1, 2, "2", "x"])
RECORDS = st.fixed_dictionaries(
    {}, optional={"old": VALUES, "new": VALUES, "more": st.integers(0, 9)}
)
STEPS = st.lists(
    st.one_of(st.lists(RECORDS, min_size=1, max_size=6), st.sampled_from(["restart", "rename"])),
    min_size=3,
    max_size=6,
)


@settings(
    max_examples=10,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(steps=STEPS, evolves=st.booleans(), policy=st.sampled_from(["cast", "raw", "null"]))
def test_whenever_a_column_is_renamed_each_value_is_in_it_or_in_a_letter(
    lake: FleetLab, steps: list[Any], evolves: bool, policy: str
) -> None:
    for table in "a", "dead":
        lake.sql(f"DROP TABLE IF EXISTS NS.{table}")
    create(lake, "id BIGINT, old BIGINT, old__raw STRING")
    names: dict[str, str] = {}
    config = keys(lake, EVOLVE if evolves else {}, {"frazil.tables.conflict.old": policy})
    records: list[dict[str, Any]] = []
    run = lake.start(1, config)
    for epoch, step in enumerate([*steps, "rename", [{"old": "x"}]], start=2):
        if isinstance(step, str):
            if step == "rename":
                names = {f"{RENAMES}.old": "new", f"{RENAMES}.old__raw": "new__raw"}
            run = lake.start(epoch, config | names)
            continue
        # A column of the new name that came before would be in the way.
        fields = ("old", "more", *(["new"] if names else []))
        batch = [{name: one[name] for name in fields if name in one} for one in step]
        run.write([{**one, "id": len(records) + place} for place, one in enumerate(batch)])
        records += batch
    rows = {row[0]: row[1:] for row in lake.sql("SELECT id, new, new__raw FROM NS.a")}
    has_letters = lake.sql("SHOW TABLES IN NS LIKE 'dead'")
    found = lake.sql("SELECT offset, reason FROM NS.dead") if has_letters else []
    kept = dict(tuple(row) for row in found)
    for number, record in enumerate(records):
        expected = _expected(record, policy)
        assert (rows.get(number), kept.get(number)) == expected, record


def _expected(record: dict[str, Any], policy: str) -> tuple[list[Any] | None, str | None]:
    """Return the row that a record has to be, and why it has to be a letter."""
    values = {str(record.get(name)) for name in ("old", "new")} - {"None"}
    if len(values) > 1:
        return None, "row"
    if "x" not in values:
        return [next(map(int, values), None), None], None
    by_policy = {
        "cast": (None, "row"),
        "null": ([None, None], "nulled"),
        "raw": ([None, "x"], None),
    }
    return by_policy[policy]

"""Tables whose changes a person decides on: they wait, and go on where they were left."""

import pytest
from tests.support.fleet_lab import FleetLab, Run
from tests.support.spark import LEAVES_SOCKETS

from frazil.contracts.schema_change import ChangeKind, SchemaChange, SchemaRules, SchemaUndo
from frazil.contracts.states import TableState
from frazil.contracts.worker_status import TableStatus
from frazil.worker.errors import BadTableError

pytestmark = LEAVES_SOCKETS
ASK = {
    "iceberg.tables.auto-create-enabled": "true",
    "iceberg.tables.evolve-schema-enabled": "true",
    "frazil.tables.schema-changes": "ask",
}
MORE = SchemaChange(kind=ChangeKind.ADD, path="more", type="string")


def listed(lake: FleetLab, *tables: str, **more: str) -> dict[str, str]:
    names = ",".join(f"{lake.namespace}.{name}" for name in tables)
    return {"iceberg.tables": names, **ASK, **more}


def status(lake: FleetLab, run: Run, table: str = "a") -> TableStatus:
    return run.fleet.tables[f"{lake.namespace}.{table}"]


def test_a_table_waits_for_its_columns_and_others_go_on(lake: FleetLab) -> None:
    lake.sql("CREATE TABLE NS.a (id BIGINT)")
    lake.sql("CREATE TABLE NS.b (id BIGINT)")
    keys = listed(lake, "a", "b") | {f"iceberg.table.{lake.namespace}.b.schema-changes": "apply"}
    run = lake.start(1, keys)
    run.write([{"id": 1}])
    run.write([{"id": 2, "more": "x"}])
    assert run.write([{"id": 3}]).done == {"t": {0: 1}}
    assert (lake.ids("a"), lake.ids("b")) == ([1], [1, 2, 3])
    waiting = status(lake, run)
    assert (waiting.state, waiting.changes) == (TableState.WAITING, (MORE,))
    assert "add column more (string)" in str(waiting.trace)
    assert (waiting.position, waiting.behind) == ({"t": {0: 1}}, 2)
    again = lake.start(2, keys, rules={"a": SchemaRules(approved=(MORE,))})
    assert again.at == 1
    again.write([{"id": 2, "more": "x"}, {"id": 3}])
    assert lake.sql("SELECT id, more FROM NS.a ORDER BY id") == [[1, None], [2, "x"], [3, None]]
    assert lake.ids("b") == [1, 2, 3]


def test_what_was_not_shown_is_asked_for_again(lake: FleetLab) -> None:
    lake.sql("CREATE TABLE NS.a (id BIGINT)")
    run = lake.start(1, listed(lake, "a"), rules={"a": SchemaRules(approved=(MORE,))})
    run.write([{"id": 1, "more": "x", "other": 1}])
    assert [str(one) for one in status(lake, run).changes] == ["add column other (bigint)"]
    assert lake.columns("a") == {"id": "bigint"}
    run = lake.start(2, listed(lake, "a"), rules={"a": SchemaRules(approved=(MORE,))})
    run.write([{"id": 1, "more": 5}])
    assert [str(one) for one in status(lake, run).changes] == ["add column more (bigint)"]


def test_what_is_refused_is_left_out_at_any_depth_and_the_rest_is_written(lake: FleetLab) -> None:
    lake.sql("CREATE TABLE NS.a (id BIGINT, who STRUCT<a: BIGINT>)")
    refused = SchemaRules(refused=("more", "who.b"))
    run = lake.start(1, listed(lake, "a"), rules={"a": refused})
    run.write([{"id": 1, "more": "x", "who": {"a": 1, "b": 2}}])
    assert lake.sql("SELECT id, who.a FROM NS.a") == [[1, 1]]
    assert lake.columns("a") == {"id": "bigint", "who": "struct<a:bigint>"}
    run.write([{"id": 2, "who": {"a": 1, "c": 2}}])
    assert [one.path for one in status(lake, run).changes] == ["who.c"]


def test_what_was_refused_stays_so_where_changes_are_applied(lake: FleetLab) -> None:
    lake.sql("CREATE TABLE NS.a (id BIGINT)")
    keys = listed(lake, "a") | {"frazil.tables.schema-changes": "apply"}
    lake.start(1, keys, rules={"a": SchemaRules(refused=("more",))}).write(
        [{"id": 1, "more": "x", "new": 1}]
    )
    assert lake.columns("a") == {"id": "bigint", "new": "bigint"}


@pytest.mark.parametrize("reset", ["earliest", "latest"])
def test_a_table_waits_to_be_created_and_misses_nothing(lake: FleetLab, reset: str) -> None:
    keys = listed(lake, "a", **{"consumer.override.auto.offset.reset": reset})
    run = lake.start(1, keys)
    first = run.at
    done = run.write([{"id": 1, "more": "x"}]).done
    assert done == {"t": {0: first}}
    second = run.write([{"id": 2}])
    assert (second.done, second.valid_through) == (done, None)
    shown = status(lake, run).changes
    assert list(map(str, shown)) == [
        "create the table",
        "add column id (bigint)",
        "add column more (string)",
    ]
    assert lake.sql("SHOW TABLES IN NS") == []
    approved = {"a": SchemaRules(approved=shown)}
    # By now the topic may have got longer.
    again = lake.start(2, keys, group=done, rules=approved, newest=20_000)
    assert again.at == first
    again.write([{"id": 1, "more": "x"}, {"id": 2}])
    assert lake.ids("a") == [1, 2]


def test_a_table_whose_creation_is_refused_is_missing(lake: FleetLab) -> None:
    keys = {
        **ASK,
        "frazil.tables.route": f"{lake.namespace}.${{value.kind}}",
    }
    run = lake.start(1, keys, rules={"a": SchemaRules(refused=("",))})
    outcome = run.write([{"id": 1, "kind": "a"}])
    assert (outcome.astray, status(lake, run).state) == (1, TableState.MISSING)
    assert "its creation was refused" in str(status(lake, run).trace)


def test_an_earlier_schema_is_current_again_once_and_stays_so(lake: FleetLab) -> None:
    lake.sql("CREATE TABLE NS.a (id BIGINT) USING iceberg")
    keys = listed(lake, "a") | {"frazil.tables.schema-changes": "apply"}
    lake.start(1, keys).write([{"id": 1, "more": "x"}])
    assert set(lake.columns("a")) == {"id", "more"}
    rules = {"a": SchemaRules(refused=("more",), undo=SchemaUndo(before=1, after=0))}
    lake.start(2, keys, rules=rules).write([{"id": 2, "more": "y", "new": 1}])
    assert lake.columns("a") == {"id": "bigint", "new": "bigint"}
    lake.start(3, keys, rules=rules).write([{"id": 3, "new": 2}])
    assert lake.sql("SELECT * FROM NS.a ORDER BY id") == [[1, None], [2, 1], [3, 2]]


def test_new_rows_follow_another_partitioning_and_files_stay(lake: FleetLab) -> None:
    lake.sql("CREATE TABLE NS.a (id BIGINT, kind STRING) PARTITIONED BY (kind)")
    keys = {"iceberg.tables": f"{lake.namespace}.a", "errors.tolerance": "all"}
    lake.start(1, keys).write([{"id": 1, "kind": "x"}])
    anew = keys | {
        "iceberg.table.a.partition-by": "bucket(id, 4)",
        "frazil.tables.partition-evolution": "apply",
        "frazil.tables.schema-changes": "ask",
    }
    run = lake.start(2, anew)
    run.write([{"id": 2, "kind": "y"}])
    shown = status(lake, run).changes
    assert list(map(str, shown)) == ["partition new rows by bucket(id, 4)"]
    found = lake.preview(anew, [{"id": 2, "kind": "y"}])
    assert (found.tables[0].changes, found.tables[0].waits_for, found.tables[0].rows) == (
        shown,
        shown,
        1,
    )
    assert lake.sql("SELECT DISTINCT spec_id FROM NS.a.files") == [[0]]
    rules = {"a": SchemaRules(approved=shown)}
    lake.start(3, anew, rules=rules).write([{"id": 2, "kind": "y"}])
    lake.start(4, anew, rules=rules).write([{"id": 3, "kind": "y"}])
    assert lake.ids("a") == [1, 2, 3]
    described = lake.sql("SELECT spec_id, count(*) FROM NS.a.files GROUP BY 1 ORDER BY 1")
    assert described == [[0, 1], [1, 2]]


def test_a_partitioning_waits_for_its_column_and_is_a_sentence_if_it_cannot_be(
    lake: FleetLab,
) -> None:
    lake.sql("CREATE TABLE NS.a (id BIGINT)")
    keys = listed(lake, "a") | {
        "iceberg.table.a.partition-by": "kind",
        "frazil.tables.partition-evolution": "apply",
        "frazil.tables.schema-changes": "apply",
    }
    run = lake.start(1, keys)
    run.write([{"id": 1}])
    run.write([{"id": 2, "kind": "x"}])
    specs = lake.sql("SELECT id, _spec_id FROM NS.a ORDER BY id")
    assert [row[0] for row in specs] == [1, 2]
    assert specs[0][1] != specs[1][1]
    again = lake.start(2, keys | {"iceberg.table.a.partition-by": "day(kind)"})
    with pytest.raises(BadTableError, match="cannot be partitioned as asked for"):
        again.write([{"id": 3}])


def test_who_refuses_another_partitioning_keeps_the_one_that_is_there(lake: FleetLab) -> None:
    lake.sql("CREATE TABLE NS.a (id BIGINT)")
    keys = listed(lake, "a") | {
        "iceberg.table.a.partition-by": "id",
        "frazil.tables.partition-evolution": "apply",
    }
    lake.start(1, keys, rules={"a": SchemaRules(refused=("",))}).write([{"id": 1}])
    assert lake.sql("SELECT DISTINCT spec_id FROM NS.a.files") == [[0]]

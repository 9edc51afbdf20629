"""Many tables of one connector, each record in each of its tables once; without a broker."""

import pytest
from tests.support.fleet_lab import FleetLab
from tests.support.spark import LEAVES_SOCKETS

from frazil.contracts.offsets import Rewind
from frazil.contracts.states import TableState
from frazil.worker.errors import (
    BadRecordError,
    BadTableError,
    RolledBackError,
    SupersededError,
    UnavailableError,
)

AUTO = "iceberg.tables.auto-create-enabled"
EVOLVE = "iceberg.tables.evolve-schema-enabled"
FIELD = "iceberg.tables.route-field"
pytestmark = LEAVES_SOCKETS
TOLERANT = {"errors.tolerance": "all"}


def create(lake: FleetLab, *tables: str, columns: str = "id BIGINT, kind STRING") -> None:
    for table in tables:
        lake.sql(f"CREATE TABLE NS.{table} ({columns}) USING iceberg")


def listed(lake: FleetLab, *tables: str) -> dict[str, str]:
    return {"iceberg.tables": ",".join(f"{lake.namespace}.{table}" for table in tables)}


def records(*ids: int, kind: str = "x") -> list[dict[str, object]]:
    return [{"id": number, "kind": kind} for number in ids]


def test_without_a_route_each_record_is_for_every_table(lake: FleetLab) -> None:
    create(lake, "a", "b")
    run = lake.start(1, listed(lake, "a", "b"))
    run.write(records(1, 2))
    run.write(records(3))
    assert lake.ids("a") == lake.ids("b") == [1, 2, 3]
    first, second = lake.ledgers("a")
    assert (first.consumed, second.consumed) == (2, 1)
    assert second.settled == second.start == {"t": {0: 2}}
    assert [one.commit_id for one in lake.ledgers("b")] == [first.commit_id, second.commit_id]


def by_pattern(lake: FleetLab) -> dict[str, str]:
    return {
        **listed(lake, "a", "b"),
        FIELD: "kind",
        "iceberg.table.a.route-regex": "x|both",
        f"iceberg.table.{lake.namespace}.b.route-regex": "y|both",
    }


def test_patterns_match_the_whole_value_and_what_matches_none_is_counted(lake: FleetLab) -> None:
    create(lake, "a", "b")
    run = lake.start(1, by_pattern(lake))
    outcome = run.write(
        [
            {"id": 1, "kind": "x"},
            {"id": 2, "kind": "y"},
            {"id": 3, "kind": "both"},
            {"id": 4, "kind": "xx"},
            {"id": 5, "kind": None},
            {"id": 6},
            None,
        ]
    )
    assert (lake.ids("a"), lake.ids("b")) == ([1, 3], [2, 3])
    assert (outcome.consumed, outcome.astray, outcome.written) == (7, 4, 4)


def test_a_table_without_rows_in_a_batch_is_not_committed_and_its_ledgers_still_meet(
    lake: FleetLab,
) -> None:
    create(lake, "a", "b")
    run = lake.start(1, by_pattern(lake))
    run.write(records(1, kind="x"))
    run.write(records(2, kind="y"))
    run.write(records(3, kind="x"))
    first, second = lake.ledgers("a")
    assert first.end == second.start == {"t": {0: 1}}
    assert second.settled == {"t": {0: 2}}
    assert len(lake.ledgers("b")) == 1


def test_batches_of_which_nothing_is_left_are_told_with_the_next_rows(lake: FleetLab) -> None:
    create(lake, "a")
    run = lake.start(1, listed(lake, "a"))
    for batch in (records(1), [None], [None, None], records(2)):
        run.write(batch)
    ledgers = lake.ledgers("a")
    assert [(one.consumed, one.filtered) for one in ledgers] == [(1, 0), (1, 1), (3, 2)]
    assert ledgers[1].end == ledgers[2].start == {"t": {0: 2}}
    assert lake.ids("a") == [1, 2]


def test_a_start_goes_on_after_the_newest_batch_and_repeats_nothing(lake: FleetLab) -> None:
    create(lake, "a", "b")
    run = lake.start(1, by_pattern(lake))
    for number, kind in enumerate("xyxxy"):
        run.write(records(number, kind=kind))
    # The newest batch may not be everywhere: it is read again, and dropped where it is.
    again = lake.start(2, by_pattern(lake))
    assert again.at == 4
    again.write([{"id": 4, "kind": "y"}, {"id": 5, "kind": "both"}])
    assert (lake.ids("a"), lake.ids("b")) == ([0, 2, 3, 5], [1, 4, 5])


def test_a_batch_that_was_committed_to_one_table_only_is_brought_to_the_others(
    lake: FleetLab, monkeypatch: pytest.MonkeyPatch
) -> None:
    create(lake, "a", "b")
    keys = listed(lake, "a", "b") | {"iceberg.control.commit.threads": "1"}
    run = lake.start(1, keys)
    run.write(records(1))

    def fail(*_: object) -> None:
        raise UnavailableError("killed here")

    store = run.fleet._committers[f"{lake.namespace}.b"].store
    monkeypatch.setattr(store, "append", fail)
    with pytest.raises(UnavailableError):
        run.write(records(2, 3))
    assert (lake.ids("a"), lake.ids("b")) == ([1, 2, 3], [1])
    again = lake.start(2, keys)
    assert again.at == 1
    again.write(records(2))
    again.write(records(3, 4))
    assert lake.ids("a") == lake.ids("b") == [1, 2, 3, 4]


def test_a_newer_driver_claims_every_table_and_the_older_one_stops(lake: FleetLab) -> None:
    create(lake, "a", "b")
    keys = listed(lake, "a", "b")
    older = lake.start(1, keys)
    older.write(records(1))
    newer = lake.start(2, keys)
    with pytest.raises(SupersededError, match="epoch 2"):
        older.write(records(2))
    for _ in range(2):
        with pytest.raises(SupersededError):
            older.fleet.check_fence()
    newer.write(records(2))
    assert lake.ids("a") == lake.ids("b") == [1, 2]


def dynamic(lake: FleetLab, **more: str) -> dict[str, str]:
    return {
        "iceberg.tables.dynamic-enabled": "true",
        FIELD: "kind",
        "frazil.tables.namespace": lake.namespace,
        **more,
    }


def test_records_name_their_table_in_any_case_and_what_is_missing_is_left_out(
    lake: FleetLab,
) -> None:
    create(lake, "a")
    run = lake.start(1, dynamic(lake))
    outcome = run.write(
        [
            {"id": 1, "kind": f"{lake.namespace}.A"},
            {"id": 2, "kind": "a"},
            {"id": 3, "kind": "nowhere"},
        ]
    )
    assert lake.ids("a") == [1, 2]
    assert outcome.astray == 1
    missing = run.fleet.tables[f"{lake.namespace}.nowhere"]
    assert missing.state is TableState.MISSING
    assert "does not exist" in str(missing.trace)


def test_tables_that_records_name_stay_exact_when_the_groups_offsets_are_lost(
    lake: FleetLab,
) -> None:
    keys = dynamic(lake, **{AUTO: "true"})
    run = lake.start(1, keys)
    run.write([{"id": 1, "kind": "a"}, {"id": 2, "kind": "b"}])
    done = run.write([{"id": 3, "kind": "a"}]).done
    hinted = lake.start(2, keys, group=done)
    assert hinted.at == 3
    hinted.write([{"id": 4, "kind": "b"}])
    lost = lake.start(3, keys)
    assert lost.at == 0
    lost.write([{"id": 1, "kind": "a"}, {"id": 2, "kind": "b"}, {"id": 3, "kind": "a"}])
    lost.write([{"id": 4, "kind": "b"}, {"id": 5, "kind": "a"}, {"id": 6, "kind": "c"}])
    assert (lake.ids("a"), lake.ids("b"), lake.ids("c")) == ([1, 3, 5], [2, 4], [6])


def test_a_template_takes_topic_key_and_headers(lake: FleetLab) -> None:
    keys = {
        "frazil.tables.route": f"{lake.namespace}.${{topic}}_${{key.shop}}_${{header.kind}}",
        AUTO: "true",
    }
    run = lake.start(1, keys)
    outcome = run.write(
        [{"id": 1}, {"id": 2}, {"id": 3}],
        keys=['{"shop": "North"}', '{"shop": "s"}', None],
        headers=[{"kind": "A"}, {"kind": "b"}, {"kind": "c"}],
    )
    assert lake.ids("t_north_a") == [1]
    assert lake.ids("t_s_b") == [2]
    assert outcome.astray == 1


def test_one_poisoned_table_does_not_hold_up_the_others_and_loses_nothing(lake: FleetLab) -> None:
    create(lake, "a")
    keys = dynamic(lake, **{AUTO: "true", "iceberg.table.b.partition-by": "day(kind)", **TOLERANT})
    run = lake.start(1, keys)
    run.write([{"id": 1, "kind": "a"}])
    done = run.write([{"id": 2, "kind": "a"}, {"id": 3, "kind": "b"}]).done
    assert done == {"t": {0: 1}}
    done = run.write([{"id": 4, "kind": "a"}, {"id": 5, "kind": "b"}]).done
    assert lake.ids("a") == [1, 2, 4]
    poisoned = run.fleet.tables[f"{lake.namespace}.b"]
    assert poisoned.state is TableState.FAILED
    assert "cannot be partitioned" in str(poisoned.trace)
    assert (poisoned.position, poisoned.behind) == ({"t": {0: 1}}, 4)
    # A restart after the cure begins where the table was left.
    cured = lake.start(2, dynamic(lake, **{AUTO: "true"}), group=done)
    assert cured.at == 1
    cured.write([{"id": 2, "kind": "a"}, {"id": 3, "kind": "b"}, {"id": 4, "kind": "a"}])
    cured.write([{"id": 5, "kind": "b"}])
    assert (lake.ids("a"), lake.ids("b")) == ([1, 2, 4], [3, 5])


def test_a_table_that_cannot_be_opened_holds_up_no_other_at_a_start_either(
    lake: FleetLab,
) -> None:
    create(lake, "a", "b")
    keys = listed(lake, "a", "b")
    run = lake.start(1, keys)
    run.write(records(1))
    run.write(records(2))
    roll_back(lake, "b")
    again = lake.start(2, keys | TOLERANT)
    assert again.fleet.tables[f"{lake.namespace}.b"].state is TableState.FAILED
    assert again.write(records(2)).done == {"t": {0: 1}}
    again.write(records(3))
    assert (lake.ids("a"), lake.ids("b")) == ([1, 2, 3], [1])
    cured = lake.start(3, keys | {"frazil.on.data.loss": "earliest"})
    cured.write(records(2, 3))
    assert lake.ids("a") == lake.ids("b") == [1, 2, 3]


def test_a_table_is_left_out_while_it_is_paused_and_then_goes_on_where_it_was(
    lake: FleetLab,
) -> None:
    create(lake, "a", "b")
    keys = listed(lake, "a", "b")
    run = lake.start(1, keys)
    run.write(records(1))
    run.write(records(2))
    run = lake.start(2, keys, paused=["b"])
    # What has been everywhere is before the last batch, and that comes again.
    assert run.at == 1
    run.write(records(2))
    assert run.write(records(3)).done == {"t": {0: 1}}
    paused = run.fleet.tables[f"{lake.namespace}.b"]
    assert (paused.state, paused.position, paused.behind) == (TableState.PAUSED, {"t": {0: 1}}, 2)
    run = lake.start(3, keys, paused=["b"])
    run.write(records(2, 3, 4))
    assert (lake.ids("a"), lake.ids("b")) == ([1, 2, 3, 4], [1, 2])
    resumed = lake.start(4, keys)
    assert resumed.at == 2
    resumed.write(records(3, 4, 5))
    assert lake.ids("a") == lake.ids("b") == [1, 2, 3, 4, 5]


def test_a_table_that_records_name_is_left_out_too(lake: FleetLab) -> None:
    create(lake, "a", "b")
    run = lake.start(1, dynamic(lake), paused=["b"])
    done = run.write([{"id": 1, "kind": "a"}, {"id": 2, "kind": "b"}]).done
    assert done == {"t": {0: 0}}
    assert (lake.ids("a"), lake.ids("b")) == ([1], [])
    resumed = lake.start(2, dynamic(lake), group=done)
    resumed.write([{"id": 1, "kind": "a"}, {"id": 2, "kind": "b"}])
    assert (lake.ids("a"), lake.ids("b")) == ([1], [2])


def test_without_tolerance_a_poisoned_table_stops_the_connector(lake: FleetLab) -> None:
    keys = dynamic(lake, **{AUTO: "true", "iceberg.table.b.partition-by": "day(kind)"})
    run = lake.start(1, keys)
    with pytest.raises(BadTableError, match=r"day.*kind|partition"):
        run.write([{"id": 1, "kind": "a"}, {"id": 2, "kind": "b"}])


def test_a_record_too_broken_to_be_routed_is_dead(lake: FleetLab) -> None:
    create(lake, "a")
    with pytest.raises(BadRecordError, match="t-0 at offset 1"):
        lake.start(1, dynamic(lake)).write([{"id": 1, "kind": "a"}, "{"])
    assert lake.ids("a") == []
    outcome = lake.start(1, dynamic(lake) | TOLERANT).write([{"id": 1, "kind": "a"}, "{"])
    assert (outcome.dead, lake.ids("a")) == (1, [1])


def test_a_rewind_reaches_every_table_once(lake: FleetLab) -> None:
    create(lake, "a", "b")
    keys = listed(lake, "a", "b")
    run = lake.start(1, keys)
    run.write(records(1, 2, 3))
    wish = Rewind(number=7, offsets={"t": {0: 1}})
    moved = lake.start(2, keys, rewind=wish)
    assert moved.at == 1
    moved.write(records(2, 3, 4))
    assert lake.ids("a") == lake.ids("b") == [1, 2, 2, 3, 3, 4]
    again = lake.start(3, keys, rewind=wish)
    assert again.at == 4


def test_a_rewind_reaches_tables_that_records_name_when_they_are_touched(lake: FleetLab) -> None:
    keys = dynamic(lake, **{AUTO: "true"})
    lake.start(1, keys).write([{"id": 1, "kind": "a"}, {"id": 2, "kind": "b"}])
    wish = Rewind(number=7, everything=True)
    moved = lake.start(2, keys, rewind=wish)
    moved.write([{"id": 1, "kind": "a"}])
    moved.write([{"id": 2, "kind": "b"}])
    assert (lake.ids("a"), lake.ids("b")) == ([1, 1], [2, 2])
    lake.start(3, keys, rewind=wish).write([{"id": 1, "kind": "a"}, {"id": 2, "kind": "b"}])
    assert (lake.ids("a"), lake.ids("b")) == ([1, 1], [2, 2])


def test_a_branch_is_made_by_the_first_commit_and_has_one_snapshot(lake: FleetLab) -> None:
    create(lake, "a")
    keys = listed(lake, "a") | {"iceberg.table.a.commit-branch": "dev"}
    lake.start(1, keys).write(records(1))
    assert lake.ids("a") == []
    assert lake.sql("SELECT id FROM NS.a.branch_dev") == [[1]]
    assert lake.sql("SELECT count(*) FROM NS.a.snapshots") == [[1]]
    again = lake.start(2, keys)
    assert again.at == 1
    again.write(records(2))
    assert lake.sql("SELECT id FROM NS.a.branch_dev ORDER BY id") == [[1], [2]]


def test_the_summary_has_what_dashboards_of_kafka_connect_read(lake: FleetLab) -> None:
    create(lake, "a")
    lake.start(1, listed(lake, "a")).write(records(1))
    ((summary,),) = lake.sql("SELECT summary FROM NS.a.snapshots")
    assert "kafka.connect.offsets.control-iceberg.connect-c" in summary
    assert summary["kafka.connect.commit-id"]
    assert summary["kafka.connect.task-id"] == "c-0"
    assert summary["kafka.connect.valid-through-ts"] == "2026-11-18T10:00:00+00:00"
    assert summary["kafka.connect.vtts"] == str(1_794_996_000_000)


def test_properties_of_writing_win_over_the_tables(lake: FleetLab) -> None:
    create(lake, "a")
    keys = listed(lake, "a") | {"iceberg.tables.write-props.write.format.default": "orc"}
    lake.start(1, keys).write(records(1))
    assert lake.sql("SELECT DISTINCT file_format FROM NS.a.files") == [["ORC"]]


def expire(lake: FleetLab, table: str) -> None:
    lake.sql(f"INSERT INTO NS.{table} VALUES (99, 'of others')")
    lake.sql(f"INSERT INTO NS.{table} VALUES (98, 'of others')")
    lake.sql(
        f"CALL lake.system.expire_snapshots(table => '{lake.namespace}.{table}', "
        "retain_last => 1, older_than => timestamp'2100-01-01 00:00:00')"
    )


def test_a_ledger_outlives_the_expiry_of_its_snapshot(lake: FleetLab) -> None:
    create(lake, "a")
    keys = listed(lake, "a")
    run = lake.start(1, keys)
    run.write(records(1, 2))
    expire(lake, "a")
    run.write(records(3))
    expire(lake, "a")
    again = lake.start(2, keys)
    assert again.at == 3
    again.write(records(4))
    assert [one for one in lake.ids("a") if one < 90] == [1, 2, 3, 4]


def roll_back(lake: FleetLab, table: str) -> None:
    ((snapshot,),) = lake.sql(f"SELECT parent_id FROM NS.{table}.history WHERE is_current_ancestor "
                             "ORDER BY made_current_at DESC LIMIT 1")  # fmt: skip
    lake.sql(f"CALL lake.system.rollback_to_snapshot('{lake.namespace}.{table}', {snapshot})")


@pytest.mark.parametrize(("choice", "expected"), [("earliest", [1, 2, 3]), ("latest", [1, 3])])
def test_a_table_that_was_rolled_back_is_noticed_and_the_user_chooses(
    lake: FleetLab, choice: str, expected: list[int]
) -> None:
    create(lake, "a", "b")
    keys = listed(lake, "a", "b")
    run = lake.start(1, keys)
    run.write(records(1))
    run.write(records(2))
    roll_back(lake, "a")
    with pytest.raises(RolledBackError, match=r"was taken back.*frazil\.on\.data\.loss"):
        run.write(records(3))
    with pytest.raises(RolledBackError):
        lake.start(2, keys)
    chosen = lake.start(3, keys | {"frazil.on.data.loss": choice})
    chosen.write(records(*range(chosen.at + 1, 4)))
    assert (lake.ids("a"), lake.ids("b")) == (expected, [1, 2, 3])
    assert lake.start(4, keys).at == 3


JSON_KEYS = {
    "key.converter": "org.apache.kafka.connect.json.JsonConverter",
    "key.converter.schemas.enable": "false",
}


def test_a_key_within_a_change_makes_columns_of_a_new_table(lake: FleetLab) -> None:
    run = lake.start(
        1,
        {
            "iceberg.tables": f"{lake.namespace}.a",
            AUTO: "true",
            "transforms": "unwrap",
            "transforms.unwrap.type": "io.tabular.iceberg.connect.transforms.DebeziumTransform",
            **JSON_KEYS,
        },
    )
    source = {"db": "shop", "table": "a"}
    change = {"op": "c", "ts_ms": 1, "before": None, "after": {"id": 1}, "source": source}
    run.write([change], keys=['{"id": 1, "part": {"of": "x"}}'])
    run.write([change], keys=['{"id": 2, "part": null}'])
    found = lake.sql("SELECT id, _cdc.key.id, _cdc.key.part.of FROM NS.a ORDER BY 2")
    assert found == [[1, 1, "x"], [1, 2, None]]


def test_a_value_that_is_hoisted_makes_columns_of_a_new_table(lake: FleetLab) -> None:
    run = lake.start(
        1,
        {
            "iceberg.tables": f"{lake.namespace}.a",
            AUTO: "true",
            "transforms": "hoist",
            "transforms.hoist.type": "org.apache.kafka.connect.transforms.HoistField$Value",
            "transforms.hoist.field": "whole",
            "errors.tolerance": "all",
        },
    )
    run.write([{"id": 1, "never": None, "part": {"of": "x"}}, "no JSON"])
    run.write([{"id": 2}])
    found = lake.sql("SELECT whole.id, whole.part.of FROM NS.a ORDER BY 1")
    assert found == [[1, "x"], [2, None]]

"""Records that change rows: in the end the table is what the source is; without a broker."""

import random
from collections.abc import Mapping, Sequence
from typing import Any

import pytest
from tests.support.fleet_lab import FleetLab, Run
from tests.support.spark import LEAVES_SOCKETS

from frazil.contracts.offsets import Rewind
from frazil.worker.errors import BadTableError, UnavailableError

MERGE = "write.merge.mode"
FORMS = {
    "position deletes": {"format-version": "2", MERGE: "merge-on-read"},
    "deletion vectors": {"format-version": "3", MERGE: "merge-on-read"},
    "copy on write": {"format-version": "2", MERGE: "copy-on-write"},
}
pytestmark = LEAVES_SOCKETS


def create(lake: FleetLab, properties: Mapping[str, str] | None = None) -> None:
    listed = ", ".join(f"'{key}'='{value}'" for key, value in (properties or {}).items())
    extra = f" TBLPROPERTIES ({listed})" if listed else ""
    lake.sql(f"CREATE TABLE NS.a (id BIGINT NOT NULL, v STRING NOT NULL) USING iceberg{extra}")


def keys(lake: FleetLab) -> dict[str, str]:
    return {
        "iceberg.tables": f"{lake.namespace}.a",
        "iceberg.tables.cdc-field": "op",
        "iceberg.tables.default-id-columns": "id",
    }


def put(number: int, value: str, op: str = "u") -> dict[str, object]:
    return {"id": number, "v": value, "op": op}


def gone(number: int) -> dict[str, object]:
    # As databases tell of it: of the row no more than its key.
    return {"id": number, "op": "d"}


def rows(lake: FleetLab) -> dict[int, str]:
    found = lake.sql("SELECT id, v FROM NS.a")
    assert len(found) == len({number for number, _ in found}), "a key has one row"
    return dict(tuple(row) for row in found)


@pytest.mark.parametrize("form", FORMS)
def test_a_row_is_what_the_last_record_of_its_key_says(lake: FleetLab, form: str) -> None:
    create(lake, FORMS[form])
    run = lake.start(1, keys(lake))
    run.write([put(1, "a", "c"), put(2, "b", "r"), put(3, "c"), gone(3), gone(4)])
    assert rows(lake) == {1: "a", 2: "b"}
    run.write([put(1, "aa"), gone(2), put(3, "cc"), put(3, "ccc"), gone(9)])
    assert rows(lake) == {1: "aa", 3: "ccc"}
    run.write([gone(3), put(3, "again")])
    assert rows(lake) == {1: "aa", 3: "again"}
    (*_, newest) = lake.ledgers("a")
    assert (newest.consumed, newest.written, newest.dead) == (2, 2, 0)


def history(seed: int) -> tuple[list[dict[str, Any]], dict[int, str]]:
    """Changes of a few keys, and what they come to."""
    chance = random.Random(seed)  # noqa: S311
    changes: list[dict[str, Any]] = []
    state: dict[int, str] = {}
    for step in range(120):
        number = chance.randrange(12)
        if chance.random() < 0.3:
            changes.append(gone(number))
            state.pop(number, None)
        else:
            changes.append(put(number, str(step)))
            state[number] = str(step)
    return changes, state


def kill_in_commit(run: Run, lake: FleetLab, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise UnavailableError("killed here")

    store = run.fleet._committers[f"{lake.namespace}.a"].store
    monkeypatch.setattr(store, "append", fail)


@pytest.mark.parametrize("seed", [1, 2])
def test_a_stream_of_changes_ends_as_its_source_whatever_is_killed(
    lake: FleetLab, monkeypatch: pytest.MonkeyPatch, seed: int
) -> None:
    create(lake, FORMS["deletion vectors"])
    changes, state = history(seed)
    chance = random.Random(seed)  # noqa: S311
    epoch = 1
    run = lake.start(epoch, keys(lake))
    while run.at < len(changes):
        batch = changes[run.at : run.at + chance.randint(10, 40)]
        if chance.random() < 0.3:
            kill_in_commit(run, lake, monkeypatch)
            with pytest.raises(UnavailableError):
                run.write(batch)
            epoch += 1
            run = lake.start(epoch, keys(lake))
        else:
            run.write(batch)
    assert rows(lake) == state


def test_a_rewind_changes_nothing_but_the_ledger(lake: FleetLab) -> None:
    create(lake, FORMS["deletion vectors"])
    changes, state = history(3)
    run = lake.start(1, keys(lake))
    run.write(changes[:70])
    run.write(changes[70:])
    again = lake.start(2, keys(lake), rewind=Rewind(number=1, offsets={"t": {0: 20}}))
    assert again.at == 20
    again.write(changes[20:90])
    again.write(changes[90:])
    assert rows(lake) == state
    assert lake.ledgers("a")[-1].rewind == 1


def test_changes_are_put_on_top_of_what_others_were_faster_with(
    lake: FleetLab, monkeypatch: pytest.MonkeyPatch
) -> None:
    create(lake, FORMS["deletion vectors"])
    run = lake.start(1, keys(lake))
    run.write([put(1, "a"), put(2, "b")])
    store = run.fleet._committers[f"{lake.namespace}.a"].store
    append = store.append

    def late(*arguments: Any) -> Any:
        monkeypatch.setattr(store, "append", append)
        lake.sql("INSERT INTO NS.a VALUES (7, 'theirs'), (8, 'theirs')")
        return append(*arguments)

    monkeypatch.setattr(store, "append", late)
    run.write([put(1, "aa"), gone(2), put(7, "ours")])
    assert rows(lake) == {1: "aa", 7: "ours", 8: "theirs"}


def test_a_branch_begins_where_the_table_is(lake: FleetLab) -> None:
    create(lake)
    lake.sql("INSERT INTO NS.a VALUES (1, 'main'), (2, 'main')")
    run = lake.start(1, keys(lake) | {"iceberg.table.a.commit-branch": "dev"})
    run.write([put(1, "dev"), gone(2), put(3, "dev")])
    found = lake.sql("SELECT id, v FROM NS.a.branch_dev ORDER BY id")
    assert found == [[1, "dev"], [3, "dev"]]
    assert rows(lake) == {1: "main", 2: "main"}


def test_upserts_need_no_operation_and_a_table_may_be_made_for_them(lake: FleetLab) -> None:
    upserts = keys(lake) | {
        "iceberg.tables.cdc-field": "",
        "iceberg.tables.upsert-mode-enabled": "true",
        "iceberg.tables.auto-create-enabled": "true",
    }
    run = lake.start(1, upserts)
    run.write([{"id": 1, "v": "a"}, {"id": 2, "v": "b"}])
    run.write([{"id": 2, "v": "bb"}, {"id": 3, "v": "c"}])
    assert rows(lake) == {1: "a", 2: "bb", 3: "c"}
    made = dict(tuple(row) for row in lake.sql("SHOW TBLPROPERTIES NS.a"))
    assert made[MERGE] == "merge-on-read"


@pytest.mark.parametrize("records", [[put(1, "a")], [put(1, "a"), gone(1)]])
def test_a_table_without_a_key_is_refused(lake: FleetLab, records: Sequence[Any]) -> None:
    create(lake)
    wrong = keys(lake) | {"iceberg.tables.default-id-columns": ""}
    with pytest.raises(BadTableError, match="cannot be told apart"):
        lake.start(1, wrong).write(records)


def versioned(number: int, version: int, op: str = "u") -> dict[str, object]:
    return {"id": number, "v": str(version), "n": version, "op": op}


def test_changes_that_come_late_are_left_out_also_after_the_row_was_deleted(lake: FleetLab) -> None:
    create(lake)
    lake.sql("ALTER TABLE NS.a ADD COLUMN n BIGINT")
    by_version = keys(lake) | {"frazil.tables.sequence-field": "n"}
    run = lake.start(1, by_version)
    run.write([versioned(1, 5), versioned(1, 4), versioned(2, 5), versioned(3, 1)])
    run.write([versioned(1, 3), versioned(2, 6, "d"), versioned(3, 2)])
    assert rows(lake) == {1: "5", 3: "2"}
    again = lake.start(2, by_version)
    again.write([versioned(2, 4), versioned(1, 4, "d")])
    assert rows(lake) == {1: "5", 3: "2"}
    again.write([versioned(2, 7), versioned(1, 6, "d")])
    assert rows(lake) == {2: "7", 3: "2"}


def test_in_whatever_order_versions_come_and_however_often_the_highest_stays(
    lake: FleetLab,
) -> None:
    create(lake)
    lake.sql("ALTER TABLE NS.a ADD COLUMN n BIGINT")
    chance = random.Random(7)  # noqa: S311
    stream = [
        versioned(key, version, chance.choice("uud")) for key in range(8) for version in range(1, 9)
    ]
    newest = {record["id"]: record for record in stream}
    shuffled = [*stream, *chance.sample(stream, 20)]
    chance.shuffle(shuffled)
    run = lake.start(1, keys(lake) | {"frazil.tables.sequence-field": "n"})
    for start in range(0, len(shuffled), 21):
        run.write(shuffled[start : start + 21])
    assert rows(lake) == {key: "8" for key, record in newest.items() if record["op"] != "d"}


UNAVAILABLE = "__debezium_unavailable_value"


def test_a_value_that_is_not_available_stays_as_it_was(lake: FleetLab) -> None:
    lake.sql("CREATE TABLE NS.a (id BIGINT NOT NULL, v STRING, w STRING) USING iceberg")
    run = lake.start(1, keys(lake))
    run.write([{"id": 1, "v": "large", "w": "a"}, {"id": 2, "v": "large", "w": "a"}])
    run.write(
        [
            {"id": 1, "v": UNAVAILABLE, "w": "b", "op": "u"},
            {"id": 2, "v": "larger", "w": "b", "op": "u"},
            {"id": 2, "v": UNAVAILABLE, "w": "c", "op": "u"},
            {"id": 3, "v": None, "w": "a", "op": "c"},
            {"id": 3, "v": UNAVAILABLE, "w": "b", "op": "u"},
        ]
    )
    found = lake.sql("SELECT id, v, w FROM NS.a ORDER BY id")
    assert found == [[1, "large", "b"], [2, "larger", "c"], [3, None, "b"]]


def debezium(op: str, before: Any, after: Any) -> dict[str, Any]:
    source = {"schema": "public", "table": "a", "lsn": 1}
    return {"op": op, "ts_ms": 1, "before": before, "after": after, "source": source}


def test_envelopes_of_debezium_end_as_the_table_of_the_database(lake: FleetLab) -> None:
    create(lake)
    unwrapped = keys(lake) | {
        "transforms": "unwrap",
        "transforms.unwrap.type": "io.tabular.iceberg.connect.transforms.DebeziumTransform",
        "iceberg.tables.cdc-field": "_cdc.op",
    }
    one, two, new = ({"id": 1, "v": "a"}, {"id": 2, "v": "b"}, {"id": 5, "v": "a"})
    run = lake.start(1, unwrapped)
    run.write([debezium("r", None, one), debezium("c", None, two)])
    # A key that changes is a deletion, its tombstone, and a new row.
    run.write([debezium("d", {"id": 1}, None), None, debezium("c", None, new)])
    run.write([debezium("u", two, {"id": 2, "v": "bb"})])
    assert rows(lake) == {2: "bb", 5: "a"}

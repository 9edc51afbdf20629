"""Rewinds that take rows back before they are read again: at the end each record is there once."""

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import pytest
from tests.support.fleet_lab import FleetLab, Run
from tests.support.spark import LEAVES_SOCKETS

from frazil.contracts.offsets import Mode, Rewind
from frazil.contracts.redrive import Pick, Redrive
from frazil.control_api.core.proof import Entry, Proof, TableHistory, prove
from frazil.spark_sink.committer import Committer
from frazil.spark_sink.tables.letters import TableOfLetters
from frazil.worker.errors import RewindError, UnavailableError

pytestmark = LEAVES_SOCKETS
BROKEN = b'{"id": 2'


def create(lake: FleetLab, *tables: str, version: int = 2) -> None:
    for table in tables:
        lake.sql(
            f"CREATE TABLE NS.{table} (id BIGINT, kind STRING) USING iceberg "
            f"TBLPROPERTIES ('format-version' = '{version}')"
        )


def listed(lake: FleetLab, *tables: str, **more: str) -> dict[str, str]:
    names = (f"{lake.namespace}.{table}" for table in tables)
    return {"iceberg.tables": ",".join(names), "iceberg.control.commit.threads": "1", **more}


def letters_kept(lake: FleetLab) -> dict[str, str]:
    return {"errors.tolerance": "all", "frazil.dead.letters.table": f"{lake.namespace}.dead"}


def once(offset: int, number: int = 1) -> Rewind:
    return Rewind(number=number, offsets={"t": {0: offset}}, mode=Mode.ONCE)


def read(run: Run, end: int, *, size: int = 5) -> None:
    """Read records, each the row of its offset, up to this one."""
    while run.at < end:
        run.write([{"id": n} for n in range(run.at, min(run.at + size, end))])


def proof(lake: FleetLab, table: str) -> Proof:
    entries = (Entry(n, datetime.now(UTC), one) for n, one in enumerate(lake.ledgers(table)))
    return prove(TableHistory(table, tuple(entries), is_whole=True, rows=None))


def compact(lake: FleetLab, table: str) -> None:
    lake.sql(
        f"CALL lake.system.rewrite_data_files(table => '{lake.namespace}.{table}', "
        "options => map('rewrite-all', 'true'))"
    )


def test_a_rewind_changes_nothing_but_the_ledger(lake: FleetLab) -> None:
    create(lake, "a")
    read(lake.start(1, listed(lake, "a")), 20)
    moved = lake.start(2, listed(lake, "a"), rewind=once(7))
    # The commit of 5 to 9 has 7 in it.
    assert moved.at == 5
    assert lake.ids("a") == [*range(5)]
    undoing = lake.ledgers("a")[-1]
    assert (undoing.undone, undoing.rewind, undoing.start) == (3, 1, {"t": {0: 5}})
    read(moved, 20, size=4)
    assert lake.ids("a") == [*range(20)]
    found = proof(lake, "a")
    assert found.proved
    assert found.jumps == ()
    assert (found.sums.written, found.sums.offsets, found.sums.undone) == (20, 20, 3)


def test_it_happens_once_and_another_takes_its_turn(lake: FleetLab) -> None:
    create(lake, "a")
    keys = listed(lake, "a")
    read(lake.start(1, keys), 10)
    read(lake.start(2, keys, rewind=once(5)), 15)
    assert lake.start(3, keys, rewind=once(5)).at == 15
    read(lake.start(4, keys, rewind=once(0, number=2)), 15, size=6)
    assert lake.ids("a") == [*range(15)]
    assert proof(lake, "a").proved


def test_it_takes_back_what_a_rewind_without_it_has_doubled(lake: FleetLab) -> None:
    create(lake, "a")
    keys = listed(lake, "a")
    read(lake.start(1, keys), 10)
    again = Rewind(number=1, offsets={"t": {0: 3}})
    read(lake.start(2, keys, rewind=again), 10)
    assert len(lake.ids("a")) == 17
    read(lake.start(3, keys, rewind=once(5, number=2)), 10)
    assert lake.ids("a") == [*range(10)]


def test_what_lies_ahead_is_left_out_as_ever(lake: FleetLab) -> None:
    create(lake, "a")
    read(lake.start(1, listed(lake, "a")), 5)
    moved = lake.start(2, listed(lake, "a"), rewind=once(8))
    assert moved.at == 8
    read(moved, 10)
    assert lake.ids("a") == [*range(5), 8, 9]
    assert [jump.wanted for jump in proof(lake, "a").jumps] == ["rewind 1"]


def test_rows_of_others_stay(lake: FleetLab) -> None:
    create(lake, "a")
    read(lake.start(1, listed(lake, "a")), 10)
    other = lake.start(1, listed(lake, "a"), connector="d")
    other.write([{"id": 100}])
    lake.sql("INSERT INTO NS.a VALUES (200, null)")
    read(lake.start(2, listed(lake, "a"), rewind=once(0)), 10)
    assert lake.ids("a") == [*range(10), 100, 200]


def test_a_branch_goes_back_and_the_table_does_not(lake: FleetLab) -> None:
    create(lake, "a")
    keys = listed(lake, "a") | {"iceberg.table.a.commit-branch": "dev"}
    lake.sql("INSERT INTO NS.a VALUES (200, null)")
    read(lake.start(1, keys), 10)
    read(lake.start(2, keys, rewind=once(5)), 10)
    assert lake.ids("a") == [200]
    found = lake.sql("SELECT id FROM NS.a.branch_dev ORDER BY id")
    assert [row[0] for row in found] == [*range(10), 200]


@pytest.mark.parametrize("version", [2, 3])
def test_files_that_were_put_together_go_whole(lake: FleetLab, version: int) -> None:
    create(lake, "a", version=version)
    read(lake.start(1, listed(lake, "a")), 20)
    compact(lake, "a")
    moved = lake.start(2, listed(lake, "a"), rewind=once(0))
    assert lake.ids("a") == []
    read(moved, 20)
    assert lake.ids("a") == [*range(20)]


def refused(lake: FleetLab, why: str, **more: Any) -> None:
    """See that a rewind is refused, and nothing touched."""
    before = lake.sql("SELECT count(*) FROM NS.a.snapshots"), lake.ids("a")
    with pytest.raises(RewindError, match=why):
        lake.start(2, more.pop("keys", listed(lake, "a")), rewind=more.pop("rewind", once(10)))
    assert (lake.sql("SELECT count(*) FROM NS.a.snapshots"), lake.ids("a")) == before


@pytest.mark.parametrize("version", [2, 3])
def test_files_that_have_older_rows_too_are_left_alone(lake: FleetLab, version: int) -> None:
    create(lake, "a", version=version)
    read(lake.start(1, listed(lake, "a")), 20)
    compact(lake, "a")
    refused(lake, "put together in files with older ones.*mode=again")


def test_tables_that_cannot_say_what_is_whose_are_left_alone(lake: FleetLab) -> None:
    create(lake, "a", version=1)
    read(lake.start(1, listed(lake, "a")), 20)
    refused(lake, "format version 1")


def test_rows_that_others_have_changed_are_not_known_again(lake: FleetLab) -> None:
    create(lake, "a")
    read(lake.start(1, listed(lake, "a")), 20)
    lake.sql("UPDATE NS.a SET kind = 'x' WHERE id = 12")
    refused(lake, "Others have changed rows")
    # What came before is no matter.
    run = lake.start(3, listed(lake, "a"))
    read(run, 30)
    read(lake.start(4, listed(lake, "a"), rewind=once(25, number=2)), 30)
    assert lake.ids("a") == [*range(30)]


def test_rows_that_others_have_deleted_come_again(lake: FleetLab) -> None:
    create(lake, "a")
    lake.sql("ALTER TABLE NS.a SET TBLPROPERTIES ('write.delete.mode' = 'merge-on-read')")
    read(lake.start(1, listed(lake, "a")), 20)
    lake.sql("DELETE FROM NS.a WHERE id = 12")
    read(lake.start(2, listed(lake, "a"), rewind=once(10)), 20)
    assert lake.ids("a") == [*range(20)]


def test_what_has_expired_can_no_longer_be_taken_back(lake: FleetLab) -> None:
    create(lake, "a")
    read(lake.start(1, listed(lake, "a")), 20)
    lake.sql(
        f"CALL lake.system.expire_snapshots(table => '{lake.namespace}.a', "
        "older_than => TIMESTAMP '2100-01-01 00:00:00', retain_last => 2)"
    )
    refused(lake, "offset 5 to 9 of t-0: these snapshots have expired.*offset 10 or later",
            rewind=once(5))  # fmt: skip
    read(lake.start(3, listed(lake, "a"), rewind=once(12, number=2)), 20)
    assert lake.ids("a") == [*range(20)]


def test_a_table_of_which_no_commit_is_told_says_so(lake: FleetLab) -> None:
    create(lake, "a")
    read(lake.start(1, listed(lake, "a")), 10)
    compact(lake, "a")
    lake.sql("INSERT INTO NS.a VALUES (200, null)")
    lake.sql(
        f"CALL lake.system.expire_snapshots(table => '{lake.namespace}.a', "
        "older_than => TIMESTAMP '2100-01-01 00:00:00', retain_last => 1)"
    )
    refused(lake, "these snapshots have expired.*offset 10 or later", rewind=once(5))
    assert lake.start(3, listed(lake, "a"), rewind=once(10, number=2)).at == 10


def test_if_one_table_refuses_none_is_touched(lake: FleetLab) -> None:
    create(lake, "a", "b")
    keys = listed(lake, "a", "b")
    read(lake.start(1, keys), 20)
    compact(lake, "b")
    refused(lake, r"\.b were put together", keys=keys)


def killed_at(calls: int, method: Callable[..., Any]) -> Callable[..., Any]:
    """Stand for a method of a worker that is killed there, after so many calls went well."""
    left = calls

    def dying(*args: Any, **more: Any) -> Any:
        nonlocal left
        if left == 0:
            raise UnavailableError("killed here")
        left -= 1
        return method(*args, **more)

    return dying


def routed(lake: FleetLab) -> dict[str, str]:
    return {
        **listed(lake, "a", "b"),
        **letters_kept(lake),
        "iceberg.tables.route-field": "kind",
        "iceberg.table.a.route-regex": "a|both",
        "iceberg.table.b.route-regex": "b|both",
    }


# Records of every kind: for one table, the other, both, none, and broken ones.
KINDS = ["a", "b", "both", "none", None]


def record(offset: int) -> Any:
    kind = KINDS[offset * 7 % 11 % 5]
    return BROKEN if kind is None else {"id": offset, "kind": kind}


def rows_of(table: str, end: int) -> list[int]:
    kinds = {table, "both"}
    return [n for n in range(end) if KINDS[n * 7 % 11 % 5] in kinds]


# Both tables claim, letters are deleted, and their own ledger claims.
@pytest.mark.parametrize(
    ("kind", "method", "calls"),
    [
        *((Committer, "claim", calls) for calls in range(3)),
        (TableOfLetters, "delete_from", 0),
    ],
)
def test_a_worker_that_is_killed_amid_a_rewind_leaves_nothing_undone_or_twice(
    lake: FleetLab, monkeypatch: pytest.MonkeyPatch, kind: type, method: str, calls: int
) -> None:
    create(lake, "a", "b")
    keys, wish, end = routed(lake), once(8), 20

    def go_on(run: Run, size: int) -> None:
        while run.at < end:
            run.write([record(n) for n in range(run.at, min(run.at + size, end))])

    go_on(lake.start(1, keys), 3)
    with monkeypatch.context() as killed:
        killed.setattr(kind, method, killed_at(calls, getattr(kind, method)))
        with pytest.raises(UnavailableError):
            lake.start(2, keys, rewind=wish)
    go_on(lake.start(3, keys, rewind=wish), 4)
    assert (lake.ids("a"), lake.ids("b")) == (rows_of("a", end), rows_of("b", end))
    dead = lake.sql("SELECT offset FROM NS.dead ORDER BY offset")
    assert [row[0] for row in dead] == [n for n in range(end) if record(n) is BROKEN]
    assert proof(lake, "a").proved
    assert proof(lake, "b").proved


def test_a_letter_that_is_a_row_by_now_is_no_letter_any_more(lake: FleetLab) -> None:
    lake.sql("CREATE TABLE NS.a (id BIGINT, v STRING NOT NULL) USING iceberg")
    keys = listed(lake, "a") | letters_kept(lake)
    records = [{"id": 0, "v": "a"}, {"id": 1}, BROKEN, {"id": 3, "v": "b"}]
    lake.start(1, keys).write(records)
    lake.sql("ALTER TABLE NS.a ALTER COLUMN v DROP NOT NULL")
    lake.start(2, keys, rewind=once(0)).write(records)
    assert lake.ids("a") == [0, 1, 3]
    assert lake.sql("SELECT offset FROM NS.dead") == [[2]]


def test_letters_that_became_rows_are_in_the_way(lake: FleetLab) -> None:
    lake.sql("CREATE TABLE NS.a (id BIGINT, v STRING NOT NULL) USING iceberg")
    keys = listed(lake, "a") | letters_kept(lake)
    lake.start(1, keys).write([{"id": 0, "v": "a"}, {"id": 1}])
    lake.sql("ALTER TABLE NS.a ALTER COLUMN v DROP NOT NULL")
    order = Redrive(number=1, picks=(Pick(before=datetime.now(UTC)),))
    lake.start(2, keys, redrive=order)
    with pytest.raises(RewindError, match="Dead letters have become rows"):
        lake.start(3, keys, rewind=once(0))
    assert lake.ids("a") == [0, 1]


def test_where_records_change_rows_nothing_has_to_be_taken_back(lake: FleetLab) -> None:
    create(lake, "a")
    keys = listed(lake, "a") | {
        "iceberg.tables.upsert-mode-enabled": "true",
        "iceberg.tables.default-id-columns": "id",
    }
    read(lake.start(1, keys), 10)
    moved = lake.start(2, keys, rewind=once(7))
    assert (moved.at, lake.ids("a")) == (7, [*range(10)])
    read(moved, 10)
    assert lake.ids("a") == [*range(10)]


def test_a_table_that_was_paused_meanwhile_goes_back_when_it_is_there_again(
    lake: FleetLab,
) -> None:
    create(lake, "a", "b")
    keys, wish = listed(lake, "a", "b"), once(5)
    read(lake.start(1, keys), 10)
    read(lake.start(2, keys, rewind=wish, paused=["b"]), 15)
    assert (lake.ids("a"), lake.ids("b")) == ([*range(15)], [*range(10)])
    back = lake.start(3, keys, rewind=wish)
    assert (back.at, lake.ids("b")) == (5, [*range(5)])
    read(back, 15)
    assert lake.ids("a") == lake.ids("b") == [*range(15)]


def test_a_table_that_no_record_has_created_yet_has_nothing_to_take_back(lake: FleetLab) -> None:
    keys = listed(lake, "a") | {"iceberg.tables.auto-create-enabled": "true"}
    moved = lake.start(1, keys, rewind=once(3))
    assert moved.at == 3
    read(moved, 5)
    assert lake.ids("a") == [3, 4]


def test_a_table_that_records_name_is_not_known_in_time(lake: FleetLab) -> None:
    keys = {
        "iceberg.tables.dynamic-enabled": "true",
        "iceberg.tables.route-field": "kind",
        "iceberg.tables.auto-create-enabled": "true",
    }
    values = [{"id": 1, "kind": f"{lake.namespace}.a"}]
    lake.start(1, keys).write(values)
    moved = lake.start(2, keys, rewind=once(0), group={"t": {0: 0}})
    with pytest.raises(RewindError, match="is named by records"):
        moved.write(values)
    assert lake.ids("a") == [1]

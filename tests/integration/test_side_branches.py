"""Rewinds into a side branch: nobody sees anything of it until it is published."""

from collections.abc import Callable
from typing import Any

import pytest
from tests.support.fleet_lab import FleetLab, Run
from tests.support.spark import LEAVES_SOCKETS

from frazil.contracts.offsets import Ending, Mode, Rewind
from frazil.spark_sink.committer import Committer
from frazil.spark_sink.tables.side import Sides
from frazil.spark_sink.tables.table import TableStore
from frazil.worker.errors import (
    BadConfigError,
    RewindError,
    SupersededError,
    UnavailableError,
)

pytestmark = LEAVES_SOCKETS
SIDE = "rewind_1"


def create(lake: FleetLab, *tables: str, **properties: str) -> None:
    told = ", ".join(f"'{name}' = '{text}'" for name, text in properties.items())
    for table in tables:
        lake.sql(
            f"CREATE TABLE NS.{table} (id BIGINT, kind STRING) USING iceberg "
            f"TBLPROPERTIES ('format-version' = '2'{', ' + told if told else ''})"
        )


def listed(lake: FleetLab, *tables: str, **more: str) -> dict[str, str]:
    names = (f"{lake.namespace}.{table}" for table in tables)
    return {"iceberg.tables": ",".join(names), "iceberg.control.commit.threads": "1", **more}


def aside(offset: int, number: int = 1, ending: Ending | None = None) -> Rewind:
    return Rewind(
        number=number, offsets={"t": {0: offset}}, mode=Mode.BRANCH, branch=f"rewind_{number}",
        ending=ending, ended=number + 1 if ending else 0,
    )  # fmt: skip


def read(run: Run, end: int, *, kind: str = "new", size: int = 5) -> None:
    """Read records, each the row of its offset, up to this one."""
    while run.at < end:
        run.write([{"id": n, "kind": kind} for n in range(run.at, min(run.at + size, end))])


def rows(lake: FleetLab, table: str = "a", branch: str = "main") -> list[Any]:
    found = lake.sql(f"SELECT id, kind FROM NS.{table} VERSION AS OF '{branch}' ORDER BY id, kind")
    return [tuple(row) for row in found]


def made(start: int, end: int, kind: str) -> list[tuple[int, str]]:
    return [(n, kind) for n in range(start, end)]


def refs(lake: FleetLab, table: str = "a") -> set[str]:
    return {row[0] for row in lake.sql(f"SELECT name FROM NS.{table}.refs")}


def test_readers_of_the_table_see_nothing_until_it_is_published(lake: FleetLab) -> None:
    create(lake, "a")
    keys = listed(lake, "a")
    read(lake.start(1, keys), 20, kind="old")
    moved = lake.start(2, keys, rewind=aside(7))
    assert moved.at == 5
    assert (rows(lake), rows(lake, branch=SIDE)) == (made(0, 20, "old"), made(0, 5, "old"))
    assert moved.fleet.tables[f"{lake.namespace}.a"].branch == SIDE
    read(moved, 20)
    again = lake.start(3, keys, rewind=aside(7))
    assert again.at == 20
    read(again, 30)
    assert rows(lake) == made(0, 20, "old")
    after = made(0, 5, "old") + made(5, 30, "new")
    assert rows(lake, branch=SIDE) == after
    public = lake.start(4, keys, rewind=aside(7, ending=Ending.PUBLISH))
    assert (public.at, rows(lake), refs(lake)) == (30, after, {"main", "frazil-c"})
    assert public.fleet.tables[f"{lake.namespace}.a"].branch is None
    read(public, 35)
    assert rows(lake) == after + made(30, 35, "new")
    assert lake.start(5, keys, rewind=aside(7, ending=Ending.PUBLISH)).at == 35


def test_what_is_dropped_has_never_been(lake: FleetLab) -> None:
    create(lake, "a")
    keys = listed(lake, "a")
    read(lake.start(1, keys), 20, kind="old")
    read(lake.start(2, keys, rewind=aside(7)), 30)
    back = lake.start(3, keys, rewind=aside(7, ending=Ending.DROP))
    assert (back.at, rows(lake), refs(lake)) == (20, made(0, 20, "old"), {"main", "frazil-c"})
    read(back, 25, kind="old")
    assert lake.start(4, keys, rewind=aside(7, ending=Ending.DROP)).at == 25
    read(lake.start(5, keys, rewind=aside(22, number=9)), 30)
    assert rows(lake, branch="rewind_9") == made(0, 20, "old") + made(20, 30, "new")
    assert rows(lake) == made(0, 25, "old")


def killed_at(calls: int, method: Callable[..., Any], *, after: bool) -> Callable[..., Any]:
    """Stand for a method of a worker that is killed before or after so many calls of it."""
    left = calls

    def dying(*args: Any, **more: Any) -> Any:
        nonlocal left
        done = method(*args, **more) if left or after else None
        if left == 0:
            raise UnavailableError("killed here")
        left -= 1
        return done

    return dying


MOMENTS = [
    (kind, name, calls, after)
    for kind, name in ((Committer, "claim"), (TableStore, "end_sides"))
    for calls in range(2)
    for after in (False, True)
]


@pytest.mark.parametrize("ending", [Ending.PUBLISH, Ending.DROP])
@pytest.mark.parametrize(("kind", "name", "calls", "after"), MOMENTS)
def test_a_worker_that_is_killed_at_any_step_leaves_nothing_undone_or_twice(
    lake: FleetLab,
    monkeypatch: pytest.MonkeyPatch,
    kind: type,
    name: str,
    calls: int,
    after: bool,
    ending: Ending,
) -> None:
    create(lake, "a", "b")
    keys, open_, end = listed(lake, "a", "b"), aside(7), aside(7, ending=ending)
    read(lake.start(1, keys), 15, kind="old")

    def killed(epoch: int, rewind: Rewind) -> None:
        with monkeypatch.context() as moment:
            moment.setattr(kind, name, killed_at(calls, getattr(kind, name), after=after))
            with pytest.raises(UnavailableError):
                lake.start(epoch, keys, rewind=rewind)

    killed(2, open_)
    read(lake.start(3, keys, rewind=open_), 15)
    killed(4, end)
    read(lake.start(5, keys, rewind=end), 20)
    before = 5 if ending is Ending.PUBLISH else 15
    for table in ("a", "b"):
        assert rows(lake, table) == made(0, before, "old") + made(before, 20, "new")
        assert refs(lake, table) == {"main", "frazil-c"}


def test_what_others_have_committed_meanwhile_is_not_left_out(lake: FleetLab) -> None:
    create(lake, "a", "b")
    keys, publish = listed(lake, "a", "b"), aside(5, ending=Ending.PUBLISH)
    read(lake.start(1, keys), 10, kind="old")
    read(lake.start(2, keys, rewind=aside(5)), 15)
    began = lake.sql("SELECT snapshot_id FROM NS.b.refs WHERE name = 'main'")[0][0]
    lake.sql("INSERT INTO NS.b VALUES (200, 'theirs')")
    with pytest.raises(RewindError, match=f"{lake.namespace}.b since .*snapshot {began}.*Roll"):
        lake.start(3, keys, rewind=publish)
    # None of the tables is published if one cannot be.
    assert rows(lake) == made(0, 10, "old")
    assert SIDE in refs(lake) & refs(lake, "b")
    name = f"{lake.namespace}.b"
    lake.sql(f"CALL lake.system.rollback_to_snapshot('{name}', {began})")
    assert lake.start(4, keys, rewind=publish).at == 15
    assert rows(lake) == rows(lake, "b") == made(0, 5, "old") + made(5, 15, "new")


def test_one_that_cannot_be_published_can_be_dropped(lake: FleetLab) -> None:
    create(lake, "a")
    keys = listed(lake, "a")
    read(lake.start(1, keys), 10, kind="old")
    read(lake.start(2, keys, rewind=aside(5)), 15)
    lake.sql("INSERT INTO NS.a VALUES (200, 'theirs')")
    with pytest.raises(RewindError, match="would be left out"):
        lake.start(3, keys, rewind=aside(5, ending=Ending.PUBLISH))
    read(lake.start(4, keys, rewind=aside(5, ending=Ending.DROP)), 15, kind="old")
    assert rows(lake) == [*made(0, 15, "old"), (200, "theirs")]


def test_someone_who_commits_while_it_is_published_is_seen(
    lake: FleetLab, monkeypatch: pytest.MonkeyPatch
) -> None:
    create(lake, "a")
    keys = listed(lake, "a")
    read(lake.start(1, keys), 10, kind="old")
    read(lake.start(2, keys, rewind=aside(5)), 15)
    publish = Sides._publish

    def overtaken(sides: Sides, snapshots: Any, side: Any) -> None:
        publish(sides, snapshots, side)
        monkeypatch.undo()
        lake.sql("INSERT INTO NS.a VALUES (200, 'theirs')")

    monkeypatch.setattr(Sides, "_publish", overtaken)
    with pytest.raises(RewindError, match="would be left out"):
        lake.start(3, keys, rewind=aside(5, ending=Ending.PUBLISH))
    assert (200, "theirs") in rows(lake)
    assert SIDE in refs(lake)


@pytest.mark.parametrize("ending", [Ending.PUBLISH, Ending.DROP])
def test_an_older_driver_begins_no_branch_anew(lake: FleetLab, ending: Ending) -> None:
    create(lake, "a")
    keys = listed(lake, "a")
    read(lake.start(1, keys), 10, kind="old")
    older = lake.start(2, keys, rewind=aside(5))
    read(older, 15)
    lake.start(3, keys, rewind=aside(5, ending=ending))
    with pytest.raises(SupersededError):
        read(older, 20)
    assert refs(lake) == {"main", "frazil-c"}


def test_an_older_driver_that_starts_late_leaves_a_branch_to_the_newer(lake: FleetLab) -> None:
    create(lake, "a")
    keys = listed(lake, "a")
    read(lake.start(1, keys), 10, kind="old")
    newer = lake.start(3, keys, rewind=aside(5, number=2))
    lake.start(2, keys, rewind=aside(5, ending=Ending.DROP))
    read(newer, 15)
    assert "rewind_2" in refs(lake)


def test_a_branch_of_somebody_else_is_left_alone(lake: FleetLab) -> None:
    create(lake, "a")
    keys = listed(lake, "a")
    read(lake.start(1, keys), 10, kind="old")
    lake.sql(f"ALTER TABLE NS.a CREATE BRANCH {SIDE}")
    with pytest.raises(RewindError, match="has a branch rewind_1 already"):
        lake.start(2, keys, rewind=aside(5))
    read(lake.start(3, keys, rewind=aside(5, ending=Ending.DROP)), 15, kind="old")
    assert SIDE in refs(lake)
    assert rows(lake) == made(0, 15, "old")


def test_what_a_rewind_has_left_that_is_wanted_no_more_goes(
    lake: FleetLab, monkeypatch: pytest.MonkeyPatch
) -> None:
    create(lake, "a", "b")
    keys = listed(lake, "a", "b")
    read(lake.start(1, keys), 10, kind="old")
    with monkeypatch.context() as moment:
        moment.setattr(Committer, "claim", killed_at(0, Committer.claim, after=True))
        with pytest.raises(UnavailableError):
            lake.start(2, keys, rewind=aside(5))
    once = Rewind(number=3, offsets={"t": {0: 5}}, mode=Mode.ONCE)
    read(lake.start(3, keys, rewind=once), 10)
    assert rows(lake) == rows(lake, "b") == made(0, 5, "old") + made(5, 10, "new")
    assert refs(lake) | refs(lake, "b") == {"main", "frazil-c"}


def test_no_expiry_comes_between_a_branch_and_where_it_began(lake: FleetLab) -> None:
    create(lake, "a", **{"history.expire.max-ref-age-ms": "1"})
    keys = listed(lake, "a")
    read(lake.start(1, keys), 10, kind="old")
    read(lake.start(2, keys, rewind=aside(5)), 25)
    lake.sql(
        f"CALL lake.system.expire_snapshots(table => '{lake.namespace}.a', "
        "older_than => TIMESTAMP '2100-01-01 00:00:00', retain_last => 1)"
    )
    assert lake.start(3, keys, rewind=aside(5)).at == 25
    assert lake.start(4, keys, rewind=aside(5, ending=Ending.PUBLISH)).at == 25
    assert rows(lake) == made(0, 5, "old") + made(5, 25, "new")


def test_files_may_be_put_together_in_it(lake: FleetLab) -> None:
    create(lake, "a")
    keys = listed(lake, "a")
    read(lake.start(1, keys), 10, kind="old")
    read(lake.start(2, keys, rewind=aside(5)), 25)
    lake.sql(
        f"CALL lake.system.rewrite_data_files(table => '{lake.namespace}.a', "
        f"options => map('rewrite-all', 'true'), branch => '{SIDE}')"
    )
    read(lake.start(3, keys, rewind=aside(5)), 30)
    lake.start(4, keys, rewind=aside(5, ending=Ending.PUBLISH))
    assert rows(lake) == made(0, 5, "old") + made(5, 30, "new")


@pytest.mark.parametrize("ending", [Ending.PUBLISH, Ending.DROP])
def test_where_records_change_rows_they_change_those_of_the_branch(
    lake: FleetLab, ending: Ending
) -> None:
    create(lake, "a")
    keys = listed(lake, "a") | {
        "iceberg.tables.upsert-mode-enabled": "true",
        "iceberg.tables.default-id-columns": "id",
    }
    read(lake.start(1, keys), 10, kind="old")
    moved = lake.start(2, keys, rewind=aside(7))
    assert moved.at == 7
    read(moved, 15)
    assert rows(lake) == made(0, 10, "old")
    assert rows(lake, branch=SIDE) == made(0, 7, "old") + made(7, 15, "new")
    read(lake.start(3, keys, rewind=aside(7, ending=ending)), 20)
    first = 7 if ending is Ending.PUBLISH else 10
    assert rows(lake) == made(0, first, "old") + made(first, 20, "new")


@pytest.mark.parametrize("ending", [Ending.PUBLISH, Ending.DROP])
def test_it_begins_and_ends_where_the_keys_have_rows_go(lake: FleetLab, ending: Ending) -> None:
    create(lake, "a")
    lake.sql("INSERT INTO NS.a VALUES (200, 'theirs')")
    keys = listed(lake, "a", **{"iceberg.table.a.commit-branch": "dev"})
    read(lake.start(1, keys), 10, kind="old")
    read(lake.start(2, keys, rewind=aside(5)), 15)
    read(lake.start(3, keys, rewind=aside(5, ending=ending)), 20)
    first, theirs = (5 if ending is Ending.PUBLISH else 10), (200, "theirs")
    expected = made(0, first, "old") + made(first, 20, "new")
    assert (rows(lake, branch="dev"), rows(lake)) == ([*expected, theirs], [theirs])
    assert refs(lake) == {"main", "dev", "frazil-c"}


@pytest.mark.parametrize("ending", [Ending.PUBLISH, Ending.DROP])
def test_a_table_that_is_new_meanwhile_begins_in_the_branch(lake: FleetLab, ending: Ending) -> None:
    create(lake, "a")
    keys = listed(lake, "a", "b", **{"iceberg.tables.auto-create-enabled": "true"})
    read(lake.start(1, listed(lake, "a")), 10, kind="old")
    read(lake.start(2, keys, rewind=aside(5)), 15)
    assert lake.sql("SELECT count(*) FROM NS.b") == [[0]]
    found = rows(lake, "b", SIDE)
    assert found[-10:] == made(5, 15, "new")
    lake.start(3, keys, rewind=aside(5, ending=ending))
    left = found if ending is Ending.PUBLISH else []
    assert lake.sql("SELECT id, kind FROM NS.b ORDER BY id") == [list(row) for row in left]
    assert SIDE not in refs(lake, "b")


def test_a_table_that_was_paused_meanwhile_is_read_again_where_it_stands(lake: FleetLab) -> None:
    create(lake, "a", "b")
    keys, publish = listed(lake, "a", "b"), aside(5, ending=Ending.PUBLISH)
    read(lake.start(1, keys), 10, kind="old")
    read(lake.start(2, keys, rewind=aside(5), paused=["b"]), 15)
    read(lake.start(3, keys, rewind=publish, paused=["b"]), 20)
    assert rows(lake, "b") == made(0, 10, "old")
    back = lake.start(4, keys, rewind=publish)
    assert back.at == 5
    read(back, 20)
    assert rows(lake) == rows(lake, "b") == made(0, 5, "old") + made(5, 20, "new")


def test_what_the_keys_say_by_now_may_leave_no_room_for_it(lake: FleetLab) -> None:
    create(lake, "a")
    keys = listed(lake, "a")
    read(lake.start(1, keys), 10)
    lake.start(2, keys, rewind=aside(5))
    later = keys | {
        "frazil.dead.letters.table": f"{lake.namespace}.dead",
        "errors.tolerance": "all",
    }
    with pytest.raises(BadConfigError, match="until it is published or dropped, and letters in"):
        lake.start(3, later, rewind=aside(5))
    assert lake.start(4, later, rewind=aside(5, ending=Ending.DROP)).at == 10


def test_what_nobody_remembers_is_left_alone(lake: FleetLab) -> None:
    create(lake, "a")
    keys = listed(lake, "a")
    read(lake.start(1, keys), 10, kind="old")
    read(lake.start(2, keys, rewind=aside(5)), 15)
    assert lake.start(3, keys).at == 10
    assert SIDE in refs(lake)

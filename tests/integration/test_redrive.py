"""Dead letters tried again after a fix: each is a row at most once, and none is lost."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from tests.support.fleet_lab import FleetLab
from tests.support.spark import LEAVES_SOCKETS

from frazil.contracts.redrive import Pick, Redrive
from frazil.spark_sink.committer import Committer
from frazil.spark_sink.counts import BatchCounts
from frazil.spark_sink.tables.letters import TableOfLetters
from frazil.worker.errors import UnavailableError

pytestmark = LEAVES_SOCKETS
BROKEN = b'{"id": 2'


def keys(lake: FleetLab, *tables: str, **more: str) -> dict[str, str]:
    return {
        "iceberg.tables": ",".join(f"{lake.namespace}.{table}" for table in tables or "a"),
        "errors.tolerance": "all",
        "frazil.dead.letters.table": f"{lake.namespace}.dead",
        **more,
    }


def order(number: int = 1, **pick: Any) -> Redrive:
    return Redrive(number=number, picks=(Pick(before=datetime.now(UTC), **pick),))


def letters(lake: FleetLab, columns: str = "offset") -> list[object]:
    found = lake.sql(f"SELECT {columns} FROM NS.dead ORDER BY connector, table, offset")
    return [row[0] if len(row) == 1 else tuple(row) for row in found]


def refuse(lake: FleetLab, *tables: str, **more: str) -> None:
    """Have tables refuse two records without a value, and one that nobody can read; then mend."""
    for table in tables or "a":
        lake.sql(f"CREATE TABLE NS.{table} (id BIGINT, v STRING NOT NULL) USING iceberg")
    run = lake.start(1, keys(lake, *tables, **more))
    run.write([{"id": 0, "v": "a"}, {"id": 1}, BROKEN, {"id": 3}])
    for table in tables or "a":
        assert lake.ids(table) == [0]
        lake.sql(f"ALTER TABLE NS.{table} ALTER COLUMN v DROP NOT NULL")


def test_what_can_be_a_row_by_now_is_one_and_the_rest_stays(lake: FleetLab) -> None:
    refuse(lake)
    run = lake.start(2, keys(lake), redrive=order())
    assert (run.redriven, run.at) == (2, 4)
    assert lake.ids("a") == [0, 1, 3]
    assert letters(lake, "offset, reason") == [(2, "converter")]
    newest = lake.ledgers("a")[-1]
    assert (newest.redrive, newest.redriven, newest.consumed, newest.written) == (1, 2, 0, 0)
    assert newest.start == newest.end == {"t": {0: 4}}
    run.write([{"id": 4, "v": "b"}])
    assert lake.ids("a") == [0, 1, 3, 4]


def test_an_order_is_carried_out_once(lake: FleetLab) -> None:
    refuse(lake)
    once = order()
    lake.start(2, keys(lake), redrive=once)
    again = lake.start(3, keys(lake), redrive=once)
    assert (again.redriven, again.at) == (0, 4)
    assert lake.ids("a") == [0, 1, 3]
    # A later one finds what was put away since.
    again.write([BROKEN])
    lake.start(4, keys(lake), redrive=order(2))
    assert letters(lake) == [2, 4]


def test_a_worker_that_ends_before_letters_are_taken_away_does_not_repeat_rows(
    lake: FleetLab, monkeypatch: pytest.MonkeyPatch
) -> None:
    refuse(lake)
    once = order()

    def fail(*_: object) -> None:
        raise UnavailableError("killed here")

    with monkeypatch.context() as killed:
        killed.setattr(TableOfLetters, "delete", fail)
        with pytest.raises(UnavailableError):
            lake.start(2, keys(lake), redrive=once)
    assert lake.ids("a") == [0, 1, 3]
    assert lake.start(3, keys(lake), redrive=once).redriven == 0
    assert lake.ids("a") == [0, 1, 3]
    assert letters(lake) == [2]


def test_a_worker_that_ends_before_the_rows_are_there_loses_none(
    lake: FleetLab, monkeypatch: pytest.MonkeyPatch
) -> None:
    refuse(lake)
    once = order()
    put_back = Committer.put_back

    def fail(self: Committer, files: list[Any], found: BatchCounts, number: int) -> None:
        if self.store.name.endswith(".a"):
            raise UnavailableError("killed here")
        put_back(self, files, found, number)

    with monkeypatch.context() as killed:
        killed.setattr(Committer, "put_back", fail)
        with pytest.raises(UnavailableError):
            lake.start(2, keys(lake), redrive=once)
    assert lake.ids("a") == [0]
    assert lake.start(3, keys(lake), redrive=once).redriven == 2
    assert lake.ids("a") == [0, 1, 3]
    assert letters(lake) == [2]


def test_letters_are_picked_by_reason_by_table_and_by_time(lake: FleetLab) -> None:
    refuse(lake, "a", "b")
    a, b = (f"{lake.namespace}.{table}" for table in "ab")
    config = keys(lake, "a", "b")
    assert lake.start(2, config, redrive=order(1, reason="converter")).redriven == 0
    early = Pick(before=datetime.now(UTC) - timedelta(hours=1))
    assert lake.start(3, config, redrive=Redrive(number=2, picks=(early,))).redriven == 0
    assert lake.start(4, config, redrive=order(3, table=b)).redriven == 2
    assert (lake.ids("a"), lake.ids("b")) == ([0], [0, 1, 3])
    assert letters(lake, "table, offset") == [(a, 1), (a, 2), (a, 3), (b, 2)]


def test_letters_of_other_connectors_are_left_alone(lake: FleetLab) -> None:
    refuse(lake)
    lake.sql("CREATE TABLE NS.b (id BIGINT) USING iceberg")
    other = lake.start(1, keys(lake, "b"), connector="d")
    other.write([BROKEN])
    lake.start(2, keys(lake), redrive=order())
    assert letters(lake, "connector, offset") == [("c", 2), ("d", 0)]


def test_what_could_not_say_its_table_may_by_now(lake: FleetLab) -> None:
    lake.sql("CREATE TABLE NS.a (id BIGINT, kind STRING) USING iceberg")
    lake.sql("CREATE TABLE NS.b (id BIGINT, kind STRING) USING iceberg")
    config = keys(lake, "a", "b") | {
        "iceberg.tables.route-field": "kind",
        "iceberg.table.a.route-regex": "a",
        "iceberg.table.b.route-regex": "b",
    }
    run = lake.start(1, config)
    run.write([{"id": 0, "kind": "a"}, {"id": 1, "kind": "b"}, BROKEN, BROKEN])
    assert letters(lake, "table, offset") == [(None, 2), (None, 3)]
    # A person may also correct the bytes.
    mended = '{"id": 2, "kind": "b"}'
    lake.sql(f"UPDATE NS.dead SET value = CAST('{mended}' AS BINARY) WHERE offset = 2")
    assert lake.start(2, config, redrive=order()).redriven == 1
    assert (lake.ids("a"), lake.ids("b")) == ([0], [1, 2])
    assert letters(lake, "table, offset") == [(None, 3)]


def test_what_is_for_a_table_that_is_left_out_waits_for_it_and_for_no_other(
    lake: FleetLab,
) -> None:
    lake.sql("CREATE TABLE NS.a (id BIGINT, kind STRING) USING iceberg")
    lake.sql("CREATE TABLE NS.b (id BIGINT, kind STRING) USING iceberg")
    config = keys(lake, "a", "b") | {
        "iceberg.tables.route-field": "kind",
        "iceberg.table.a.route-regex": "a|both",
        "iceberg.table.b.route-regex": "b|both",
    }
    lake.start(1, config).write([{"id": 0, "kind": "both"}, BROKEN])
    mended = '{"id": 1, "kind": "both"}'
    lake.sql(f"UPDATE NS.dead SET value = CAST('{mended}' AS BINARY)")
    assert lake.start(2, config, redrive=order(1), paused=["b"]).redriven == 1
    assert letters(lake, "table, offset") == [(f"{lake.namespace}.b", 1)]
    assert lake.start(3, config, redrive=order(2)).redriven == 1
    assert lake.ids("a") == lake.ids("b") == [0, 1]
    assert letters(lake) == []


def test_a_change_that_comes_late_undoes_nothing_newer(lake: FleetLab) -> None:
    lake.sql("CREATE TABLE NS.a (id BIGINT NOT NULL, v STRING NOT NULL, n BIGINT) USING iceberg")
    config = keys(lake) | {
        "iceberg.tables.upsert-mode-enabled": "true",
        "iceberg.tables.default-id-columns": "id",
        "frazil.tables.sequence-field": "n",
    }
    run = lake.start(1, config)
    run.write([{"id": 1, "v": "a", "n": 1}, {"id": 1, "n": 2}, {"id": 2, "n": 3}])
    run.write([{"id": 1, "v": "newest", "n": 4}])
    lake.sql("ALTER TABLE NS.a ALTER COLUMN v DROP NOT NULL")
    lake.start(2, config, redrive=order())
    assert lake.sql("SELECT id, v, n FROM NS.a ORDER BY id") == [[1, "newest", 4], [2, None, 3]]
    assert letters(lake) == []


def test_without_letters_there_is_nothing_to_do(lake: FleetLab) -> None:
    lake.sql("CREATE TABLE NS.a (id BIGINT, v STRING) USING iceberg")
    run = lake.start(1, keys(lake), redrive=order())
    assert run.redriven == 0
    run.write([{"id": 1, "v": "a"}])
    assert lake.ids("a") == [1]

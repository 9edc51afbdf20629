"""Tables are looked after beside the stream: better to read, and with the same rows; no broker."""

import os
import threading
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from tests.support.fleet_lab import FleetLab, Run
from tests.support.lab import wait_until
from tests.support.spark import LEAVES_SOCKETS

from frazil.contracts.offsets import Rewind
from frazil.spark_sink.core.maintenance import Objectives
from frazil.spark_sink.maintainer import Maintainer
from frazil.spark_sink.tables.lake import Lake
from frazil.spark_sink.tables.maintenance import TableMaintenance
from frazil.worker.errors import BadTableError

pytestmark = LEAVES_SOCKETS
MERGED = "'write.merge.mode'='merge-on-read'"


def maintenance(
    lake: FleetLab,
    *,
    branch: str = "main",
    changes: bool = False,
    snapshots: int | None = None,
    history: timedelta | None = None,
    orphan_age: timedelta | None = None,
    stream: Any = None,
) -> TableMaintenance:
    return TableMaintenance(
        lake.spark,
        Lake(lake.spark, "lake"),
        f"{lake.namespace}.a",
        branch=branch,
        changes=changes,
        objectives=Objectives(64 * 1024, history, snapshots, orphan_age, budget=1.0),
        stream=stream or threading.Lock(),
    )


def create(lake: FleetLab, *properties: str, partitioned: str = "") -> None:
    listed = f" TBLPROPERTIES ({', '.join(properties)})" if properties else ""
    lake.sql(f"CREATE TABLE NS.a (id BIGINT, v STRING) USING iceberg {partitioned}{listed}")


def fill(run: Run, count: int, *, each: int = 1) -> None:
    for _ in range(count):
        run.write([{"id": run.at + number, "v": "v"} for number in range(each)])


def files(lake: FleetLab, branch: str = "main") -> int:
    (row,) = lake.sql(f"SELECT count(*) FROM NS.a.files VERSION AS OF '{branch}'")
    return int(row[0])


def operations(lake: FleetLab) -> list[str]:
    found = lake.sql("SELECT operation FROM NS.a.snapshots ORDER BY committed_at")
    return [operation for (operation,) in found]


def listed(lake: FleetLab) -> dict[str, str]:
    return {"iceberg.tables": f"{lake.namespace}.a"}


def test_small_files_are_put_together_and_the_connector_goes_on(lake: FleetLab) -> None:
    create(lake)
    run = lake.start(1, listed(lake))
    fill(run, 7)
    kept = maintenance(lake)
    assert not kept.turn()
    fill(run, 1)
    # Seen again only once enough has come.
    assert kept.turn() is False
    fill(run, 7)
    assert kept.turn()
    assert (files(lake), operations(lake)[-1]) == (1, "replace")
    assert kept.status.merged_files == 15
    fill(run, 1)
    assert lake.ids("a") == list(range(16))
    assert lake.start(2, listed(lake)).at == 16


def test_partitions_are_kept_apart(lake: FleetLab) -> None:
    create(lake, partitioned="PARTITIONED BY (truncate(id, 100))")
    run = lake.start(1, listed(lake))
    for _ in range(8):
        run.write([{"id": run.at}, {"id": 100 + run.at}])
    assert maintenance(lake).turn()
    assert files(lake) == 2


def test_what_is_committed_meanwhile_is_not_in_the_way(lake: FleetLab) -> None:
    create(lake)
    run = lake.start(1, listed(lake))
    fill(run, 20)
    kept = maintenance(lake)
    beside = threading.Thread(target=fill, args=(run, 6))
    beside.start()
    assert kept.turn()
    beside.join()
    fill(run, 1)
    assert lake.ids("a") == list(range(27))
    assert "replace" in operations(lake)


def test_a_branch_is_put_together_too(lake: FleetLab) -> None:
    create(lake)
    lake.sql("INSERT INTO NS.a VALUES (100, 'main')")
    run = lake.start(1, listed(lake) | {"iceberg.table.a.commit-branch": "dev"})
    fill(run, 9)
    assert maintenance(lake, branch="dev").turn()
    assert (files(lake, "dev"), files(lake)) == (1, 1)
    assert lake.sql("SELECT count(*) FROM NS.a.branch_dev") == [[10]]
    assert lake.ids("a") == [100]


@pytest.mark.parametrize("version", [2, 3])
def test_deleted_rows_are_taken_out_of_files(lake: FleetLab, version: int) -> None:
    create(lake, f"'format-version'='{version}'", MERGED)
    keys = listed(lake) | {
        "iceberg.tables.cdc-field": "op",
        "iceberg.tables.default-id-columns": "id",
    }
    run = lake.start(1, keys)
    run.write([{"id": number, "v": "old", "op": "c"} for number in range(100)])
    run.write([{"id": number, "op": "d"} for number in range(30)])
    kept = maintenance(lake, changes=True)
    assert kept.turn()
    (summary,) = lake.sql(
        "SELECT summary['total-position-deletes'] FROM NS.a.snapshots "
        "ORDER BY committed_at DESC LIMIT 1"
    )
    assert summary == ["0"]
    run.write([{"id": 50, "v": "new", "op": "u"}, {"id": 51, "op": "d"}])
    assert lake.ids("a") == [30 + number for number in range(70) if number != 21]
    assert lake.sql("SELECT v FROM NS.a WHERE id = 50") == [["new"]]


def test_changes_wait_for_what_rewrites_their_files(lake: FleetLab) -> None:
    create(lake, MERGED)
    keys = listed(lake) | {
        "iceberg.tables.upsert-mode-enabled": "true",
        "iceberg.tables.default-id-columns": "id",
    }
    fill(lake.start(1, keys), 8)
    stream = threading.Lock()
    kept = maintenance(lake, changes=True, stream=stream)
    beside = threading.Thread(target=kept.turn)
    with stream:
        beside.start()
        beside.join(timeout=10)
        assert beside.is_alive()
        assert "replace" not in operations(lake)
    beside.join()
    assert "replace" in operations(lake)


def test_old_snapshots_expire_and_the_position_is_kept(lake: FleetLab) -> None:
    create(lake)
    run = lake.start(1, listed(lake))
    fill(run, 12)
    kept = maintenance(lake, snapshots=4)
    while kept.turn():
        pass
    fill(run, 5)
    while kept.turn():
        pass
    assert len(operations(lake)) <= 5
    assert kept.status.snapshots == len(operations(lake))
    assert kept.status.expired_snapshots == 18 - len(operations(lake))
    # Of the twelve that were put together no snapshot knows any more.
    assert len(list(data_files(lake))) == files(lake) == 6
    assert lake.ids("a") == list(range(17))
    assert lake.start(2, listed(lake)).at == 17


def test_history_is_as_long_as_it_is_wanted(lake: FleetLab) -> None:
    create(lake)
    fill(lake.start(1, listed(lake)), 3)
    assert not maintenance(lake, history=timedelta(hours=1)).turn()
    kept = maintenance(lake, history=timedelta(0))
    assert kept.turn()
    # The tag holds the newest ledger, which is the head too.
    assert len(operations(lake)) == 1
    assert not kept.turn()


def test_manifests_are_put_together(lake: FleetLab) -> None:
    create(lake, "'commit.manifest-merge.enabled'='false'")
    run = lake.start(1, listed(lake))
    fill(run, 30)
    kept = maintenance(lake)
    assert kept.turn()
    assert lake.sql("SELECT count(*) FROM NS.a.manifests") == [[1]]
    assert kept.status.manifests == 30
    fill(run, 1)
    assert lake.ids("a") == list(range(31))


def data_files(lake: FleetLab) -> Iterator[Path]:
    (location,) = lake.sql("SELECT file FROM NS.a.metadata_log_entries LIMIT 1")
    yield from (Path(location[0].removeprefix("file:")).parent.parent / "data").glob("*.parquet")


def test_files_that_no_snapshot_knows_are_deleted_when_they_are_old(
    lake: FleetLab, monkeypatch: pytest.MonkeyPatch
) -> None:
    create(lake)
    fill(lake.start(1, listed(lake)), 2)
    known = set(data_files(lake))
    some = next(iter(known))
    left, fresh = some.with_name("left.parquet"), some.with_name("fresh.parquet")
    for path in (left, fresh):
        path.write_bytes(some.read_bytes())
    for path in (left, *known):
        os.utime(path, (0, 0))
    # Not at once, for many workers do not live for long.
    assert not maintenance(lake, orphan_age=timedelta(days=3)).turn()
    kept = maintenance(lake, orphan_age=timedelta(days=3))
    monkeypatch.setattr(kept, "_orphans_due", kept._orphans_due - timedelta(hours=1))
    assert kept.turn()
    assert set(data_files(lake)) == known | {fresh}
    assert kept.status.deleted_orphans == 1
    assert not kept.turn()


def test_a_rewind_finds_its_way_in_what_was_put_together(lake: FleetLab) -> None:
    create(lake)
    fill(lake.start(1, listed(lake)), 10)
    assert maintenance(lake).turn()
    run = lake.start(2, listed(lake), rewind=Rewind(number=1, offsets={"t": {0: 4}}))
    assert run.at == 4


def test_a_table_of_too_many_files_says_what_to_do(
    lake: FleetLab, monkeypatch: pytest.MonkeyPatch
) -> None:
    create(lake)
    fill(lake.start(1, listed(lake)), 2)
    monkeypatch.setattr("frazil.spark_sink.tables.maintenance._MOST_FILES", 1)
    with pytest.raises(BadTableError, match="rewrite_data_files"):
        maintenance(lake).turn()


def test_the_maintainer_tells_what_it_did_and_what_it_could_not(
    lake: FleetLab, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("frazil.spark_sink.maintainer._PAUSE_SECONDS", 0.1)
    create(lake)
    fill(lake.start(1, listed(lake)), 9)
    refusing = maintenance(lake)

    def refuse() -> bool:
        raise BadTableError("there is no way")

    monkeypatch.setattr(refusing, "turn", refuse)
    kept = {"a": maintenance(lake), "b": refusing}
    maintainer = Maintainer(
        lake.spark,
        lambda name, _: kept[name],
        connector="c",
        budget=1.0,
        names=lambda: ["a", "b"],
        stream=threading.Lock(),
    )
    try:
        wait_until("both looked after", lambda: {"a", "b"} <= maintainer.statuses.keys())
    finally:
        maintainer.close()
    seen = maintainer.statuses
    assert (seen["a"].merged_files, seen["a"].trouble) == (9, None)
    assert seen["a"].last_step is not None
    assert seen["b"].trouble == "there is no way"

"""Tables that Kafka Connect's sink has written before: gone on with, and kept from what it left."""

import pytest
from tests.support.fleet_lab import FleetLab
from tests.support.spark import LEAVES_SOCKETS

from frazil.contracts.offsets import Mode, Rewind
from frazil.spark_sink.core.predecessor import EndTold, FilesTold, Predecessor
from frazil.spark_sink.tables.lake import Lake
from frazil.spark_sink.tables.predecessor import Heritage
from frazil.worker.errors import NoTableError, RewindError, RolledBackError
from frazil.worker.job import StreamMovedError

pytestmark = LEAVES_SOCKETS
PROPERTY = "kafka.connect.offsets.control-iceberg.connect-old"
FENCE = '{"0":9}'


@pytest.fixture(autouse=True)
def _left(lake: FleetLab, monkeypatch: pytest.MonkeyPatch) -> None:
    """Have files for `b` wait: records 4 to 6, told at 6, after those that were told at 2 and 3."""
    a, b = (f"{lake.namespace}.{table}" for table in "ab")
    files = [FilesTold("1", 0, 2, a), FilesTold("1", 0, 3, b), FilesTold("2", 0, 6, b)]
    ends = [EndTold("1", {"t": {0: 4}}), EndTold("2", {"t": {0: 7}})]
    left = Predecessor({"t": {0: 7}}, {}, {0: 0}, files, ends)
    monkeypatch.setattr(Heritage, "_look", lambda self: (left, {self.key: FENCE}))


def keys(lake: FleetLab, *tables: str) -> dict[str, str]:
    return {
        "iceberg.tables": ",".join(f"{lake.namespace}.{table}" for table in tables),
        "frazil.takeover.group": "connect-old",
    }


def written_by_the_other(lake: FleetLab, *tables: str, told: str = '{"0":5}') -> None:
    for table in tables:
        lake.sql(f"CREATE TABLE IF NOT EXISTS NS.{table} (id BIGINT) USING iceberg")
        loaded = Lake(lake.spark, "lake").load(f"{lake.namespace}.{table}")
        assert loaded is not None
        loaded.newAppend().set(PROPERTY, told).commit()


def records(first: int, end: int) -> list[dict[str, int]]:
    return [{"id": number} for number in range(first, end)]


def test_each_table_goes_on_where_its_own_records_end(lake: FleetLab) -> None:
    written_by_the_other(lake, "a", "b")
    run = lake.start(1, keys(lake, "a", "b"))
    assert run.at == 4
    run.write(records(4, 9))
    assert (lake.ids("a"), lake.ids("b")) == ([7, 8], [4, 5, 6, 7, 8])


def test_what_was_left_is_fenced_in_every_commit(lake: FleetLab) -> None:
    written_by_the_other(lake, "b")
    lake.start(1, keys(lake, "b")).write(records(4, 5))
    lake.start(2, {"iceberg.tables": f"{lake.namespace}.b"}).write(records(5, 6))
    found = lake.sql("SELECT summary FROM NS.b.snapshots ORDER BY committed_at")
    assert [summary[PROPERTY] for (summary,) in found] == ['{"0":5}', *[FENCE] * 4]
    assert lake.ids("b") == [4, 5]


def test_a_late_commit_of_the_other_stops_the_driver(lake: FleetLab) -> None:
    written_by_the_other(lake, "b")
    run = lake.start(1, keys(lake, "b"))
    written_by_the_other(lake, "b", told='{"0":7}')
    with pytest.raises(StreamMovedError):
        run.write(records(4, 5))
    # By then all that it had told is there.
    assert lake.start(2, keys(lake, "b")).at == 7


def test_a_table_for_which_it_had_no_records_goes_on_at_its_group(lake: FleetLab) -> None:
    lake.sql("CREATE TABLE NS.c (id BIGINT) USING iceberg")
    assert lake.start(1, keys(lake, "c")).at == 7


def test_a_wish_of_before_is_not_granted_again_after_the_way_back(lake: FleetLab) -> None:
    written_by_the_other(lake, "b")
    wish = Rewind(number=5, offsets={"t": {0: 1}})
    run = lake.start(1, keys(lake, "b"), rewind=wish)
    assert run.at == 1
    run.write(records(1, 3))
    written_by_the_other(lake, "b", told='{"0":7}')
    assert lake.start(2, keys(lake, "b"), rewind=wish).at == 7


def test_rows_of_the_other_are_not_taken_back(lake: FleetLab) -> None:
    written_by_the_other(lake, "b")
    wish = Rewind(number=5, offsets={"t": {0: 1}}, mode=Mode.ONCE)
    refusal = "Kafka Connect's sink has written rows"
    with pytest.raises(RewindError, match=refusal):
        lake.start(1, keys(lake, "b"), rewind=wish)
    lake.start(2, keys(lake, "b")).write(records(4, 6))
    with pytest.raises(RewindError, match=refusal):
        lake.start(3, keys(lake, "b"), rewind=wish)
    assert lake.ids("b") == [4, 5]


def test_a_rollback_is_seen_whoever_wrote_what_is_left(lake: FleetLab) -> None:
    written_by_the_other(lake, "b")
    ((before,),) = lake.sql("SELECT snapshot_id FROM NS.b.snapshots")
    lake.start(1, keys(lake, "b")).write(records(4, 6))
    lake.sql(f"CALL lake.system.rollback_to_snapshot('{lake.namespace}.b', {before})")
    with pytest.raises(RolledBackError):
        lake.start(2, keys(lake, "b"))


def test_no_table_is_created_in_the_place_of_one_that_is_taken_over(lake: FleetLab) -> None:
    with pytest.raises(NoTableError, match=r"none is created while frazil\.takeover\.group"):
        lake.start(1, {**keys(lake, "b"), "iceberg.tables.auto-create-enabled": "true"})

"""Two tables of one connector with real workers: killed between their commits, and two at once."""

from collections.abc import Callable

from tests.support.lab import Lab, wait_until

from frazil.contracts.exit_code import ExitCode

COUNT = 8_000
MOST_KILLS = 5
BOTH = {
    "iceberg.tables": "streaming.left,streaming.right",
    "iceberg.tables.evolve-schema-enabled": "false",
    "iceberg.control.commit.threads": "1",
    "frazil.max.records.per.commit": "2000",
}


def create_both(lab: Lab) -> None:
    for name in ("left", "right"):
        lab.create_table(name)


def drain(lab: Lab, count: int) -> None:
    def is_there() -> bool:
        return all(len(lab.ids(name)) >= count for name in ("left", "right"))

    wait_until(f"{count} rows visible in both tables", is_there, every=0.5)


def assert_each_once(lab: Lab, count: int) -> None:
    for name in ("left", "right"):
        assert lab.ids(name) == list(range(count))


def between_the_commits(lab: Lab) -> Callable[[], bool]:
    """The left table has the batch, the right one does not yet."""
    left = lab.metadata_location("left")
    return lambda: lab.metadata_location("left") != left


def test_a_worker_killed_between_the_commits_of_two_tables_repeats_nothing(lab: Lab) -> None:
    create_both(lab)
    killed = 0
    while len(lab.ids("left")) == len(lab.ids("right")):
        assert killed < MOST_KILLS, "no kill hit a batch between its commits"
        lab.produce(range(killed * COUNT, (killed + 1) * COUNT))
        killed += 1
        lab.start_and_kill(killed, BOTH, moment=between_the_commits)
    worker = lab.start(killed + 1, BOTH)
    drain(lab, killed * COUNT)
    assert_each_once(lab, killed * COUNT)
    assert worker.status is not None
    assert set(worker.status.tables) == {"streaming.left", "streaming.right"}


def test_two_drivers_of_two_tables_write_each_record_once_and_the_older_stops(lab: Lab) -> None:
    create_both(lab)
    lab.produce(range(3 * COUNT))
    older = lab.start(1, BOTH)
    newer = lab.start(2, BOTH)
    drain(lab, 3 * COUNT)
    assert older.exit_code() is ExitCode.SUPERSEDED
    assert "epoch 2) has taken over table streaming." in older.trace
    assert newer.is_running()
    assert_each_once(lab, 3 * COUNT)

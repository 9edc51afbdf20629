"""Every record once, whatever is killed and whoever else is writing."""

import itertools
from datetime import UTC, datetime

from tests.support.lab import PARTITIONS, Lab, Moment, Worker, wait_until
from tests.support.moments import after_commit, mid_write

from frazil.contracts.exit_code import ExitCode
from frazil.contracts.offsets import Ending, Mode, Rewind

COUNT = 20_000
KILLED_COUNT = 40_000
SMALL_BATCHES = {"frazil.max.records.per.commit": "2000"}


def drain(lab: Lab, count: int) -> None:
    # Each look asks the catalog, which has two cores with all the rest.
    wait_until(f"{count} rows visible", lambda: lab.rows() >= count, every=0.5)


def assert_each_once(lab: Lab, count: int) -> None:
    assert lab.ids() == list(range(count))


def test_a_topic_is_drained_and_the_ledger_proves_it(lab: Lab) -> None:
    lab.create_table()
    lab.produce(range(COUNT))
    worker = lab.start(1, SMALL_BATCHES)
    drain(lab, COUNT)
    assert lab.probe(worker, "/health") == {"status": "running"}
    assert lab.probe(worker, "/status")["connector"] == "lab"
    assert worker.stop() == ExitCode.OK
    assert not list(worker.folder.glob("checkpoint-*")), "a checkpoint is disposable"
    assert_each_once(lab, COUNT)
    ledgers = lab.ledgers()
    assert sum(ledger.written for ledger in ledgers) == COUNT
    for ledger in ledgers:
        assert ledger.min_time
        assert ledger.max_time
        assert ledger.valid_through
        # Beyond the newest record only where nothing was left to read, and never beyond now.
        assert ledger.min_time <= ledger.valid_through <= datetime.now(UTC)
        assert ledger.valid_through <= ledger.max_time or ledger == ledgers[-1]
    assert all(before.end == after.start for before, after in itertools.pairwise(ledgers))
    proof = lab.proof()
    assert proof.proved
    assert proof.sums.written == proof.history.rows == COUNT


def kill_three_times(lab: Lab, moment: Moment) -> list[Worker]:
    lab.create_table()
    lab.produce(range(KILLED_COUNT))
    return [lab.start_and_kill(epoch, SMALL_BATCHES, moment=moment) for epoch in (1, 2, 3)]


def test_a_worker_killed_while_it_writes_loses_and_repeats_nothing(lab: Lab) -> None:
    kill_three_times(lab, mid_write)
    assert lab.orphans(), "no kill hit a batch between its files and its commit"
    lab.start(4, SMALL_BATCHES)
    drain(lab, KILLED_COUNT)
    assert_each_once(lab, KILLED_COUNT)


def test_a_worker_killed_before_it_acknowledged_its_commit_repeats_nothing(lab: Lab) -> None:
    killed = kill_three_times(lab, after_commit)
    assert any(lab.unacknowledged(worker) for worker in killed), "every kill came too late"
    lab.start(4, SMALL_BATCHES)
    drain(lab, KILLED_COUNT)
    assert_each_once(lab, KILLED_COUNT)


def test_two_drivers_of_one_connector_write_each_record_once_and_the_older_stops(lab: Lab) -> None:
    count = 100_000
    lab.create_table()
    lab.produce(range(count))
    older = lab.start(1, {"frazil.max.records.per.commit": "5000"})
    newer = lab.start(2, {"frazil.max.records.per.commit": "5000"})
    drain(lab, count)
    assert older.exit_code() is ExitCode.SUPERSEDED
    assert "epoch 2) has taken over table streaming.rows" in older.trace
    assert newer.is_running()
    assert_each_once(lab, count)


def test_an_idle_driver_too_stops_when_a_newer_one_has_taken_over(lab: Lab) -> None:
    lab.create_table()
    lab.produce(range(10))
    older = lab.start(1)
    drain(lab, 10)
    lab.start(2)
    assert older.exit_code() is ExitCode.SUPERSEDED
    assert_each_once(lab, 10)


def test_commits_of_others_in_between_are_no_conflict(lab: Lab) -> None:
    lab.create_table()
    lab.produce(range(COUNT))
    worker = lab.start(1, SMALL_BATCHES)
    wait_until("the first commit", lambda: worker.commits > 0)
    for number in range(5):
        lab.append_foreign(COUNT + number)
    drain(lab, COUNT + 5)
    assert worker.stop() == ExitCode.OK
    assert_each_once(lab, COUNT + 5)


def test_a_rewind_happens_once_however_often_the_worker_starts(lab: Lab) -> None:
    lab.create_table()
    lab.produce(range(400))
    worker = lab.start(1)
    drain(lab, 400)
    assert worker.stop() == ExitCode.OK
    of_partition_0 = range(0, 400, PARTITIONS)
    wish = Rewind(number=7, offsets={lab.topic: {0: len(of_partition_0) - 10}})
    again = sorted([*range(400), *of_partition_0[-10:]])

    rewound = lab.start(2, rewind=wish)
    drain(lab, len(again))
    assert lab.ids() == again
    assert rewound.status is not None
    assert rewound.status.rewind == 7
    rewound.kill()

    lab.start(3, rewind=wish)
    lab.produce([400])
    drain(lab, len(again) + 1)
    assert lab.ids() == [*again, 400]
    assert lab.ledgers()[-1].rewind == 7


def kill_amid(worker: Worker) -> None:
    wait_until("two commits", lambda: worker.commits > 1)
    worker.kill()


def test_a_side_branch_that_is_read_again_after_a_kill_becomes_the_table(lab: Lab) -> None:
    lab.create_table()
    lab.produce(range(COUNT))
    first = lab.start(1, SMALL_BATCHES)
    drain(lab, COUNT)
    first.stop()
    wish = Rewind(number=1, everything=True, mode=Mode.BRANCH, branch="side")
    kill_amid(lab.start(2, SMALL_BATCHES, rewind=wish))
    kill_amid(lab.start(3, SMALL_BATCHES, rewind=wish))
    assert_each_once(lab, COUNT)
    lab.produce(range(COUNT, COUNT + 100))
    last = lab.start(4, SMALL_BATCHES, rewind=wish)
    wait_until("the end of the topic", lambda: bool(last.status and last.status.lag == 0))
    last.stop()
    assert lab.rows() == COUNT
    aside = lab.proof("side")
    assert (aside.proved, aside.sums.written) == (True, COUNT + 100)
    end = wish.model_copy(update={"ending": Ending.PUBLISH, "ended": 2})
    public = lab.start(5, SMALL_BATCHES, rewind=end)
    wait_until("the publication", lambda: bool(public.status and public.status.rewind == 2))
    assert_each_once(lab, COUNT + 100)
    proof = lab.proof()
    assert (proof.proved, proof.history.rows) == (True, COUNT + 100)
    assert set(lab.table.refs()) == {"main", "frazil-lab"}

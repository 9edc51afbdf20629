"""Real workers that look after their tables, killed while they do."""

from tests.support.lab import Lab, Worker, wait_until

COUNT = 4000
EACH = {"frazil.max.records.per.commit": "200"}
KEPT = EACH | {
    "frazil.maintenance.enabled": "true",
    "frazil.maintenance.file.bytes": "1048576",
    "frazil.maintenance.snapshots.max": "5",
    "frazil.maintenance.budget.percent": "100",
}


def drain(lab: Lab, worker: Worker, count: int) -> None:
    wait_until("all is read", lambda: lab.rows() == count and worker.is_running(), every=1)


def files(lab: Lab) -> int:
    return len(lab.table.inspect.files())


def test_a_worker_that_is_killed_while_it_puts_files_together_leaves_the_table_whole(
    lab: Lab,
) -> None:
    lab.create_table()
    lab.produce(range(COUNT))
    first = lab.start(1, EACH)
    drain(lab, first, COUNT)
    first.stop()
    written, before = lab.data_files(), files(lab)
    killed = lab.start(2, KEPT)
    # Nothing is left to read, so what is written now is small files put together.
    wait_until("the first of them", lambda: bool(lab.data_files() - written), every=0.001)
    killed.kill()
    assert lab.ids() == list(range(COUNT))
    last = lab.start(3, KEPT)
    lab.produce(range(COUNT, COUNT + 400))
    drain(lab, last, COUNT + 400)
    wait_until("the table is in shape", lambda: files(lab) < before / 4 and is_short(lab), every=1)
    assert lab.ids() == list(range(COUNT + 400))
    wait_until("it is told", lambda: is_told(last), every=1)
    assert last.stop() == 0
    again = lab.start(4, EACH)
    wait_until("it goes on", again.is_running)
    assert again.status
    assert sum(again.status.position[lab.topic].values()) == COUNT + 400


def is_short(lab: Lab) -> bool:
    return len(lab.table.snapshots()) <= 6


def is_told(worker: Worker) -> bool:
    assert worker.status
    told = worker.status.tables["streaming.rows"].maintenance
    return told is not None and told.merged_files > 0 and told.seconds > 0 and told.trouble is None

"""Through when a table is complete, with a broker whose partitions rest."""

from datetime import UTC, datetime

from tests.support.lab import Lab, wait_until


def test_silent_partitions_hold_nothing_up_and_silence_is_no_standstill(lab: Lab) -> None:
    lab.create_table()
    lab.produce([1], partitions=1)
    worker = lab.start(1, {})
    wait_until("the row is visible", lambda: lab.rows() == 1, every=0.5)
    (*_, newest) = lab.ledgers()
    through = newest.valid_through
    assert through is not None, "two of the partitions never had a record"
    assert through <= datetime.now(UTC)

    def goes_on() -> bool:
        status = worker.status
        return bool(status and status.valid_through and status.valid_through > through)

    wait_until("the silence counts", goes_on, 60)
    assert lab.ledgers()[-1] == newest, "nothing is committed for that"
    worker.stop()

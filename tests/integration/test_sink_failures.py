"""What is wrong is said in a sentence that tells what to do; never a hang, never silence."""

import pytest
from aiokafka import TopicPartition
from aiokafka.admin import RecordsToDelete
from tests.support.lab import Lab, wait_until

from frazil.cli.ports import free_ports
from frazil.contracts.exit_code import ExitCode

BROKEN = [b'{"id": 1}', b'{"id": 2', b"", b'{"id": "x"}', b'{"time": "2026-01-01T00:00:00Z"}', None]


def test_a_broken_record_fails_the_batch_and_names_its_place(lab: Lab) -> None:
    lab.create_table()
    lab.produce_raw(BROKEN)
    worker = lab.start(1)
    assert worker.exit_code() is ExitCode.BAD_RECORD
    assert f"{lab.topic}-" in worker.trace
    assert "3 record(s) cannot be written to table streaming.rows" in worker.trace
    assert "errors.tolerance=all" in worker.trace
    assert lab.rows() == 0
    assert not lab.data_files()


def test_tolerated_records_are_counted_and_the_rest_is_written(lab: Lab) -> None:
    lab.create_table()
    lab.produce_raw(BROKEN)
    worker = lab.start(1, {"errors.tolerance": "all"})
    wait_until("the good row visible", lambda: lab.rows() == 1)
    worker.stop()
    (ledger,) = lab.ledgers()
    assert (ledger.consumed, ledger.written, ledger.dead, ledger.filtered) == (6, 1, 3, 2)


@pytest.mark.parametrize(
    ("config", "code", "sentence"),
    [
        pytest.param(
            {"iceberg.tables": "streaming.nowhere"},
            ExitCode.BAD_TABLE,
            "Table streaming.nowhere does not exist",
            id="no-table",
        ),
        pytest.param(
            {"topics": "no-such-topic"},
            ExitCode.UNAVAILABLE,
            "does not exist. Create it, or correct `topics`",
            id="no-topic",
        ),
        pytest.param(
            {"consumer.override.bootstrap.servers": f"127.0.0.1:{free_ports().kafka}"},
            ExitCode.UNAVAILABLE,
            "does not answer",
            id="no-broker",
        ),
        pytest.param(
            {"tasks.max": "none"}, ExitCode.BAD_CONFIG, "Not a number of type INT", id="bad-config"
        ),
    ],
)
def test_what_is_missing_is_named(
    lab: Lab, config: dict[str, str], code: ExitCode, sentence: str
) -> None:
    lab.create_table()
    worker = lab.start(1, config)
    assert worker.exit_code() is code
    assert sentence in worker.trace
    assert worker.trace.startswith("org.apache.kafka.connect.errors.ConnectException: ")


def test_records_that_retention_took_are_noticed_and_the_user_chooses(lab: Lab) -> None:
    lab.create_table()
    lab.produce(range(30), partitions=1)
    first = lab.start(1)
    wait_until("the first rows visible", lambda: lab.rows() == 30)
    first.stop()
    lab.produce(range(30, 60), partitions=1)
    expired = {TopicPartition(lab.topic, 0): RecordsToDelete(before_offset=50)}
    lab.ask_admin(lambda admin: admin.delete_records(expired))
    worker = lab.start(2)
    assert worker.exit_code() is ExitCode.DATA_LOSS
    assert f"Offsets 30 to 49 of {lab.topic}-0 are gone: retention removed them" in worker.trace
    assert "frazil.on.data.loss" in worker.trace
    lab.start(3, {"frazil.on.data.loss": "earliest"})
    wait_until("what is left visible", lambda: lab.rows() == 40)
    assert lab.ids() == [*range(30), *range(50, 60)]


def test_a_topic_made_anew_is_noticed_and_the_user_chooses(lab: Lab) -> None:
    lab.create_table()
    lab.produce(range(10))
    first = lab.start(1)
    wait_until("10 rows visible", lambda: lab.rows() == 10)
    first.stop()
    lab.recreate_topic()
    lab.produce(range(10, 15))
    refusing = lab.start(2)
    assert refusing.exit_code() is ExitCode.DATA_LOSS
    assert "deleted and made anew" in refusing.trace
    lab.start(3, {"frazil.on.data.loss": "earliest"})
    wait_until("15 rows visible", lambda: lab.rows() == 15)
    assert lab.ids() == list(range(15))

"""A file through a topic into a file: each line once, whoever is killed, and again if asked for."""

import itertools
import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.support.file_lab import SINK, SOURCE, FileLab
from tests.support.lab import Worker, wait_until

from frazil.contracts.exit_code import ExitCode
from frazil.contracts.offsets import Rewind
from frazil.control_api.core.offsets import PartitionOffset

COUNT = 30_000
STRING = {"value.converter": "org.apache.kafka.connect.storage.StringConverter"}
LINES = [f"{number} grün 🧊" for number in range(COUNT)]
_numbers = itertools.count(1)


@pytest.fixture
def lab(tmp_path: Path, bootstrap_servers: str) -> Iterator[FileLab]:
    laboratory = FileLab(tmp_path, bootstrap_servers, topic=f"files-{next(_numbers)}")
    yield laboratory
    laboratory.close()


def wait_for_commits(worker: Worker, count: int) -> None:
    wait_until(f"{count} commits", lambda: worker.commits >= count, every=0.001)


def wait_for_values(lab: FileLab, count: int) -> None:
    wait_until(f"{count} values", lambda: len(lab.values()) >= count, every=0.5)


def test_a_file_is_sent_once_although_its_source_is_killed_and_again_after_a_reset(
    lab: FileLab,
) -> None:
    lab.source.write_bytes("".join(f"{line}\r\n" for line in LINES).encode() + b"the la")
    config = SOURCE | STRING | {"topic": lab.topic, "batch.size": "200"}
    worker = lab.start(1, config)
    wait_for_commits(worker, 20)
    worker.kill()
    assert len(lab.values()) < COUNT, "the kill came too late"
    worker = lab.start(2, config)
    wait_for_values(lab, COUNT)
    with lab.source.open("ab") as file:
        file.write(b"st\n")
    wait_for_values(lab, COUNT + 1)
    assert worker.stop() == ExitCode.OK
    assert lab.values() == [*LINES, "the last"]
    size = lab.source.stat().st_size
    assert lab.position() == [PartitionOffset({"filename": "in.txt"}, {"position": size})]
    lab.reset()
    lab.start(3, config | {"batch.size": "2000"})
    wait_for_values(lab, 2 * COUNT + 2)
    assert lab.values() == 2 * [*LINES, "the last"]


def test_of_two_drivers_of_a_source_the_older_stops_and_no_line_is_sent_twice(
    lab: FileLab,
) -> None:
    config = SOURCE | {"topic": lab.topic, "value.converter": "JsonConverter"}
    older = lab.start(1, config)
    wait_until("the older runs, without a file", older.is_running)
    newer = lab.start(2, config)
    wait_until("the newer runs", newer.is_running)
    lab.source.write_text("".join(f"{number}\n" for number in range(5000)))
    assert older.exit_code() is ExitCode.SUPERSEDED
    assert "A newer driver of connector" in older.trace
    wait_for_values(lab, 5000)
    payloads = [json.loads(value)["payload"] for value in lab.values()]
    assert payloads == [str(number) for number in range(5000)]


def pending(lab: FileLab) -> int:
    notes = list(lab.folder.glob(".out.txt.*.note"))
    return int(json.loads(notes[0].read_text())["pending"]) if notes else 0


def kill_between_two_notes(lab: FileLab, config: dict[str, str]) -> int:
    """Try until a kill hits a batch on its way into the file; return the next epoch."""
    for epoch in (1, 2, 3):
        worker = lab.start(epoch, config)
        wait_for_commits(worker, 2)
        wait_until("a batch on its way", lambda: pending(lab) > 0, 30, every=0.0005)
        worker.kill()
        if pending(lab):
            return epoch + 1
    raise AssertionError("no kill hit a batch between its two notes")


def test_a_topic_is_written_once_although_its_sink_is_killed_and_again_after_a_rewind(
    lab: FileLab,
) -> None:
    lab.create_topic()
    lab.produce(json.dumps(line).encode() for line in LINES)
    expected = "".join(f"{line}\n" for line in LINES)
    config = SINK | {"topics": lab.topic, "frazil.max.records.per.commit": "1000"}
    epoch = kill_between_two_notes(lab, config)
    worker = lab.start(epoch, config)
    wait_until("all lines", lambda: lab.sink.stat().st_size >= len(expected.encode()))
    assert worker.stop() == ExitCode.OK
    assert lab.sink.read_text() == expected
    lab.start(epoch + 1, config, Rewind(number=1, everything=True))
    wait_until("all lines again", lambda: lab.sink.stat().st_size >= 2 * len(expected.encode()))
    assert lab.sink.read_text() == 2 * expected


def test_values_become_the_lines_that_connect_would_print(lab: FileLab) -> None:
    lab.create_topic()
    lab.produce(
        [
            b'{"schema":{"type":"string","optional":false},"payload":"a \\"b\\"\\nc"}',
            b'{"schema":null,"payload":{"b":1,"a":[true,null]}}',
            b'{"schema":null,"payload":null}',
            b'"bare"',
            b"broken",
        ]
    )
    config = SINK | {"topics": lab.topic, "value.converter": "JsonConverter"}
    worker = lab.start(1, config | {"errors.tolerance": "all"})
    wait_for_commits(worker, 1)
    assert lab.sink.read_text() == 'a "b"\nc\n{"b":1,"a":[true,null]}\nnull\n'
    assert (worker.status and worker.status.dead) == 2

"""The ends of a worker's life that need no JVM."""

import json
from pathlib import Path

import pytest

from frazil.contracts.assignment import ASSIGNMENT_FILE, STATUS_FILE, Assignment
from frazil.contracts.exit_code import ExitCode
from frazil.contracts.states import WorkerState
from frazil.contracts.worker_status import WorkerStatus
from frazil.worker import loop
from frazil.worker.board import StatusBoard
from frazil.worker.errors import BadConfigError, SupersededError
from frazil.worker.job import Job
from frazil.worker.life import exit_code_of
from frazil.worker.probes import Boards


class FakeProbes:
    def __init__(self, _boards: Boards, host: str, port: int) -> None:
        assert (host, port) == ("127.0.0.1", 0)

    def start(self) -> int:
        return 4711


def refuse(_assignment: Assignment, _board: StatusBoard) -> Job:
    raise BadConfigError("`topics` is not set.")


def crash(_assignment: Assignment, _board: StatusBoard) -> Job:
    raise ZeroDivisionError


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr("frazil.worker.loop.Probes", FakeProbes)
    monkeypatch.setattr("signal.signal", lambda *_: None)
    monkeypatch.setattr("frazil.runtime.logs.configure", lambda *_, **__: None)
    assignment = Assignment(
        connector="c", epoch=1, generation=1, worker_id="w:1", config={}, kafka={}
    )
    (tmp_path / ASSIGNMENT_FILE).write_text(assignment.model_dump_json())
    return tmp_path


def last_words(folder: Path) -> WorkerStatus:
    return WorkerStatus.model_validate_json((folder / STATUS_FILE).read_text())


def test_a_job_that_refuses_its_configuration_ends_with_its_sentence(folder: Path) -> None:
    assert loop.run_worker(folder, refuse) is ExitCode.BAD_CONFIG
    words = last_words(folder)
    assert (words.state, words.exit_code, words.port) == (
        WorkerState.FAILED,
        ExitCode.BAD_CONFIG,
        4711,
    )
    assert "`topics` is not set." in (words.trace or "")


def test_anything_unexpected_is_a_crash_with_its_class_in_the_trace(folder: Path) -> None:
    assert loop.run_worker(folder, crash) is ExitCode.CRASHED
    assert "ZeroDivisionError" in (last_words(folder).trace or "")


@pytest.mark.parametrize("text", ["", "{}", json.dumps({"connector": "c"})])
def test_a_folder_without_a_readable_assignment_is_a_bad_configuration(
    folder: Path, text: str
) -> None:
    (folder / ASSIGNMENT_FILE).write_text(text)
    assert loop.run_worker(folder, crash) is ExitCode.BAD_CONFIG
    assert not (folder / STATUS_FILE).exists()


def test_a_secret_that_an_error_holds_is_not_in_the_last_words(folder: Path) -> None:
    def refuse_aloud(assignment: Assignment, _board: StatusBoard) -> Job:
        raise ValueError(f"cannot log in with {assignment.config['password']}")

    told = json.loads((folder / ASSIGNMENT_FILE).read_text())
    told |= {"config": {"password": "tr0ub4dor&3"}, "secrets": ["tr0ub4dor&3"]}
    (folder / ASSIGNMENT_FILE).write_text(json.dumps(told))
    assert loop.run_worker(folder, refuse_aloud) is ExitCode.CRASHED
    assert "cannot log in with [hidden]" in (last_words(folder).trace or "")
    assert "tr0ub4dor" not in (folder / STATUS_FILE).read_text()


def test_an_error_of_ours_has_its_own_exit_code() -> None:
    assert exit_code_of(None) is ExitCode.OK
    assert exit_code_of(SupersededError("why")) is ExitCode.SUPERSEDED
    assert exit_code_of(KeyError("x")) is ExitCode.CRASHED

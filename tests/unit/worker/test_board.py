"""The status board: what is told is in the file, whole, at every moment."""

from pathlib import Path

from frazil.contracts.assignment import STATUS_FILE, Assignment
from frazil.contracts.exit_code import ExitCode
from frazil.contracts.states import WorkerState
from frazil.contracts.worker_status import WorkerStatus
from frazil.worker.board import StatusBoard

ASSIGNMENT = Assignment(connector="c", epoch=3, generation=2, worker_id="w:1", config={}, kafka={})


def read(folder: Path) -> WorkerStatus:
    return WorkerStatus.model_validate_json((folder / STATUS_FILE).read_text())


def test_a_new_worker_says_that_it_is_starting(tmp_path: Path) -> None:
    StatusBoard(tmp_path, ASSIGNMENT)
    assert (read(tmp_path).state, read(tmp_path).epoch) == (WorkerState.STARTING, 3)


def test_changes_reach_the_file(tmp_path: Path) -> None:
    board = StatusBoard(tmp_path, ASSIGNMENT)
    board.update(position={"t": {0: 5}}, commits=1)
    assert read(tmp_path).position == {"t": {0: 5}}
    assert read(tmp_path) == board.status


def test_entering_a_state_twice_keeps_its_first_moment(tmp_path: Path) -> None:
    board = StatusBoard(tmp_path, ASSIGNMENT)
    board.enter(WorkerState.RUNNING)
    since = board.status.since
    board.enter(WorkerState.RUNNING)
    assert board.status.since == since


def test_the_last_words_are_exit_code_and_trace(tmp_path: Path) -> None:
    board = StatusBoard(tmp_path, ASSIGNMENT)
    board.end(ExitCode.BAD_RECORD, "why")
    last = read(tmp_path)
    assert (last.state, last.exit_code, last.trace) == (
        WorkerState.FAILED,
        ExitCode.BAD_RECORD,
        "why",
    )


def test_a_graceful_end_is_stopped_not_failed(tmp_path: Path) -> None:
    board = StatusBoard(tmp_path, ASSIGNMENT)
    board.end(ExitCode.OK, None)
    assert read(tmp_path).state is WorkerState.STOPPED

"""Whose states a process answers for."""

from pathlib import Path

from tests.support.control_api import assignment

from frazil.contracts.states import WorkerState
from frazil.worker.board import StatusBoard
from frazil.worker.probes import Boards


def test_the_members_of_a_host_are_those_that_have_not_ended(tmp_path: Path) -> None:
    boards = Boards()
    one, other = (
        boards.add(StatusBoard(tmp_path, assignment(name))) for name in ("logs", "ünï cödé")
    )
    one.enter(WorkerState.RUNNING)
    assert boards.states == {"logs": "RUNNING", "ünï cödé": "STARTING"}
    boards.remove(other)
    assert boards.states == {"logs": "RUNNING"}

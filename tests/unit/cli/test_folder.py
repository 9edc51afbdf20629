from datetime import UTC, datetime
from pathlib import Path

import pytest

from frazil.cli.folder import BadStackNameError, NotStartedError, StackFolder, StackState
from frazil.cli.ports import Ports
from frazil.runtime.child import Child


def test_what_a_stack_says_of_itself_reads_back_the_same(tmp_path: Path) -> None:
    folder = StackFolder(tmp_path, "dev")
    folder.root.mkdir(parents=True)
    state = StackState(
        name="dev",
        started=datetime(2026, 11, 18, tzinfo=UTC),
        ports=Ports(api=1, kafka=2, controller=3, catalog=4),
        pids={"kafka": 5},
    )
    folder.write_state(state)
    assert folder.read_state() == state


def test_a_stack_that_never_was_up_is_a_sentence(tmp_path: Path) -> None:
    with pytest.raises(NotStartedError, match="frazil dev --detach --stack mine"):
        StackFolder(tmp_path, "mine").read_state()


def test_what_an_older_release_has_left_is_no_stack_that_was_up(tmp_path: Path) -> None:
    folder = StackFolder(tmp_path, "mine")
    folder.root.mkdir(parents=True)
    (folder.root / "stack.json").write_text('{"name": "mine", "ports": {"api": 1}}')
    with pytest.raises(NotStartedError):
        folder.read_state()


@pytest.mark.parametrize("name", ["", "..", "a/b", "../../home", "a b"])
def test_a_name_that_would_leave_the_folder_of_stacks_is_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(BadStackNameError):
        StackFolder(tmp_path, name)


def test_only_workers_that_live_are_listed(tmp_path: Path) -> None:
    folder = StackFolder(tmp_path, "dev")
    dead, alive = (Child(folder.runs / "sink" / epoch) for epoch in ("1", "2"))
    dead.folder.mkdir(parents=True)
    (dead.folder / "lock").touch()
    alive.start(["/bin/sleep", "60"], environment={}, log=alive.folder / "worker.log")
    try:
        assert folder.workers() == [alive]
    finally:
        alive.stop(5)

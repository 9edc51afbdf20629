import os
import signal
from pathlib import Path

import pytest

from frazil.runtime.child import Child, ChildRunsError

SLEEP = ["/bin/sleep", "60"]
# Says that its trap is set; only then may a test send the signal.
STUBBORN = ["/bin/sh", "-c", "trap '' TERM; echo ready; while :; do /bin/sleep 0.1; done"]


def _start(child: Child, command: list[str] = SLEEP) -> int:
    return child.start(command, environment={}, log=child.folder / "log")


def test_a_child_is_found_again_by_its_folder_alone(tmp_path: Path) -> None:
    pid = _start(Child(tmp_path))
    try:
        assert Child(tmp_path).is_alive()
        assert Child(tmp_path).pid == pid
    finally:
        Child(tmp_path).stop(5)


def test_a_child_that_never_was_is_not_alive(tmp_path: Path) -> None:
    assert not Child(tmp_path / "nobody").is_alive()
    assert Child(tmp_path / "nobody").pid is None
    assert Child(tmp_path / "nobody").stop(0)


def test_it_is_not_started_twice(tmp_path: Path) -> None:
    _start(Child(tmp_path))
    try:
        with pytest.raises(ChildRunsError):
            _start(Child(tmp_path))
    finally:
        Child(tmp_path).stop(5)


def test_stop_ends_it_and_a_new_one_may_start(tmp_path: Path) -> None:
    child = Child(tmp_path)
    _start(child)
    assert child.stop(5)
    assert not child.is_alive()
    _start(child)
    child.stop(5)


def test_a_killed_child_leaves_no_trace_of_life(tmp_path: Path) -> None:
    child = Child(tmp_path)
    pid = _start(child)
    os.kill(pid, signal.SIGKILL)
    os.waitpid(pid, 0)
    assert not child.is_alive()
    assert child.pid is None


def test_one_that_ignores_the_signal_is_killed_after_the_grace(tmp_path: Path) -> None:
    child = Child(tmp_path)
    _start(child, STUBBORN)
    while "ready" not in (tmp_path / "log").read_text():  # bounded by the test's own time limit
        os.sched_yield()
    assert not child.stop(0.2)
    assert not child.is_alive()


def test_output_goes_to_the_log(tmp_path: Path) -> None:
    child = Child(tmp_path)
    pid = _start(child, ["/bin/sh", "-c", "echo out; echo err >&2"])
    os.waitpid(pid, 0)
    assert (tmp_path / "log").read_text() == "out\nerr\n"

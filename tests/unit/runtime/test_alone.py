"""Locks on files: who has one, and who gets it next."""

import subprocess
import sys
from pathlib import Path

import pytest

from frazil.runtime.alone import HeldLock

_HOLDER = """
import sys
from pathlib import Path
from frazil.runtime.alone import HeldLock
lock = HeldLock(Path(sys.argv[1]))
print(lock.take(), flush=True)
sys.stdin.read()
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "folder" / ".lock"


def test_one_holds_it_and_the_next_gets_it_when_it_is_released(file: Path) -> None:
    first, second = HeldLock(file), HeldLock(file)
    assert first.take()
    assert not second.take()
    first.release()
    assert second.take()
    assert not first.take()
    second.release()


def test_who_holds_it_may_take_it_again_and_lets_go_of_it_at_once(file: Path) -> None:
    first, second = HeldLock(file), HeldLock(file)
    assert first.take()
    assert first.take()
    first.release()
    assert second.take()
    second.release()


def test_releasing_what_one_does_not_have_changes_nothing(file: Path) -> None:
    first, second = HeldLock(file), HeldLock(file)
    first.release()
    assert first.take()
    second.release()
    assert not second.take()
    first.release()
    first.release()


def test_it_ends_with_the_process_that_held_it(file: Path) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", _HOLDER, str(file)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as holder:
        assert holder.stdout
        assert holder.stdout.readline() == "True\n"
        lock = HeldLock(file)
        assert not lock.take()
        holder.kill()
        holder.wait()
        assert lock.take()
        lock.release()

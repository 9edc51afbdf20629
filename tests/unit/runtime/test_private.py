"""Files and folders that other users of the machine may not open."""

import stat
from pathlib import Path

import pytest

from frazil.runtime import sqlite
from frazil.runtime.alone import HeldLock
from frazil.runtime.child import Child
from frazil.runtime.private import private_folder, write_fault


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def opened_to_all(path: Path, *, is_folder: bool = False) -> Path:
    """Leave it behind as it was before anything was closed."""
    if is_folder:
        path.mkdir()
    else:
        path.touch()
    path.chmod(0o755 if is_folder else 0o644)
    return path


def test_a_folder_is_its_owner_s_alone_whether_it_is_new_or_was_there(tmp_path: Path) -> None:
    there = opened_to_all(tmp_path / "there", is_folder=True)
    private_folder(there)
    private_folder(tmp_path / "new" / "deep")
    assert mode(there) == mode(tmp_path / "new" / "deep") == 0o700


def test_a_folder_of_everybody_stays_so(tmp_path: Path) -> None:
    shared = opened_to_all(tmp_path / "tmp", is_folder=True)
    shared.chmod(0o1777)
    private_folder(shared)
    assert mode(shared) == 0o1777


@pytest.mark.parametrize(("mode", "is_good"), [(0o600, 1), (0o444, 1), (0o660, 0), (0o602, 0)])
def test_a_file_that_others_may_change_is_a_fault_with_what_to_do(
    tmp_path: Path, mode: int, is_good: int
) -> None:
    file = tmp_path / "key.pem"
    file.touch()
    file.chmod(mode)
    fault = write_fault(file)
    assert fault == (None if is_good else f"others may change {file}: `chmod go-w {file}`")


def test_nobody_else_can_hold_a_lock_that_is_taken_again(tmp_path: Path) -> None:
    file = opened_to_all(tmp_path / "lock")
    lock = HeldLock(file)
    assert lock.take()
    assert mode(file) == 0o600
    lock.release()


def test_the_files_of_a_database_that_was_open_to_all_are_closed(tmp_path: Path) -> None:
    files = [opened_to_all(tmp_path / name) for name in ("c.db", "c.db-wal", "c.db-shm")]
    sqlite.make_room(tmp_path / "c.db")
    assert {mode(file) for file in files} == {0o600}


def test_a_child_s_folder_with_its_lock_and_log_is_closed(tmp_path: Path) -> None:
    folder = opened_to_all(tmp_path / "run", is_folder=True)
    child = Child(folder)
    child.start(["true"], environment={}, log=folder / "log")
    child.stop(grace=10)
    assert mode(folder) == 0o700

"""Keeps other users of the machine out of files and folders."""

import os
import stat
from contextlib import suppress
from pathlib import Path

_OWNER_ONLY_FILE = 0o600
_OWNER_ONLY_FOLDER = 0o700


def keep_private() -> None:
    """Give other users no right to the files that this process and its children create."""
    os.umask(0o077)


def private_folder(path: Path) -> None:
    """Create a folder that only its owner may enter, and tighten one that exists."""
    path.mkdir(mode=_OWNER_ONLY_FOLDER, parents=True, exist_ok=True)
    found = path.stat()
    # A folder such as /tmp belongs to everybody, whatever a setting says.
    if not found.st_mode & stat.S_ISVTX:
        _tighten(path, _OWNER_ONLY_FOLDER)


def private_file(path: Path) -> None:
    """Tighten a file if it exists."""
    _tighten(path, _OWNER_ONLY_FILE)


def write_fault(path: Path) -> str | None:
    """Say what to do about a file that others may change, though they need not read it.

    Files that an engine mounts are mostly readable for everybody, and that is all they are.
    """
    if path.stat().st_mode & (stat.S_IWGRP | stat.S_IWOTH):
        return f"others may change {path}: `chmod go-w {path}`"
    return None


def _tighten(path: Path, mode: int) -> None:
    # Only the owner may do it, and an administrator may have shared it on purpose.
    with suppress(FileNotFoundError, PermissionError):
        if stat.S_IMODE(path.stat().st_mode) != mode:
            path.chmod(mode)

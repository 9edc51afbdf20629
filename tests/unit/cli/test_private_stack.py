"""A local stack is closed to other users of the machine."""

import stat
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from frazil.cli import stack
from frazil.cli.folder import StackFolder


def test_the_folder_of_a_stack_is_closed_before_anything_is_in_it(tmp_path: Path) -> None:
    folder = StackFolder(tmp_path, "dev")
    folder.root.mkdir(parents=True)
    folder.root.chmod(0o755)
    parts: Any = SimpleNamespace(folder=folder, ports=SimpleNamespace(bootstrap_servers="k:1"))

    def stop_here(_title: str) -> Any:
        raise InterruptedError

    with pytest.raises(InterruptedError):
        stack.start(parts, Path("x"), stop_here)
    assert stat.S_IMODE(folder.root.stat().st_mode) == 0o700

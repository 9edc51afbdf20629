"""The process that forks Spark's Python workers."""

import gc
import sys
from importlib.util import find_spec
from pathlib import Path
from zipfile import ZipFile

import pytest

from frazil.worker.python_daemon import forget_archives, keep_libraries


@pytest.mark.parametrize("name", ["library.zip", "spark-core.jar"])
def test_modules_come_from_folders_and_not_from_archives(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder, archive = tmp_path / "folder", tmp_path / name
    folder.mkdir()
    with ZipFile(archive, "w") as content:
        content.writestr("in_both.py", "")
    (folder / "in_both.py").touch()
    monkeypatch.setattr(sys, "path", [str(archive), str(folder)])
    monkeypatch.setattr(sys, "path_importer_cache", {})
    assert origin("in_both") == str(archive / "in_both.py")

    forget_archives()

    assert origin("in_both") == str(folder / "in_both.py")
    assert str(archive) not in sys.path_importer_cache


def test_what_is_loaded_is_not_looked_through_again() -> None:
    library = [object()]
    try:
        keep_libraries()
        assert gc.get_freeze_count() > 0
        assert not any(one is library for one in gc.get_objects())
    finally:
        gc.unfreeze()


def origin(module: str) -> str | None:
    spec = find_spec(module)
    return None if spec is None else spec.origin

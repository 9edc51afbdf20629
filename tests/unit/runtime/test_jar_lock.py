import shutil
import subprocess
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from frazil.runtime.jars import lock

NAMES = st.text("ab0.-_", min_size=1).map(lambda name: f"spark/{name}.jar")
SUMS = st.dictionaries(NAMES, st.binary(min_size=32, max_size=32).map(bytes.hex))


@given(SUMS)
def test_a_lock_that_is_written_reads_back_the_same(sums: dict[str, str]) -> None:
    assert lock.parse(lock.render(sums)) == sums


@given(SUMS)
def test_nothing_differs_from_itself(sums: dict[str, str]) -> None:
    assert lock.differences(locked=sums, found=sums) == []


def test_each_kind_of_difference_names_its_file() -> None:
    locked = {"spark/a.jar": "1", "spark/b.jar": "2"}
    found = {"spark/b.jar": "3", "spark/c.jar": "4"}
    assert lock.differences(locked=locked, found=found) == [
        "spark/a.jar is missing",
        "spark/c.jar is not in the lock",
        "spark/b.jar has sha256 3, locked is 2",
    ]


@pytest.mark.skipif(shutil.which("sha256sum") is None, reason="no sha256sum here to judge")
def test_a_folder_is_measured_as_sha256sum_does(tmp_path: Path) -> None:
    (tmp_path / "spark").mkdir()
    (tmp_path / "spark" / "a.jar").write_bytes(b"abc")
    (tmp_path / "lock").write_text(lock.render(lock.measure(tmp_path)))
    subprocess.run(["sha256sum", "-c", "lock"], cwd=tmp_path, check=True, capture_output=True)


def test_the_lock_of_the_repository_covers_both_class_paths() -> None:
    folders = {name.partition("/")[0] for name in lock.parse(lock.LOCK_FILE.read_text())}
    assert folders == {"broker", "spark"}

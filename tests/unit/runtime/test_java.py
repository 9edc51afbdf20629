from pathlib import Path

import pytest

from frazil.runtime.java import JavaNotFoundError, find_java, major_version


@pytest.mark.parametrize(
    ("output", "version"),
    [
        ('openjdk version "17.0.15" 2025-04-15', 17),
        ('openjdk version "21" 2023-09-19', 21),
        ('openjdk version "25-ea" 2025-09-16', 25),
        ('java version "1.8.0_392"', 8),
        ('Picked up JAVA_TOOL_OPTIONS: -Xmx1g\nopenjdk version "17.0.1" 2021-10-19 LTS', 17),
        ("The operation couldn't be completed. Unable to locate a Java Runtime.", None),
    ],
    ids=["17", "no minor", "early access", "1.8", "with options", "none"],
)
def test_the_major_version_is_read_from_javas_answer(output: str, version: int | None) -> None:
    assert major_version(output) == version


def _fake_java(home: Path, version: str) -> Path:
    java = home / "bin" / "java"
    java.parent.mkdir(parents=True)
    java.write_text(f"#!/bin/sh\necho 'openjdk version \"{version}\"' >&2\n")
    java.chmod(0o755)
    return java


@pytest.fixture
def empty_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "path"
    folder.mkdir()
    monkeypatch.setenv("PATH", f"{folder}:/bin")
    monkeypatch.setattr("shutil.which", lambda name: str(folder / name))
    monkeypatch.setattr("frazil.runtime.java.find_spec", lambda _name: None)
    return folder


@pytest.mark.usefixtures("empty_path")
def test_the_java_that_is_set_is_taken(tmp_path: Path) -> None:
    java = _fake_java(tmp_path / "mine", "21.0.1")
    assert find_java(tmp_path / "mine") == java


def test_one_that_is_set_but_too_old_gives_way_to_the_paths(
    tmp_path: Path, empty_path: Path
) -> None:
    _fake_java(tmp_path / "old", "1.8.0_392")
    newer = _fake_java(tmp_path / "newer", "17.0.1")
    (empty_path / "java").symlink_to(newer)
    assert find_java(tmp_path / "old") == empty_path / "java"


@pytest.mark.usefixtures("empty_path")
def test_without_java_the_error_names_what_was_seen_and_what_to_do(tmp_path: Path) -> None:
    _fake_java(tmp_path / "old", "11.0.2")
    with pytest.raises(JavaNotFoundError, match=r"version 11.*make install"):
        find_java(tmp_path / "old")

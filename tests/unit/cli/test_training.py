from pathlib import Path

import pytest

from frazil.cli.stack import Tools
from frazil.cli.training import NoArchiveError, train


def _java(home: Path, script: str) -> Path:
    java = home / "bin" / "java"
    java.parent.mkdir(parents=True)
    (home / "lib" / "server").mkdir(parents=True)
    java.write_text(f"#!/bin/sh\n{script}\n")
    java.chmod(0o755)
    return java


def _train(tmp_path: Path, java: Path) -> None:
    """Find the archive made by another set-up already, once Java itself is fit for one."""
    archive = tmp_path / "archive.jsa"
    archive.touch()
    tools = Tools(java=java, broker_jars=tmp_path, environment={})
    train(archive, tmp_path, tools=tools, desired_state=tmp_path / "unused.yaml")


def test_a_slim_java_is_made_to_write_its_own_archive_first(tmp_path: Path) -> None:
    base = tmp_path / "java" / "lib" / "server" / "classes.jsa"
    java = _java(tmp_path / "java", f'test "$1" = -Xshare:dump && touch {base}')
    _train(tmp_path, java)
    assert base.exists()


def test_a_java_that_cannot_have_one_is_a_sentence_and_no_training_run(tmp_path: Path) -> None:
    with pytest.raises(NoArchiveError, match="could not make one"):
        _train(tmp_path, _java(tmp_path / "java", "exit 1"))

import os
from pathlib import Path
from types import SimpleNamespace

import pytest

from frazil.cli.folder import StackFolder
from frazil.cli.logview import NoLogError, follow, log_files, show


@pytest.fixture
def folder(tmp_path: Path) -> StackFolder:
    folder = StackFolder(tmp_path, "dev")
    for log in (folder.log("kafka"), folder.runs / "my%2Fsink" / "1" / "worker.log"):
        log.parent.mkdir(parents=True)
        log.write_text("first\nsecond\n")
    return folder


def test_services_and_connectors_have_logs_under_their_own_names(folder: StackFolder) -> None:
    assert list(log_files(folder, None)) == ["kafka", "my/sink"]


def test_the_newest_run_of_a_connector_is_shown(folder: StackFolder) -> None:
    newer = folder.runs / "my%2Fsink" / "2" / "worker.log"
    newer.parent.mkdir()
    newer.touch()
    os.utime(newer, (2**31, 2**31))
    assert log_files(folder, "my/sink") == {"my/sink": newer}


def test_an_unknown_name_is_answered_with_those_there_are(folder: StackFolder) -> None:
    with pytest.raises(NoLogError, match="Known: kafka, my/sink"):
        log_files(folder, "zookeeper")


def test_lines_carry_the_name_of_their_log(folder: StackFolder) -> None:
    lines: list[str] = []
    show(log_files(folder, "kafka"), lines.append)
    assert lines == ["kafka        | first", "kafka        | second"]


def test_a_log_that_is_begun_anew_is_followed_from_its_beginning(
    folder: StackFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    log, lines = folder.log("kafka"), list[str]()

    def write_or_leave(_seconds: float) -> None:
        if lines:
            raise KeyboardInterrupt
        log.write_text("third\n")

    monkeypatch.setattr("frazil.cli.logview.time", SimpleNamespace(sleep=write_or_leave))
    with pytest.raises(KeyboardInterrupt):
        follow(lambda: {"kafka": log}, lines.append)
    assert lines == ["kafka        | third"]

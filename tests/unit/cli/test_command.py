import signal
import subprocess
import sys
from pathlib import Path

import pytest

from frazil.cli import __main__ as command
from frazil.runtime.errors import UserError


@pytest.fixture(autouse=True)
def _signals_as_they_are(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(signal, "signal", lambda *_: None)


def _frazil(home: Path, *arguments: str, **environment: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [sys.executable, "-m", "frazil.cli", *arguments],
        env={"FRAZIL_HOME": str(home), "PATH": "/usr/bin:/bin", **environment},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.timeout(30)
def test_an_error_that_a_person_can_mend_is_a_sentence_and_exit_1(tmp_path: Path) -> None:
    done = _frazil(tmp_path, "status", "--stack", "mine")
    assert done.returncode == 1
    assert done.stdout == ""
    assert done.stderr == (
        "The stack 'mine' is not running. Start it with `frazil dev --detach --stack mine`.\n"
    )


@pytest.mark.timeout(30)
def test_a_setting_that_makes_no_sense_is_named(tmp_path: Path) -> None:
    done = _frazil(tmp_path, "status", FRAZIL_KAFKA_PORT="many")
    assert done.returncode == 1
    assert done.stderr.startswith("FRAZIL_KAFKA_PORT: Input should be a valid integer")


def test_other_errors_are_not_hidden(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken() -> None:
        raise ZeroDivisionError

    monkeypatch.setattr(command, "app", broken)
    with pytest.raises(ZeroDivisionError):
        command.main()


def test_the_message_is_shown_as_it_is(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def failing() -> None:
        raise UserError("Use [brackets] freely.")

    monkeypatch.setattr(command, "app", failing)
    with pytest.raises(SystemExit, match="1"):
        command.main()
    assert "Use [brackets] freely." in capsys.readouterr().err

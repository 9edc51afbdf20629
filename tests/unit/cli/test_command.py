import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.unit.cli.fake_docker import FakeDocker, described
from typer.testing import CliRunner

from frazil.cli import __main__ as command
from frazil.cli.containers.stack import ContainerStack
from frazil.cli.kinds import NotLocalError
from frazil.cli.settings import BadSettingError
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


def _invoke(monkeypatch: pytest.MonkeyPatch, docker: FakeDocker, *arguments: str) -> int:
    monkeypatch.setattr(command, "DockerCommand", lambda: docker)
    done = CliRunner().invoke(command.app, arguments)
    if done.exception and not isinstance(done.exception, SystemExit):
        raise done.exception
    return done.exit_code


@pytest.fixture
def _no_compose_variables(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[None]:
    monkeypatch.delenv("COMPOSE_PROJECT_NAME", raising=False)
    monkeypatch.setattr("frazil.cli.settings._COMPOSE", tmp_path)
    monkeypatch.setenv("FRAZIL_HOME", str(tmp_path))
    command.settings.cache_clear()
    yield
    command.settings.cache_clear()


@pytest.mark.usefixtures("_no_compose_variables")
def test_without_a_name_a_verb_is_for_the_containers_if_there_are_any(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    docker = FakeDocker(services=[described("kafka")])
    assert _invoke(monkeypatch, docker, "stop") == 0
    assert docker.calls == ["compose --project-name frazil stop"]


VERBS = (["status"], ["logs"], ["produce"], ["query"], ["verify", "sink"], ["stop"], ["clean"])


class ChosenError(Exception):
    """Raised by whatever is asked first of the stack that was chosen."""


class Trap:
    def __init__(self, kind: str) -> None:
        self._kind = kind

    def exists(self) -> bool:
        return self._kind == "containers that are there"

    def __getattr__(self, _name: str) -> object:
        raise ChosenError(self._kind)


def _chosen(monkeypatch: pytest.MonkeyPatch, containers: str, *arguments: str) -> str:
    monkeypatch.setattr(command, "_containers", lambda: Trap(containers))
    monkeypatch.setattr(command, "_local", lambda name: Trap(f"local {name}"))
    done = CliRunner().invoke(command.app, arguments)
    assert isinstance(done.exception, ChosenError)
    return str(done.exception)


@pytest.mark.parametrize("verb", VERBS, ids=lambda verb: verb[0])
def test_without_a_name_it_is_the_containers_if_there_are_any_else_dev(
    monkeypatch: pytest.MonkeyPatch, verb: list[str]
) -> None:
    there, not_there = "containers that are there", "containers that are not"
    assert _chosen(monkeypatch, there, *verb) == there
    assert _chosen(monkeypatch, not_there, *verb) == "local dev"


@pytest.mark.parametrize("verb", VERBS, ids=lambda verb: verb[0])
def test_a_name_that_is_given_decides(monkeypatch: pytest.MonkeyPatch, verb: list[str]) -> None:
    there, not_there = "containers that are there", "containers that are not"
    assert _chosen(monkeypatch, there, *verb, "--stack", "dev") == "local dev"
    assert _chosen(monkeypatch, not_there, *verb, "--stack", "containers") == not_there


@pytest.fixture
def generated(monkeypatch: pytest.MonkeyPatch) -> list[list[str]]:
    """Keep the arguments behind `produce` in the place of running the generator."""
    kafka = described("kafka", ports={9092: 19092})
    monkeypatch.setattr(command, "DockerCommand", lambda: FakeDocker(services=[kafka]))
    calls: list[list[str]] = []

    def run(arguments: list[str], **_: object) -> "subprocess.CompletedProcess[bytes]":
        calls.append(arguments[arguments.index("produce") + 1 :])
        return subprocess.CompletedProcess(arguments, 0)

    monkeypatch.setattr(subprocess, "run", run)
    return calls


@pytest.mark.usefixtures("_no_compose_variables")
def test_produce_ends_after_a_thousand_records_a_topic_and_says_so(
    generated: list[list[str]],
) -> None:
    done = CliRunner().invoke(command.app, ["produce"])
    servers = ["--bootstrap-servers", "127.0.0.1:19092"]
    assert done.exit_code == 0
    assert generated == [["all", "-n", "1000", *servers]]
    assert "1,000 records a topic" in done.stderr
    assert "--endless" in done.stderr
    assert done.stdout == ""


@pytest.mark.usefixtures("_no_compose_variables")
def test_produce_goes_on_until_interrupted_if_it_is_asked_to(generated: list[list[str]]) -> None:
    done = CliRunner().invoke(command.app, ["produce", "apilogs", "--endless", "--rate", "5"])
    servers = ["--bootstrap-servers", "127.0.0.1:19092"]
    assert (done.exit_code, done.output) == (0, "")
    assert generated == [["apilogs", "--rate", "5.0", *servers]]


@pytest.mark.usefixtures("_no_compose_variables")
def test_produce_gives_the_names_of_topics_that_the_file_of_variables_has(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    kafka = described("kafka", ports={9092: 19092})
    monkeypatch.setattr(command, "DockerCommand", lambda: FakeDocker(services=[kafka]))
    (tmp_path / ".env").write_text("API_LOGS_TOPIC=logs.api\n")
    seen: list[dict[str, str]] = []

    def run(
        arguments: list[str], env: dict[str, str], check: bool
    ) -> "subprocess.CompletedProcess[bytes]":
        seen.append(env)
        return subprocess.CompletedProcess(arguments, int(check))

    monkeypatch.setattr(subprocess, "run", run)
    assert CliRunner().invoke(command.app, ["produce", "-n", "1"]).exit_code == 0
    assert seen[0]["API_LOGS_TOPIC"] == "logs.api"
    assert seen[0]["ERROR_LOGS_TOPIC"] == "errorlogs"


@pytest.mark.usefixtures("_no_compose_variables")
def test_a_setting_of_the_containers_that_makes_no_sense_is_named(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("API_LOGS_TOPIC", "api logs")
    with pytest.raises(BadSettingError, match=r"^API_LOGS_TOPIC: "):
        _invoke(monkeypatch, FakeDocker(), "status")


@pytest.mark.usefixtures("_no_compose_variables")
def test_a_number_and_no_end_exclude_each_other(generated: list[list[str]]) -> None:
    done = CliRunner().invoke(command.app, ["produce", "-n", "5", "--endless"])
    assert done.exit_code == 2
    assert generated == []


@pytest.mark.usefixtures("_no_compose_variables")
def test_a_local_stack_is_not_called_as_the_containers_are(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with pytest.raises(NotLocalError):
        _invoke(monkeypatch, FakeDocker(), "dev", "--stack", "containers")


@pytest.mark.usefixtures("_no_compose_variables")
def test_a_restart_is_a_stop_and_a_start(monkeypatch: pytest.MonkeyPatch) -> None:
    did: list[str] = []
    monkeypatch.setattr(ContainerStack, "stop", lambda _: did.append("stop"))
    monkeypatch.setattr(ContainerStack, "start", lambda _, topology: did.append(f"{topology}"))
    assert _invoke(monkeypatch, FakeDocker(), "restart") == 0
    assert did == ["stop", "None"]


@pytest.mark.usefixtures("_no_compose_variables")
def test_the_project_is_the_one_that_the_file_of_variables_names(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / ".env").write_text("COMPOSE_PROJECT_NAME=other\n")
    docker = FakeDocker(services=[described("kafka")])
    assert _invoke(monkeypatch, docker, "stop", "--stack", "containers") == 0
    assert docker.calls == ["compose --project-name other stop"]


@pytest.mark.usefixtures("_no_compose_variables")
def test_the_doctor_exits_with_1_if_anything_is_wrong(monkeypatch: pytest.MonkeyPatch) -> None:
    assert _invoke(monkeypatch, FakeDocker(), "doctor") == 1
    monkeypatch.setattr(command, "diagnose", lambda _: [])
    assert _invoke(monkeypatch, FakeDocker(), "doctor") == 0

"""`frazil clean` deletes what it has named, and only with a yes."""

from pathlib import Path

import pytest
from tests.unit.cli.fake_docker import FakeDocker, described, described_worker
from typer.testing import CliRunner, Result

from frazil.cli import __main__ as command
from frazil.cli import deletion
from frazil.cli.containers.checks import NoEngineError
from frazil.cli.folder import StackFolder
from frazil.cli.local import LocalStack
from frazil.cli.screen import Screen
from frazil.cli.stack import KAFKA, AlreadyRunsError


@pytest.fixture
def docker(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> FakeDocker:
    fake = FakeDocker()
    monkeypatch.delenv("COMPOSE_PROJECT_NAME", raising=False)
    monkeypatch.setattr("frazil.cli.settings._COMPOSE", tmp_path)
    monkeypatch.setattr(command, "DockerCommand", lambda: fake)
    monkeypatch.setattr(command, "_local", lambda name: _local(tmp_path, name))
    return fake


def _local(home: Path, name: str) -> LocalStack:
    return LocalStack(StackFolder(home, name), Screen())


def _filled(home: Path, name: str = "dev") -> Path:
    root = StackFolder(home, name).root
    root.mkdir(parents=True)
    (root / "control-api.db").write_bytes(b"x" * 2_500_000)
    return root


def _clean(*arguments: str, answer: str | None = None) -> Result:
    return CliRunner().invoke(command.app, ["clean", *arguments], input=answer)


@pytest.fixture
def _terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(deletion, "has_terminal", lambda: True)


@pytest.mark.usefixtures("docker")
def test_without_a_terminal_and_a_yes_nothing_is_deleted(tmp_path: Path) -> None:
    root = _filled(tmp_path)
    done = _clean()
    assert isinstance(done.exception, deletion.NotConfirmedError)
    assert "`frazil clean --stack dev --yes`" in str(done.exception)
    assert f"folder {root} (2.5 MB)" in done.output
    assert root.exists()


@pytest.mark.usefixtures("docker", "_terminal")
def test_an_answer_decides(tmp_path: Path) -> None:
    root = _filled(tmp_path)
    assert isinstance(_clean(answer="n\n").exception, deletion.NotConfirmedError)
    assert isinstance(_clean(answer="\n").exception, deletion.NotConfirmedError)
    assert root.exists()
    done = _clean(answer="y\n")
    assert done.exit_code == 0
    assert "the stack 'dev' with all its data" in done.output
    assert not root.exists()


@pytest.mark.usefixtures("docker")
def test_yes_deletes_without_a_question_and_still_names_what(tmp_path: Path) -> None:
    root = _filled(tmp_path, "other")
    done = _clean("--yes", "--stack", "other")
    assert done.exit_code == 0
    assert f"folder {root}" in done.output
    assert not root.exists()


@pytest.mark.usefixtures("docker")
def test_where_nothing_is_there_is_no_question() -> None:
    done = _clean()
    assert done.exit_code == 0
    assert done.output == "The stack 'dev' has no data.\n"


@pytest.mark.usefixtures("docker", "_terminal")
def test_a_stack_that_runs_is_refused_before_the_question(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    root = _filled(tmp_path)
    running = StackFolder(tmp_path, "dev").service(KAFKA)
    monkeypatch.setattr(type(running), "is_alive", lambda child: child == running)
    assert isinstance(_clean("--yes").exception, AlreadyRunsError)
    assert root.exists()


def test_containers_are_named_with_their_workers_volumes_and_networks(docker: FakeDocker) -> None:
    docker.services = [described("kafka")]
    docker.workers = [described_worker("sink")]
    docker.volumes, docker.networks = ["frazil_kafka-data"], ["kafka-iceberg"]
    done = _clean()
    assert isinstance(done.exception, deletion.NotConfirmedError)
    assert done.output.splitlines() == [
        "This deletes the stack 'containers' with all its data:",
        "  container kafka",
        "  container worker of sink",
        "  volume frazil_kafka-data",
        "  network kafka-iceberg",
    ]
    assert docker.calls == []
    assert _clean("--yes").exit_code == 0
    assert docker.calls[-1].endswith("down --volumes --remove-orphans")


def test_volumes_that_containers_have_left_are_enough_to_ask(docker: FakeDocker) -> None:
    docker.volumes = ["frazil_kafka-data"]
    done = _clean("--stack", "containers", "--yes")
    assert "volume frazil_kafka-data" in done.output
    assert docker.calls[-1].endswith("down --volumes --remove-orphans")


def test_without_an_engine_nothing_is_named(docker: FakeDocker) -> None:
    docker.failing = ["version"]
    assert isinstance(_clean("--stack", "containers", "--yes").exception, NoEngineError)

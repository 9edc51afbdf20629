"""The command: what is printed, and each exit code."""

import sys
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path

import pytest
from rich.console import Console
from tests.support.provisioner_world import World

import frazil.provisioner.__main__ as command
from frazil.provisioner.converge import System
from frazil.provisioner.desired import DesiredState
from frazil.provisioner.errors import UnavailableError
from frazil.provisioner.patience import Patience
from frazil.provisioner.plan import TopicState

FILE = """
kafka:
  bootstrap.servers: ${SERVERS}
  topics: [{name: a, partitions: 2}, {name: b, partitions: 1}]
connect:
  url: ${URL}
  connectors: []
"""
Run = Callable[..., int]


@pytest.fixture
def world() -> World:
    return World(DesiredState())


@pytest.fixture
def shown() -> list[Mapping[str, str]]:
    """Keep what Connect's server is shown."""
    return []


@pytest.fixture
def run(
    world: World,
    shown: list[Mapping[str, str]],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> Run:
    """Call the command as a shell would, and return its exit code."""
    (tmp_path / "f.yaml").write_text(FILE)
    monkeypatch.chdir(tmp_path)

    @asynccontextmanager
    async def open_systems(
        desired: DesiredState, _seconds: float, headers: Mapping[str, str]
    ) -> AsyncIterator[list[System]]:
        world.desired = desired
        shown.append(headers)
        if desired.kafka and desired.kafka.bootstrap_servers == "down:1":
            raise UnavailableError("Kafka", "down:1")
        yield [world]

    def call(*arguments: str) -> int:
        monkeypatch.setattr(command, "console", Console(highlight=False, soft_wrap=True))
        monkeypatch.setattr(sys, "argv", ["provisioner", *arguments])
        with pytest.raises(SystemExit) as ended:
            command.main()
        return int(ended.value.code or 0)

    monkeypatch.setattr(command, "open_systems", open_systems)
    monkeypatch.setattr(command, "configure", lambda *_: None)
    return call


TOPICS = ("f.yaml", "--set", "SERVERS=k:1", "--only", "topics")


def test_apply_prints_each_step_and_then_has_nothing_to_do(
    run: Run, world: World, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run("apply", *TOPICS) == 0
    first = capsys.readouterr().out.splitlines()
    assert first[0].startswith("✓ The world answers (")
    assert first[1] == "The world:"
    assert first[2].startswith("✓ create topic a with 2 partitions (")
    assert first[-1] == "Done: 2 steps."
    assert run("apply", *TOPICS) == 0
    assert capsys.readouterr().out.splitlines()[1:] == ["Nothing to do."]
    assert len(world.applied) == 2


@pytest.mark.parametrize(
    ("token_url", "is_shown"),
    [(None, True), ("http://connect:8083", True), ("http://another:8083", False)],
)
def test_a_token_is_shown_to_the_server_that_it_is_for_alone(
    run: Run,
    shown: list[Mapping[str, str]],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    token_url: str | None,
    is_shown: bool,
) -> None:
    (tmp_path / "token").write_text("t1")
    monkeypatch.setenv("FRAZIL_CONNECT_TOKEN_FILE", str(tmp_path / "token"))
    if token_url:
        monkeypatch.setenv("FRAZIL_CONNECT_TOKEN_URL", token_url)
    values = ("--set", "SERVERS=k:1", "--set", "URL=http://connect:8083")
    assert run("apply", "f.yaml", *values) == 0
    assert shown == [{"Authorization": "Bearer t1"} if is_shown else {}]


def test_plan_prints_what_would_be_done_and_does_not_do_it(
    run: Run, world: World, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run("plan", *TOPICS) == 0
    assert capsys.readouterr().out.splitlines() == [
        "+ create topic a with 2 partitions",
        "+ create topic b with 1 partition",
    ]
    assert world.applied == []


def test_check_exits_with_2_and_names_the_drift(
    run: Run, world: World, capsys: pytest.CaptureFixture[str]
) -> None:
    world.topics = {"a": TopicState(2, 1, {})}
    assert run("check", *TOPICS) == 2
    assert capsys.readouterr().out == "+ create topic b with 1 partition\n"


def test_check_is_content_when_nothing_differs(
    run: Run, world: World, capsys: pytest.CaptureFixture[str]
) -> None:
    world.topics = {"a": TopicState(2, 1, {}), "b": TopicState(1, 1, {}), "c": TopicState(1, 1, {})}
    assert run("check", *TOPICS) == 0
    assert capsys.readouterr().out == "Everything is as f.yaml says.\n"


@pytest.mark.parametrize(("verb", "code"), [("plan", 3), ("apply", 3), ("check", 2)])
def test_a_refusal_is_said_and_nothing_is_done(
    run: Run, world: World, capsys: pytest.CaptureFixture[str], verb: str, code: int
) -> None:
    world.topics = {"a": TopicState(5, 1, {})}
    assert run(verb, *TOPICS) == code
    said = capsys.readouterr()
    assert "Topic a has 5 partitions" in said.out + said.err
    assert world.applied == []


def test_a_system_that_is_not_there_is_one_sentence(
    run: Run, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run("apply", "f.yaml", "--set", "SERVERS=down:1", "--only", "topics") == 1
    assert capsys.readouterr().err == "Kafka does not answer at down:1.\n"


def test_apply_waits_as_long_as_the_setting_says_and_tells(
    run: Run, world: World, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(command, "Patience", partial(Patience, pause=0))
    monkeypatch.setenv("FRAZIL_WAIT_SECONDS", "60")
    world.absent_looks = 2
    assert run("apply", *TOPICS) == 0
    first = capsys.readouterr().out.splitlines()[0]
    assert first == (
        "  waiting, 0 s of at most 60 s: The world does not answer at nowhere: it sleeps."
    )
    assert len(world.applied) == 2


@pytest.mark.parametrize("verb", ["plan", "check"])
def test_a_look_waits_for_nobody(
    run: Run, world: World, monkeypatch: pytest.MonkeyPatch, verb: str
) -> None:
    monkeypatch.setenv("FRAZIL_WAIT_SECONDS", "60")
    world.absent_looks = 1
    assert run(verb, *TOPICS) == 1


def test_values_come_from_the_environment_and_set_wins(
    run: Run, world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SERVERS", "environment:1")
    monkeypatch.setenv("URL", "http://c")
    assert run("plan", "f.yaml") == 0
    assert world.desired.kafka
    assert world.desired.kafka.bootstrap_servers == "environment:1"
    assert run("plan", "f.yaml", "--set", "SERVERS=option=1") == 0
    assert world.desired.kafka.bootstrap_servers == "option=1"


def test_a_value_may_come_from_a_file_and_not_from_the_command_line(
    run: Run, world: World, tmp_path: Path
) -> None:
    (tmp_path / "servers").write_text("file:1\n")
    assert run("plan", "f.yaml", "--set-file", "SERVERS=servers", "--only", "topics") == 0
    assert world.desired.kafka
    assert world.desired.kafka.bootstrap_servers == "file:1"


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("f.yaml",), "f.yaml needs a value for SERVERS, URL"),
        (("f.yaml", "--set", "SERVERS"), "--set takes NAME=VALUE, not 'SERVERS'."),
        (("f.yaml", "--set-file", "SERVERS"), "--set-file takes NAME=VALUE, not 'SERVERS'."),
        (("f.yaml", "--set-file", "SERVERS=none"), "--set-file cannot read none"),
        (("f.yaml", "--only", "topics,redis"), "--only does not know redis"),
        (("none.yaml",), "none.yaml cannot be used"),
    ],
)
def test_what_was_asked_for_wrongly_exits_with_4(
    run: Run, capsys: pytest.CaptureFixture[str], arguments: tuple[str, ...], sentence: str
) -> None:
    assert run("plan", *arguments) == 4
    assert sentence in capsys.readouterr().err


def test_a_setting_that_makes_no_sense_is_a_sentence_and_exits_with_4(
    run: Run, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FRAZIL_TIMEOUT_SECONDS", "no")
    assert run("plan", *TOPICS) == 4
    assert "FRAZIL_TIMEOUT_SECONDS: Input should be a valid number" in capsys.readouterr().err

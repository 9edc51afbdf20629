"""The command line: what it prints, and with which exit code it ends."""

import json
from collections.abc import Iterator
from typing import Any

import pytest
from structlog.testing import capture_logs
from typer.testing import CliRunner

import frazil.log_generator.__main__ as command
from frazil.cli.generator import generator_command, generator_environment
from frazil.contracts.log_topics import Topic
from frazil.log_generator.drive import Drive
from frazil.log_generator.errors import BrokerUnavailableError
from frazil.log_generator.topics import topics_of


@pytest.fixture
def calls(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[dict[str, Any]]]:
    made: list[dict[str, Any]] = []

    async def produce(servers: str, **arguments: Any) -> None:
        made.append({"servers": servers, **arguments})
        if servers == "nowhere:1":
            raise BrokerUnavailableError(servers)
        for report in arguments["reports"].values():
            report.produced = 5

    monkeypatch.setattr(command, "produce_records", produce)
    monkeypatch.setattr(command, "configure", lambda *_: None)
    with capture_logs():
        yield made


def invoke(*arguments: str) -> Any:
    return CliRunner().invoke(command.app, arguments)


def test_one_json_line_a_topic_ends_a_run(calls: list[dict[str, Any]]) -> None:
    result = invoke("produce", "all", "-n", "5", "--rate", "10", "--bootstrap-servers", "here:1")
    lines = [json.loads(line) for line in result.stdout.splitlines()]
    assert result.exit_code == 0
    assert [line["topic"] for line in lines] == list(Topic)
    assert set(lines[0]) == {"topic", "produced", "bad", "seconds"}
    assert calls[0]["servers"] == "here:1"
    assert (calls[0]["pace"].count, calls[0]["pace"].rate) == (5, 10.0)


def test_a_broker_that_is_not_there_is_one_sentence(calls: list[dict[str, Any]]) -> None:
    result = invoke("produce", "apilogs", "-n", "5", "--bootstrap-servers", "nowhere:1")
    assert result.exit_code == 1
    assert result.stderr.strip().splitlines()[-1] == "No Kafka broker answers at nowhere:1."
    assert json.loads(result.stdout)["produced"] == 0
    assert len(calls) == 1


def test_an_unknown_topic_is_refused_before_anything_starts(calls: list[dict[str, Any]]) -> None:
    result = invoke("produce", "syslogs")
    assert result.exit_code == 2
    assert not calls


def test_the_environment_names_the_broker(
    calls: list[dict[str, Any]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FRAZIL_BOOTSTRAP_SERVERS", "there:9")
    invoke("produce", "auditlogs", "-n", "1")
    assert calls[0]["servers"] == "there:9"


def test_what_the_frazil_command_starts_is_understood(calls: list[dict[str, Any]]) -> None:
    arguments = generator_command("all", "-n", "1", "--rate", "2.5", servers="here:1")[3:]
    assert invoke(*arguments).exit_code == 0
    assert calls[0]["servers"] == "here:1"


@pytest.fixture
def driven(monkeypatch: pytest.MonkeyPatch, calls: list[dict[str, Any]]) -> list[Drive]:
    del calls
    made: list[Drive] = []

    async def run(self: Drive) -> None:
        made.append(self)

    monkeypatch.setattr(Drive, "run", run)
    monkeypatch.setenv("FRAZIL_S3_RATE", "0")
    return made


def test_one_json_line_ends_a_drive(driven: list[Drive], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FRAZIL_RECORDS_TOPICS", "auditlogs")
    result = invoke("drive")
    assert result.exit_code == 0
    assert json.loads(result.stdout) == {"operations": {}, "records": {"auditlogs": 0}}
    assert len(driven) == 1


def test_the_store_is_used_if_it_is_known(
    driven: list[Drive], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FRAZIL_S3_RATE", "3")
    monkeypatch.setenv("FRAZIL_S3_ENDPOINT", "http://nowhere")
    monkeypatch.setenv("FRAZIL_S3_ACCESS_KEY", "key")
    monkeypatch.setenv("FRAZIL_S3_SECRET_KEY", "hush")
    result = invoke("drive")
    assert result.exit_code == 0
    assert driven[0]._traffic is not None
    assert "hush" not in result.output


def test_settings_that_make_no_sense_start_nothing(
    driven: list[Drive], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FRAZIL_S3_MIX", "copy:1")
    result = invoke("drive")
    assert result.exit_code == 2
    assert "FRAZIL_S3_MIX" in result.stderr
    assert driven == []


@pytest.mark.parametrize(("beating", "code"), [(True, 0), (False, 1)])
def test_health_is_an_exit_code(monkeypatch: pytest.MonkeyPatch, beating: bool, code: int) -> None:
    monkeypatch.setattr(command, "is_beating", lambda: beating)
    assert invoke("healthy").exit_code == code


@pytest.mark.parametrize("word", ["apilogs", "logs.api"])
def test_a_renamed_topic_is_known_by_its_role_and_by_its_name(
    calls: list[dict[str, Any]], monkeypatch: pytest.MonkeyPatch, word: str
) -> None:
    monkeypatch.setenv("API_LOGS_TOPIC", "logs.api")
    result = invoke("produce", word, "-n", "5")
    assert result.exit_code == 0
    assert list(calls[0]["sources"]) == ["logs.api"]
    assert json.loads(result.stdout)["topic"] == "logs.api"


def test_all_topics_are_filled_under_their_names(
    calls: list[dict[str, Any]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ERROR_LOGS_TOPIC", "logs.error")
    assert invoke("produce", "all", "-n", "5").exit_code == 0
    assert list(calls[0]["sources"]) == ["apilogs", "logs.error", "auditlogs"]


def test_a_drive_produces_into_renamed_topics(
    driven: list[Drive], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AUDIT_LOGS_TOPIC", "logs.audit")
    result = invoke("drive")
    assert json.loads(result.stdout)["records"] == {"errorlogs": 0, "logs.audit": 0}
    assert len(driven) == 1


def test_what_the_frazil_command_gives_the_generator_renames_its_topics(
    calls: list[dict[str, Any]], monkeypatch: pytest.MonkeyPatch
) -> None:
    names = {Topic.API: "a", Topic.ERROR: "b", Topic.AUDIT: "c"}
    for name, value in generator_environment({}, names).items():
        monkeypatch.setenv(name, value)
    assert invoke("produce", "all", "-n", "5").exit_code == 0
    assert list(calls[0]["sources"]) == ["a", "b", "c"]


def test_an_unknown_word_for_a_topic_lists_the_known_ones() -> None:
    with pytest.raises(ValueError, match="apilogs, errorlogs, auditlogs or all"):
        topics_of("syslogs")

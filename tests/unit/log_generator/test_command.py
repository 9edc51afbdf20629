"""The command line: what it prints, and with which exit code it ends."""

import json
from collections.abc import Iterator
from typing import Any

import pytest
from structlog.testing import capture_logs
from typer.testing import CliRunner

import frazil.log_generator.__main__ as command
from frazil.log_generator.errors import BrokerUnavailableError
from frazil.log_generator.topics import Topic, topics_of


@pytest.fixture
def calls(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[dict[str, Any]]]:
    made: list[dict[str, Any]] = []

    async def produce(servers: str, **arguments: Any) -> None:
        made.append({"servers": servers, **arguments})
        if servers == "nowhere:1":
            raise BrokerUnavailableError(servers)
        for report in arguments["reports"].values():
            report.produced = 5

    monkeypatch.setattr(command, "produce", produce)
    monkeypatch.setattr(command, "configure", lambda *_: None)
    with capture_logs():
        yield made


def invoke(*arguments: str) -> Any:
    return CliRunner().invoke(command.app, arguments)


def test_one_json_line_a_topic_ends_a_run(calls: list[dict[str, Any]]) -> None:
    result = invoke("all", "-n", "5", "--rate", "10", "--bootstrap-servers", "here:1")
    lines = [json.loads(line) for line in result.stdout.splitlines()]
    assert result.exit_code == 0
    assert [line["topic"] for line in lines] == list(Topic)
    assert set(lines[0]) == {"topic", "produced", "bad", "seconds"}
    assert calls[0]["servers"] == "here:1"
    assert (calls[0]["pace"].count, calls[0]["pace"].rate) == (5, 10.0)


def test_a_broker_that_is_not_there_is_one_sentence(calls: list[dict[str, Any]]) -> None:
    result = invoke("apilogs", "-n", "5", "--bootstrap-servers", "nowhere:1")
    assert result.exit_code == 1
    assert result.stderr.strip().splitlines()[-1] == "No Kafka broker answers at nowhere:1."
    assert json.loads(result.stdout)["produced"] == 0
    assert len(calls) == 1


def test_an_unknown_topic_is_refused_before_anything_starts(calls: list[dict[str, Any]]) -> None:
    result = invoke("syslogs")
    assert result.exit_code == 2
    assert not calls


def test_the_environment_names_the_broker(
    calls: list[dict[str, Any]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FRAZIL_BOOTSTRAP_SERVERS", "there:9")
    invoke("auditlogs", "-n", "1")
    assert calls[0]["servers"] == "there:9"


def test_an_unknown_word_for_a_topic_lists_the_known_ones() -> None:
    with pytest.raises(ValueError, match="apilogs, errorlogs, auditlogs or all"):
        topics_of("syslogs")

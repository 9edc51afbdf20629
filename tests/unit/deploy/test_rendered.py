"""The container stack as compose renders it: with the variables that a user sets, and without."""

from collections.abc import Mapping

import pytest
from tests.support.compose import Rendered, is_here, rendered
from tests.support.environment import environment

from frazil.cli.settings import read_compose_settings
from frazil.log_generator.settings import DriveSettings
from frazil.runtime.log_topics import Topic

pytestmark = pytest.mark.skipif(not is_here(), reason="`docker compose` is not on this machine")

TOPOLOGIES = ("single", "dual")
RENAMED = {
    "API_LOGS_TOPIC": "logs.api",
    "ERROR_LOGS_TOPIC": "logs.error",
    "AUDIT_LOGS_TOPIC": "logs.audit",
}


def in_container(monkeypatch: pytest.MonkeyPatch, given: Mapping[str, str], **more: str) -> None:
    """Give this process the environment of a container, and nothing else of that kind."""
    for name in environment():
        if name.startswith(("FRAZIL_", "MINIO_", "KAFKA_")) or name.endswith("_LOGS_TOPIC"):
            monkeypatch.delenv(name)
    for name, value in {**given, **more}.items():
        monkeypatch.setenv(name, value)


def connectors(stack: Rendered) -> dict[str, dict[str, str]]:
    connect = stack.desired().connect
    assert connect
    return {one.name: dict(one.config) for one in connect.connectors}


@pytest.mark.parametrize("topology", TOPOLOGIES)
def test_renamed_topics_reach_topics_connectors_and_generator(
    topology: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    stack = rendered(topology, **RENAMED)
    kafka = stack.desired().kafka
    assert kafka
    made = {topic.name for topic in kafka.topics}
    assert made == {"control-iceberg", "minio-audit", *RENAMED.values()}
    assert {name: config["topics"] for name, config in connectors(stack).items()} == {
        "iceberg-sink-apilogs": "logs.api,minio-audit",
        "iceberg-sink-errorlogs": "logs.error",
        "iceberg-sink-auditlogs": "logs.audit",
    }
    # The tables keep their names, and with them every query.
    assert {config["iceberg.tables"] for config in connectors(stack).values()} == {
        f"streaming.{topic}" for topic in Topic
    }
    in_container(monkeypatch, stack.environment("log-generator"), FRAZIL_S3_RATE="0")
    generator = DriveSettings()
    assert {generator.log_topics[topic] for topic in generator.topics} <= made


def test_renamed_topics_reach_the_command(monkeypatch: pytest.MonkeyPatch) -> None:
    in_container(monkeypatch, RENAMED)
    assert list(read_compose_settings().log_topics.values()) == list(RENAMED.values())

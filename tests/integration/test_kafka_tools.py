"""Kafka's tools by their plain names in the broker's container, whatever its image is."""

import subprocess
from pathlib import Path

import pytest
from tests.support.compose import FOLDER
from tests.support.docker_lab import BASE_IMAGE, missing

KAFKA_IMAGE = "apache/kafka:4.3.1"
TOOLS = FOLDER / "kafka-bin"

pytestmark = [pytest.mark.docker, pytest.mark.timeout(120)]


def run(image: str, tool: str, *arguments: str, mounts: tuple[str, ...] = ()) -> str:
    """Run a tool by its name alone, with the folder where the stack mounts it."""
    if why := missing(image):
        pytest.skip(why)
    volumes = [
        part for mount in (f"{TOOLS}:/usr/local/sbin:ro", *mounts) for part in ("--volume", mount)
    ]
    done = subprocess.run(
        ["docker", "run", "--rm", "--network", "none", "--user", "1000", *volumes,
         "--entrypoint", tool, image, *arguments],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.mark.parametrize("tool", ["kafka-topics", "kafka-console-consumer", "kafka-configs"])
def test_a_tool_of_the_broker_image_is_on_the_path(tool: str) -> None:
    assert run(KAFKA_IMAGE, tool, "--version").startswith("4.3.1")


@pytest.mark.parametrize("place", ["/opt/kafka/bin/kafka-topics.sh", "/usr/bin/kafka-topics"])
def test_the_layouts_of_apache_and_of_confluent_are_known(place: str, tmp_path: Path) -> None:
    tool = tmp_path / "tool"
    tool.write_text('#!/bin/sh\nprintf "%s|" "$@"\n')
    tool.chmod(0o755)
    said = run(BASE_IMAGE, "kafka-topics", "--topic", "a b", mounts=(f"{tool}:{place}:ro",))
    assert said == "--topic|a b|"

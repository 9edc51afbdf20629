import re
import socket
from pathlib import Path

import pytest
from tests.support.compose import variables
from tests.unit.cli.fake_docker import FakeDocker

from frazil.cli.containers import checks
from frazil.cli.containers.checks import PublishedPort, parsed_plan
from frazil.cli.containers.project import DEFAULT_KEY, Topology
from frazil.cli.containers.seen import Container
from frazil.cli.ports import HOST, PortTakenError
from frazil.cli.settings import ComposeSettings

COMPOSE = Path(__file__).resolve().parents[3] / "deploy" / "compose"

PLAN = """{"services": {
  "kafka-connect": {"image": "frazil-control-api:1",
    "environment": {"FRAZIL_DOCKER_IMAGE": "frazil-worker:1"},
    "ports": [{"target": 8083, "published": "18083"}]},
  "postgres": {"image": "postgres:17"},
  "other": {"image": "postgres:17", "ports": []}}}"""


def test_a_plan_has_each_image_once_and_that_of_the_workers_too() -> None:
    plan = parsed_plan(PLAN)
    assert plan.images == ("frazil-control-api:1", "frazil-worker:1", "postgres:17")
    assert plan.ports == (PublishedPort("kafka-connect", 8083, 18083),)


def test_an_engine_that_does_not_answer_is_a_sentence() -> None:
    with pytest.raises(checks.NoEngineError, match=r"does not answer: .* DOCKER_HOST"):
        checks.require_engine(FakeDocker(failing=["version"]))


def test_a_missing_plugin_is_a_sentence() -> None:
    with pytest.raises(checks.NoComposeError, match="docker-compose-plugin"):
        checks.require_engine(FakeDocker(failing=["compose version"]))


def test_what_answers_is_let_through() -> None:
    checks.require_engine(FakeDocker())


def test_images_of_our_own_are_built_and_never_pulled() -> None:
    docker = FakeDocker(images=["frazil-a:1"])
    with pytest.raises(checks.NoOwnImageError, match=r"Not built yet: frazil-b:1\. `make images`"):
        checks.require_images(docker, ["frazil-a:1", "frazil-b:1", "postgres:17"])
    assert docker.calls == []


def test_images_of_others_are_pulled_if_they_are_missing() -> None:
    docker = FakeDocker(images=["nginx:1"])
    checks.require_images(docker, ["nginx:1", "postgres:17"])
    assert docker.calls == ["pull postgres:17"]


def test_an_image_that_cannot_be_pulled_is_a_sentence() -> None:
    with pytest.raises(checks.NoImageError, match=r"postgres:17 .*make airgap-images"):
        checks.require_images(FakeDocker(failing=["pull"]), ["postgres:17"])


def test_the_other_topology_has_to_go_first() -> None:
    with pytest.raises(checks.OtherTopologyError, match=r"there as 'dual'.*frazil clean"):
        checks.require_topology(Topology.SINGLE, Topology.DUAL)
    checks.require_topology(Topology.DUAL, Topology.DUAL)
    checks.require_topology(Topology.DUAL, None)


def test_a_port_of_somebody_else_is_named_with_the_variable_that_moves_it() -> None:
    with socket.create_server((HOST, 0)) as server:
        port = PublishedPort("trino", 8080, server.getsockname()[1])
        with pytest.raises(PortTakenError, match=f"{port.outside}, .* trino, .*Set TRINO_PORT"):
            checks.require_ports([port], running=[])
        ours = Container("1", "trino", ports={8080: port.outside})
        checks.require_ports([port], running=[ours])


@pytest.mark.parametrize("topology", ["single", "dual"])
def test_every_published_port_is_moved_by_the_variable_that_we_name(topology: str) -> None:
    text = "".join((COMPOSE / f"{name}.yaml").read_text() for name in ("compose", topology))
    published = re.compile(r"^  ([a-z-]+\d?):$|\$\{([A-Z_]+_PORT):-\d+\}:(\d+)\"", re.MULTILINE)
    service, found = "", 0
    for name, variable, inside in published.findall(text):
        service = name or service
        if variable:
            found += 1
            assert PublishedPort(service, int(inside), 0).variable == variable
    assert found == (5 if topology == "single" else 7)


def test_what_we_take_for_granted_is_what_compose_takes_for_granted() -> None:
    text = "".join(file.read_text() for file in COMPOSE.glob("*.yaml"))
    defaults = dict(variables(text))
    fields = ComposeSettings.model_fields
    for name in ("warehouse", "namespace", "brokers", "connect_url"):
        assert fields[name].default == defaults[str(fields[name].validation_alias)]
    assert defaults["MINIO_ROOT_USER"] == DEFAULT_KEY.access_key
    assert defaults["MINIO_ROOT_PASSWORD"] == DEFAULT_KEY.secret
    assert f"name: {fields['project'].default}\n" in text

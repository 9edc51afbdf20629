import json
from pathlib import Path

import pytest
from tests.unit.cli.fake_docker import FakeDocker, described, described_worker

from frazil.cli.containers.docker import DockerError
from frazil.cli.containers.project import Project, RootKey, Topology, topology_of
from frazil.cli.containers.seen import Container, containers, labels_of, parsed


def _one(**state: object) -> Container:
    (one,) = parsed(json.dumps([described("kafka", state=state, ports={9092: 19092}, restarts=2)]))
    return one


def test_a_service_is_read_as_docker_describes_it() -> None:
    one = _one(Status="exited", ExitCode=137, OOMKilled=True)
    assert (one.name, one.image, one.state, one.exit_code) == ("kafka", "kafka:1", "exited", 137)
    assert one.oom_killed
    assert one.restarts == 2
    assert one.ports == {9092: 19092}
    assert one.files == ("/deploy/compose/compose.yaml", "/deploy/compose/single.yaml")


@pytest.mark.parametrize(
    ("state", "condition"),
    [
        ({"Health": {"Status": "unhealthy"}}, "running (unhealthy)"),
        ({"Health": {"Status": "none"}}, "running"),
        ({"Health": None}, "running"),
        ({"Status": "exited", "ExitCode": 3, "Health": {"Status": "unhealthy"}}, "exited (3)"),
    ],
)
def test_the_condition_has_the_health_where_one_is_checked(
    state: dict[str, object], condition: str
) -> None:
    assert _one(**state).condition == condition


def test_a_worker_has_its_connectors_name_and_the_newest_is_last() -> None:
    text = json.dumps([described_worker("sink", 10), described_worker("sink", 9)])
    assert [(one.name, one.epoch) for one in parsed(text)] == [("sink", 9), ("sink", 10)]


@pytest.mark.parametrize("oneoff", [{"com.docker.compose.oneoff": "True"}, {}], ids=str)
def test_what_was_run_once_or_from_an_image_that_compose_has_built_is_no_service(
    oneoff: dict[str, str],
) -> None:
    labels = {"com.docker.compose.project": "frazil", "com.docker.compose.service": "kafka"}
    docker = FakeDocker(services=[described("kafka", labels=labels | oneoff)])
    assert containers(docker, *labels_of("frazil")) == []


def test_containers_are_found_by_their_label() -> None:
    docker = FakeDocker(services=[described("trino"), described("kafka")])
    found = containers(docker, "com.docker.compose.project=frazil")
    assert [one.name for one in found] == ["kafka", "trino"]
    assert containers(docker, "com.docker.compose.project=other") == []


def test_an_engine_that_is_away_is_told_in_its_own_words() -> None:
    with pytest.raises(DockerError, match=r"`docker ps .* did not work: ps .* failed"):
        containers(FakeDocker(failing=["ps"]), "a=b")


@pytest.mark.parametrize("topology", list(Topology))
@pytest.mark.parametrize(
    "overlays", [(), ("aistor",), ("outside",), ("aistor", "outside")], ids="+".join
)
def test_the_topology_is_told_from_the_files_that_were_given(
    topology: Topology, overlays: tuple[str, ...]
) -> None:
    key = RootKey("user", "secret")
    project = Project(
        *(Path("/compose"), "frazil", "w", "n", key),
        aistor="aistor" in overlays,
        outside="outside" in overlays,
    )
    declared = project.declared(topology)
    files = tuple(part for part in declared if part.endswith(".yaml"))
    more = [f"/compose/{topology}.{overlay}.yaml" for overlay in overlays]
    assert list(files) == ["/compose/compose.yaml", f"/compose/{topology}.yaml", *more]
    assert topology_of([Container("1", "kafka", files=files)]) is topology
    assert key.secret not in repr(project)


def test_without_containers_there_is_no_topology() -> None:
    assert topology_of([]) is None

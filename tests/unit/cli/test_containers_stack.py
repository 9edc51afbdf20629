import socket
from dataclasses import replace
from pathlib import Path

import pytest
from tests.unit.cli.fake_docker import FakeDocker, described, described_worker

from frazil.cli.containers import checks
from frazil.cli.containers.project import DEFAULT_KEY, Project, RootKey, Topology
from frazil.cli.containers.seen import Container
from frazil.cli.containers.stack import (
    ContainerStack,
    NotProvisionedError,
    NotRunningError,
    NotStartedError,
)
from frazil.cli.containers.status import is_well, summary
from frazil.cli.logview import NoLogError
from frazil.cli.ports import HOST, PortTakenError
from frazil.cli.screen import Screen

OWN_KEY = RootKey("user", "secret")
TOKEN = "t1"  # noqa: S105
UP = "--file /c/compose.yaml --file /c/{}.yaml up --detach --wait --wait-timeout 600"
DONE = {"Status": "exited", "ExitCode": 0}


def _stack(
    docker: FakeDocker,
    *,
    key: RootKey = OWN_KEY,
    store_key: RootKey = OWN_KEY,
    bind_address: str = "127.0.0.1",
    token_file: Path | None = None,
) -> ContainerStack:
    project = Project(
        *(Path("/c"), "frazil", "lake", "streaming", key, store_key), bind_address=bind_address
    )
    return ContainerStack(docker, project, Screen(), token_file)


def test_the_control_api_stops_first_then_workers_then_the_rest() -> None:
    docker = FakeDocker(
        services=[described("kafka"), described("kafka-connect")],
        workers=[described_worker("a"), described_worker("b")],
    )
    _stack(docker).stop()
    assert docker.calls == [
        "compose --project-name frazil stop kafka-connect",
        "stop id-a-1 id-b-1",
        "rm --force --volumes id-a-1 id-b-1",
        "compose --project-name frazil stop",
    ]


def test_a_clean_stops_first_and_then_leaves_nothing() -> None:
    docker = FakeDocker(services=[described("kafka")], workers=[described_worker("a")])
    _stack(docker).clean()
    assert docker.calls == [
        "stop id-a-1",
        "rm --force --volumes id-a-1",
        "compose --project-name frazil stop",
        "compose --project-name frazil down --volumes --remove-orphans",
    ]


def test_a_first_start_is_of_one_store() -> None:
    docker = FakeDocker()
    _stack(docker).start(None)
    assert docker.calls == [f"compose --project-name frazil {UP.format('single')}"]


def test_a_start_goes_on_with_the_topology_that_is_there() -> None:
    dual = described("kafka")
    dual["Config"]["Labels"]["com.docker.compose.project.config_files"] = "/x/dual.yaml"
    docker = FakeDocker(services=[dual])
    _stack(docker).start(None)
    assert docker.calls == [f"compose --project-name frazil {UP.format('dual')}"]
    with pytest.raises(checks.OtherTopologyError):
        _stack(docker).start(Topology.SINGLE)


@pytest.mark.parametrize("address", ["0.0.0.0", "192.168.1.5", "::"])
def test_stores_with_the_keys_that_everybody_knows_are_opened_to_nobody(address: str) -> None:
    docker = FakeDocker()
    with pytest.raises(checks.KnownKeysError, match="MINIO_ROOT_PASSWORD"):
        _stack(docker, key=DEFAULT_KEY, bind_address=address).start(None)
    with pytest.raises(checks.KnownKeysError):
        _stack(docker, store_key=DEFAULT_KEY, bind_address=address).start(None)
    assert docker.calls == []
    _stack(docker, bind_address=address).start(None)
    assert docker.calls


@pytest.mark.parametrize("address", ["127.0.0.1", "::1", "localhost"])
def test_on_loopback_the_keys_of_the_documents_are_fine(address: str) -> None:
    docker = FakeDocker()
    _stack(docker, key=DEFAULT_KEY, bind_address=address).start(None)
    assert docker.calls


def test_the_control_api_is_shown_the_token_that_it_made(tmp_path: Path) -> None:
    assert _stack(FakeDocker(token=TOKEN)).headers == {"Authorization": f"Bearer {TOKEN}"}
    assert _stack(FakeDocker(failing=["exec"])).headers == {}
    file = tmp_path / "token"
    file.write_text("t2")
    stack = _stack(FakeDocker(token=TOKEN), token_file=file)
    assert stack.headers == {"Authorization": "Bearer t2"}


def test_nothing_is_started_before_its_images_are_there() -> None:
    docker = FakeDocker(plan={"a": {"image": "frazil-a:1"}})
    with pytest.raises(checks.NoOwnImageError):
        _stack(docker).start(None)
    assert docker.calls == []


def test_nothing_is_started_at_a_port_that_is_taken() -> None:
    with socket.create_server((HOST, 0)) as server:
        port = server.getsockname()[1]
        published = [{"target": 8080, "published": str(port)}]
        docker = FakeDocker(plan={"trino": {"image": "t:1", "ports": published}}, images=["t:1"])
        with pytest.raises(PortTakenError, match=f"Port {port}"):
            _stack(docker).start(None)
        assert docker.calls == []
        docker.services = [described("trino", ports={8080: port})]
        _stack(docker).start(None)
    assert len(docker.calls) == 1


@pytest.mark.parametrize("verb", ["start", "stop", "clean"])
def test_without_an_engine_nothing_is_tried(verb: str) -> None:
    docker = FakeDocker(services=[described("kafka")], failing=["version"])
    stack = _stack(docker)
    calls = {"start": lambda: stack.start(None), "stop": stack.stop, "clean": stack.clean}
    with pytest.raises(checks.NoEngineError):
        calls[verb]()
    assert docker.calls == []


def test_a_provisioner_that_failed_is_told_with_the_end_of_its_log() -> None:
    failed = described("kafka-iceberg-init", state={"Status": "exited", "ExitCode": 1})
    docker = FakeDocker(services=[failed], failing=["up --detach"], log="no such broker")
    with pytest.raises(NotProvisionedError, match=r"frazil start.*\nno such broker"):
        _stack(docker).start(None)


def test_a_start_that_fails_otherwise_names_who_is_not_well() -> None:
    services = [
        described("kafka-iceberg-init", state={"Status": "created"}),
        described("kafka", state={"Health": {"Status": "unhealthy"}}),
        described("postgres", state={"Health": {"Status": "healthy"}}),
    ]
    docker = FakeDocker(services=services, failing=["up --detach"])
    with pytest.raises(NotStartedError, match=r"not well: kafka, kafka-iceberg-init. `frazil doc"):
        _stack(docker).start(None)


def test_addresses_are_those_that_are_published_now() -> None:
    services = [
        described("kafka", ports={9092: 19092}),
        described("kafka-connect", ports={8083: 5}),
    ]
    stack = _stack(FakeDocker(services=services))
    assert stack.bootstrap_servers == "127.0.0.1:19092"
    assert stack.api_url == "http://127.0.0.1:5"


def test_brokers_and_connect_outside_of_the_stack_are_asked_in_the_place_of_its_own() -> None:
    stack = _stack(FakeDocker(services=[described("kafka", ports={9092: 19092})]))
    elsewhere = replace(stack.project, brokers="b1:9092", connect_url="http://connect.example")
    stack = replace(stack, project=elsewhere, docker=FakeDocker(token=TOKEN))
    assert stack.headers == {}
    assert stack.bootstrap_servers == "b1:9092"
    assert stack.api_url == "http://connect.example"


def test_what_does_not_run_has_no_address() -> None:
    stopped = described("kafka", ports={9092: 19092}, state=DONE)
    with pytest.raises(NotRunningError, match=r"kafka is not running. `frazil start`"):
        _ = _stack(FakeDocker(services=[stopped])).bootstrap_servers


def test_logs_are_those_of_a_service_or_of_a_connectors_newest_worker() -> None:
    docker = FakeDocker(
        services=[described("kafka")],
        workers=[described_worker("sink", 10), described_worker("sink", 9)],
    )
    stack = _stack(docker)
    stack.show_logs(None, follow=False)
    stack.show_logs("kafka", follow=True)
    stack.show_logs("sink", follow=False)
    assert docker.calls == [
        "compose --project-name frazil logs --tail 40",
        "compose --project-name frazil logs --tail 40 --follow kafka",
        "logs --tail 40 id-sink-10",
    ]
    with pytest.raises(NoLogError, match=r"'zookeeper' here. Known: kafka, sink"):
        stack.show_logs("zookeeper", follow=False)


def test_a_stack_is_there_if_it_has_a_container() -> None:
    assert _stack(FakeDocker(services=[described("kafka")])).exists()
    assert not _stack(FakeDocker()).exists()
    assert not _stack(FakeDocker(services=[described("kafka")], failing=["ps"])).exists()


@pytest.mark.parametrize(
    ("container", "well"),
    [
        (Container("1", "kafka", health="healthy"), True),
        (Container("1", "kafka"), True),
        (Container("1", "kafka", health="unhealthy"), False),
        (Container("1", "kafka", health="starting"), False),
        (Container("1", "kafka", state="exited"), False),
        (Container("1", "kafka-iceberg-init", state="exited"), True),
        (Container("1", "kafka-iceberg-init", state="exited", exit_code=1), False),
    ],
)
def test_only_the_provisioner_may_end(container: Container, well: bool) -> None:
    assert is_well(container) is well


def test_the_summary_names_who_is_not_well_and_what_to_do() -> None:
    ill, good = Container("1", "trino", health="unhealthy"), Container("2", "kafka")
    assert summary([ill, good]).startswith("Not well: trino. `frazil doctor`")
    assert summary([good]) == "All containers are well."
    assert "is stopped; `frazil start`" in summary([Container("1", "kafka", state="exited")])
    assert "is not there; `frazil start`" in summary([])


def test_the_table_shows_addresses_and_whose_worker_it_is(
    capsys: pytest.CaptureFixture[str],
) -> None:
    services = [described("trino", ports={8080: 9999})]
    _stack(FakeDocker(services=services, workers=[described_worker("sink")])).show_status()
    shown = capsys.readouterr().out
    assert "http://127.0.0.1:9999" in shown
    assert "worker of sink" in shown

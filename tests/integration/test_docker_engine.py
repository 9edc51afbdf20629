"""A real sink in a real container, steered through the API: what it writes and survives."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest
from docker.models.containers import Container
from tests.support.docker_lab import WORKER_IMAGE, daemon, missing
from tests.support.lab import Lab, wait_until

from frazil.cli.broker import Broker, properties
from frazil.cli.ports import HOST, Ports, answers, free_ports
from frazil.contracts.states import ConnectState
from frazil.runtime.child import Child
from frazil.runtime.jars import JarStore
from frazil.runtime.java import find_java
from frazil.runtime.settings import FrazilSettings

pytestmark = [pytest.mark.docker, pytest.mark.timeout(600)]
INSTANCE = f"test-{os.getpid()}"


@pytest.fixture
def ports() -> Ports:
    return free_ports()


@pytest.fixture
def bootstrap_servers(tmp_path: Path, ports: Ports) -> Iterator[str]:
    """Run a broker at the address that this machine has for containers, and for itself."""
    if reason := missing(WORKER_IMAGE):
        pytest.skip(reason)
    bridge = daemon().networks.get("bridge").attrs or {}
    gateway = bridge["IPAM"]["Config"][0]["Gateway"]
    address = f"{gateway}:{ports.kafka}"
    settings, folder = FrazilSettings(), tmp_path / "broker"
    java = find_java(settings.java_home)
    broker = Broker(java, JarStore(settings.home).folder("broker"), folder, ports)
    broker.prepare()
    (folder / "server.properties").write_text(
        properties(folder / "data", ports).replace(f"{HOST}:{ports.kafka}", address)
    )
    child = Child(folder / "process")
    child.start(broker.command(), environment={}, log=folder / "broker.log")
    try:
        wait_until("the broker answers", lambda: answers(ports.kafka, gateway), 60)
        yield address
    finally:
        child.stop(20)


@pytest.fixture
def lab(tmp_path: Path, bootstrap_servers: str) -> Iterator[Lab]:
    folder = tmp_path / "lake"
    folder.mkdir()
    host, _, _ = bootstrap_servers.partition(":")
    laboratory = Lab(folder, bootstrap_servers, topic="lab", host=host)
    laboratory.create_table()
    # The container's user is nobody here.
    for path in (laboratory.warehouses, *laboratory.warehouses.rglob("*")):
        path.chmod(0o777)
    yield laboratory
    laboratory.close()


@contextmanager
def control_api(lab: Lab, port: int) -> Iterator["subprocess.Popen[bytes]"]:
    """Run the control API; it is killed in the end, as by kill -9."""
    environment = {
        **os.environ,  # noqa: TID251
        "FRAZIL_PORT": str(port),
        "FRAZIL_BOOTSTRAP_SERVERS": lab.bootstrap_servers,
        "FRAZIL_ENGINE": "docker",
        "FRAZIL_INSTANCE": INSTANCE,
        # The files alone, where there is no S3; the catalog is asked over the network.
        "FRAZIL_DOCKER_VOLUMES": f"{lab.warehouses}:{lab.warehouses}",
        "FRAZIL_DATABASE_URL": f"sqlite:///{lab.folder.parent / 'control.db'}",
        "FRAZIL_RUN_FOLDER": str(lab.folder.parent / "runs"),
    }
    command = [sys.executable, "-m", "frazil.control_api"]
    with (
        (lab.folder.parent / "control.log").open("ab") as log,
        subprocess.Popen(command, env=environment, stdout=log, stderr=log) as process,
    ):
        try:
            wait_until("the control API answers", lambda: answers(port), 30)
            yield process
        finally:
            process.kill()


def containers() -> list[Container]:
    return daemon().containers.list(all=True, filters={"label": f"frazil.instance={INSTANCE}"})


def is_running(url: str) -> bool:
    status = httpx.get(f"{url}/connectors/lab/status").json()
    return bool(status["connector"]["state"] == ConnectState.RUNNING)


def test_a_sink_in_a_container_writes_each_record_once_and_outlives_the_control_api(
    lab: Lab, ports: Ports
) -> None:
    url = ports.api_url
    try:
        with control_api(lab, ports.api):
            body = {"name": "lab", "config": lab.config}
            assert httpx.post(f"{url}/connectors", json=body).status_code == 201
            wait_until("it runs", lambda: is_running(url), 180)
            assert httpx.get(f"{url}/health").json()["frazil"]["engine"] == "ready"
            lab.produce(range(1000))
            wait_until("the rows are there", lambda: lab.rows() == 1000)
            (container,) = containers()
            assert "iceberg.catalog" not in json.dumps(container.attrs)
        lab.produce(range(1000, 2000))
        wait_until("rows arrive without a control API", lambda: lab.rows() == 2000)
        with control_api(lab, ports.api):
            wait_until("it is adopted", lambda: is_running(url), 30)
            assert [one.id for one in containers()] == [container.id]
            assert httpx.delete(f"{url}/connectors/lab").status_code == 204
            wait_until("nothing is left", lambda: not containers(), 60)
        assert lab.ids() == list(range(2000))
    finally:
        for one in containers():
            one.remove(force=True, v=True)


def test_a_container_too_small_for_its_jvm_is_a_failure_with_the_way_out(
    lab: Lab, ports: Ports
) -> None:
    # At 200 MB the kernel keeps it alive for minutes by reading its jars again and again.
    config = lab.config | {"frazil.container.memory": "120m"}
    url = f"{ports.api_url}/connectors"

    def trace() -> str:
        return str(httpx.get(f"{url}/lab/status").json()["connector"].get("trace"))

    try:
        with control_api(lab, ports.api):
            httpx.post(url, json={"name": "lab", "config": config}).raise_for_status()
            wait_until("the reason is shown", lambda: "raise frazil.container.memory" in trace())
    finally:
        for one in containers():
            one.remove(force=True, v=True)

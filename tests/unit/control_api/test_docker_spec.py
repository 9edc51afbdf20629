"""What a connector's container is made of, and what a connector has no say in."""

import io
import json
import tarfile
from collections.abc import Mapping
from dataclasses import replace

import pytest
from tests.support.control_api import assignment

from frazil.contracts.assignment import Assignment
from frazil.control_api.core.errors import EngineError
from frazil.control_api.engine.docker_spec import (
    DockerOptions,
    assignment_archive,
    create_options,
    only_file,
)

OPTIONS = DockerOptions(
    instance="blue",
    image="frazil-worker:1",
    images=("frazil-worker:2", "with-oracle:7"),
    network="lake",
    volumes=("warehouse:/warehouse",),
    environment=(("FRAZIL_LOG_LEVEL", "INFO"),),
)
MIB = 1024 * 1024


def told(config: Mapping[str, str]) -> Assignment:
    return assignment("logs", 1, **config)


def described(config: Mapping[str, str], options: DockerOptions = OPTIONS) -> dict[str, object]:
    _, description = create_options(told(config), "frazil.spark_sink", options)
    return description


def host_config(config: Mapping[str, str], options: DockerOptions = OPTIONS) -> dict[str, object]:
    found = described(config, options)["HostConfig"]
    assert isinstance(found, dict)
    return found


def test_a_container_is_described_like_this() -> None:
    name, description = create_options(assignment(epoch=7), "frazil.spark_sink", OPTIONS)
    assert name == "frazil-logs-83f2eb90c532-7"
    assert description == {
        "Image": "frazil-worker:1",
        "Entrypoint": ["python", "-m"],
        "Cmd": ["frazil.spark_sink", "/run/frazil/worker"],
        "User": "10001:10001",
        "WorkingDir": "/run/frazil/worker",
        "Env": [
            "FRAZIL_LOG_LEVEL=INFO",
            "FRAZIL_PROBE_HOST=0.0.0.0",
            "FRAZIL_PROBE_PORT=8080",
        ],
        "Labels": {
            "frazil.connector": "logs",
            "frazil.epoch": "7",
            "frazil.instance": "blue",
        },
        "Volumes": {"/run/frazil": {}},
        "StopSignal": "SIGTERM",
        "StopTimeout": 20,
        "HostConfig": {
            "Memory": 1408 * MIB,
            "MemorySwap": 1408 * MIB,
            "CpuPeriod": 100_000,
            "CpuQuota": 100_000,
            "PidsLimit": 1024,
            "ReadonlyRootfs": True,
            "Tmpfs": {"/tmp": "rw,exec,nosuid,nodev,size=256m,mode=1777"},  # noqa: S108
            "CapDrop": ["ALL"],
            "SecurityOpt": ["no-new-privileges"],
            "Privileged": False,
            "Init": True,
            "NetworkMode": "lake",
            "Binds": ["warehouse:/warehouse"],
            "RestartPolicy": {"Name": "no"},
            "LogConfig": {"Type": "json-file", "Config": {"max-size": "10m", "max-file": "3"}},
        },
    }


HOSTILE = {
    "frazil.container.privileged": "true",
    "frazil.container.user": "0",
    "frazil.container.volumes": "/:/host",
    "frazil.container.network": "host",
    "frazil.docker.image": "evil:1",
    "FRAZIL_DOCKER_VOLUMES": "/:/host",
    "HostConfig": '{"Privileged": true}',
    "Binds": "/:/host",
    "spark.driver.extraJavaOptions": "-javaagent:/evil.jar",
}


@pytest.mark.parametrize("key", HOSTILE)
def test_keys_that_ask_for_more_have_no_effect(key: str) -> None:
    assert described({key: HOSTILE[key]}) == described({})


def test_no_value_of_a_connector_is_seen_from_outside() -> None:
    secrets = {"iceberg.catalog.token": "hush-1", "consumer.override.sasl.jaas.config": "hush-2"}
    worker = told(secrets)
    assert "hush" not in json.dumps(create_options(worker, "frazil.spark_sink", OPTIONS))
    assert "hush-1" in assignment_archive(worker).decode()


@pytest.mark.parametrize("image", ["frazil-worker:1", "frazil-worker:2", "with-oracle:7"])
def test_a_connector_may_choose_an_image_of_the_list(image: str) -> None:
    assert described({"frazil.container.image": image})["Image"] == image


@pytest.mark.parametrize("image", ["evil:1", "frazil-worker:1@sha256:0", " ", "Frazil-Worker:1"])
def test_any_other_image_is_refused_and_the_list_is_named(image: str) -> None:
    if not image.strip():
        assert described({"frazil.container.image": image})["Image"] == OPTIONS.image
        return
    with pytest.raises(EngineError, match="frazil-worker:1, frazil-worker:2, with-oracle:7 only"):
        described({"frazil.container.image": image})


@pytest.mark.parametrize(
    ("config", "megabytes"),
    [
        ({}, 1408),
        ({"frazil.driver.memory": "2g"}, 3328),
        ({"frazil.container.memory": "900m"}, 900),
        ({"frazil.container.memory": "3g", "frazil.driver.memory": "2g"}, 3072),
    ],
)
def test_memory_is_as_wanted_or_what_the_heap_needs(config: dict[str, str], megabytes: int) -> None:
    found = host_config(config)
    assert found["Memory"] == found["MemorySwap"] == megabytes * MIB


@pytest.mark.parametrize(
    ("config", "quota"),
    [
        ({"tasks.max": "3"}, 300_000),
        ({"tasks.max": "3", "frazil.container.cpus": "0.5"}, 50_000),
        ({"frazil.container.cpus": "1.25"}, 125_000),
    ],
)
def test_cpus_are_as_wanted_or_one_a_task(config: dict[str, str], quota: int) -> None:
    assert host_config(config)["CpuQuota"] == quota


@pytest.mark.parametrize(
    ("config", "sentence"),
    [
        (
            {"frazil.driver.memory": "2g"},
            "needs 3328 MB .* 2g are the most here .FRAZIL_DOCKER_MEMORY",
        ),
        ({"frazil.container.memory": "3g"}, "needs 3072 MB"),
        ({"tasks.max": "3"}, "needs 3 cpus .* 2 are the most here .FRAZIL_DOCKER_CPUS"),
        ({"frazil.container.memory": "lots"}, "Invalid value lots"),
        ({"frazil.container.cpus": "0"}, "Invalid value 0"),
    ],
)
def test_what_is_too_much_or_no_number_is_refused(config: dict[str, str], sentence: str) -> None:
    bounded = replace(OPTIONS, memory="2g", cpus=2.0)
    assert host_config({}, bounded)["Memory"] == 1408 * MIB
    with pytest.raises(EngineError, match=sentence):
        described(config, bounded)


def test_the_assignment_is_for_the_workers_eyes_only() -> None:
    worker = assignment("logs")
    with tarfile.open(fileobj=io.BytesIO(assignment_archive(worker))) as archive:
        folder, file = archive.getmembers()
        text = archive.extractfile(file)
        assert text is not None
        assert Assignment.model_validate_json(text.read()) == worker
    assert (folder.name, folder.mode, folder.uid, folder.gid) == ("worker", 0o700, 10001, 10001)
    assert (file.name, file.mode, file.uid) == ("worker/assignment.json", 0o600, 10001)


def test_a_file_is_read_out_of_the_daemons_answer() -> None:
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w") as archive:
        entry = tarfile.TarInfo("status.json")
        entry.size = 2
        archive.addfile(entry, io.BytesIO(b"{}"))
    assert only_file(packed.getvalue()) == b"{}"

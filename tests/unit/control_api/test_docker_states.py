"""What the daemon says of containers, and what we make of it."""

from typing import Any

import pytest
from tests.support.control_api import status

from frazil.contracts.hosting import Hosting
from frazil.control_api.engine.docker_host_spec import Room
from frazil.control_api.engine.docker_states import Container, Host, autopsy

MIB = 1024 * 1024


def listed(state: str, **networks: str) -> dict[str, Any]:
    return {
        "Id": "abc",
        "State": state,
        "Labels": {"frazil.connector": "a/b", "frazil.epoch": "7", "frazil.instance": "blue"},
        "NetworkSettings": {
            "Networks": {name: {"IPAddress": address} for name, address in networks.items()}
        },
    }


def inspected(code: int, *, out_of_memory: bool = False) -> dict[str, Any]:
    return {
        "State": {"ExitCode": code, "OOMKilled": out_of_memory},
        "HostConfig": {"Memory": 1024 * MIB},
    }


@pytest.mark.parametrize(
    ("state", "alive", "dead"),
    [
        ("created", False, False),
        ("running", True, False),
        ("paused", True, False),
        ("restarting", True, False),
        ("removing", False, False),
        ("exited", False, True),
        ("dead", False, True),
    ],
)
def test_every_state_of_a_container_is_known(state: str, alive: bool, dead: bool) -> None:
    container = Container.of(listed(state))
    assert (container.is_alive, container.is_dead) == (alive, dead)
    assert (container.connector, container.epoch, container.id) == ("a/b", 7, "abc")


def test_a_worker_is_asked_at_its_address_on_any_network() -> None:
    assert Container.of(listed("running", bridge="172.17.0.2")).address == "172.17.0.2:8080"
    both = Container.of(listed("running", none="", lake="10.0.0.2"))
    assert both.address == "10.0.0.2:8080"
    assert Container.of(listed("exited", bridge="")).address is None


def test_a_host_is_read_from_its_labels() -> None:
    room = Room(hosting=Hosting(group="team", memory="2g", cores=3), memory=3 * MIB, cpus=0.5)
    labels = {
        "frazil.host": "spark-sink/team/worker:1",
        "frazil.number": "12",
        "frazil.room": room.model_dump_json(),
        "frazil.salt": "abc",
    }
    host = Host.of(listed("running", lake="10.0.0.2") | {"Labels": labels})
    assert host == Host(
        id="abc",
        name="spark-sink/team/worker:1",
        number=12,
        room=room,
        salt="abc",
        is_alive=True,
        is_dead=False,
        address="10.0.0.2:8080",
    )


@pytest.mark.parametrize(
    ("code", "exit_status"),
    [(0, 0), (1, 1), (13, 13), (137, -9), (143, -15), (128, 128), (255, 255)],
)
def test_an_exit_code_beyond_128_is_a_signal(code: int, exit_status: int) -> None:
    worker = autopsy(7, inspected(code), status=None, log_tail="")
    assert (worker.alive, worker.exit_status, worker.cause) == (False, exit_status, None)


def test_a_lack_of_memory_is_said_with_the_way_out() -> None:
    worker = autopsy(7, inspected(137, out_of_memory=True), status=status(), log_tail="one")
    assert worker.cause == (
        "needed more memory than the 1024 MB of its container and was killed; "
        "raise frazil.container.memory, or lower frazil.driver.memory"
    )
    assert (worker.status, worker.log_tail) == (status(), "one")

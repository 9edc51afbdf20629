"""What the daemon tells of containers, in our words; pure."""

from collections.abc import Mapping
from dataclasses import dataclass
from signal import Signals
from typing import Any

from frazil.contracts.worker_status import WorkerStatus
from frazil.control_api.core.observation import Worker
from frazil.control_api.engine.docker_host_spec import (
    HOST_LABEL,
    NUMBER_LABEL,
    ROOM_LABEL,
    SALT_LABEL,
    Room,
)
from frazil.control_api.engine.docker_spec import CONNECTOR_LABEL, EPOCH_LABEL, PROBE_PORT

_ALIVE = frozenset({"running", "paused", "restarting"})
_DEAD = frozenset({"exited", "dead"})
_SHELL_SIGNAL = 128
_MIB = 1024 * 1024


@dataclass(frozen=True, slots=True)
class Container:
    """One container of a worker; neither alive nor dead while it is being made or removed."""

    id: str
    connector: str
    epoch: int
    is_alive: bool
    is_dead: bool
    address: str | None

    @classmethod
    def of(cls, listed: Mapping[str, Any]) -> "Container":
        """Read an entry of the daemon's list."""
        state = listed["State"]
        return cls(
            id=listed["Id"],
            connector=listed["Labels"][CONNECTOR_LABEL],
            epoch=int(listed["Labels"][EPOCH_LABEL]),
            is_alive=state in _ALIVE,
            is_dead=state in _DEAD,
            address=_address(listed),
        )


@dataclass(frozen=True, slots=True)
class Host:
    """One container of a host; `name` is the same for those that stand in for each other."""

    id: str
    name: str
    number: int
    room: Room
    salt: str
    is_alive: bool
    is_dead: bool
    address: str | None

    @classmethod
    def of(cls, listed: Mapping[str, Any]) -> "Host":
        """Read an entry of the daemon's list."""
        state, labels = listed["State"], listed["Labels"]
        return cls(
            id=listed["Id"],
            name=labels[HOST_LABEL],
            number=int(labels[NUMBER_LABEL]),
            room=Room.model_validate_json(labels[ROOM_LABEL]),
            salt=labels.get(SALT_LABEL, ""),
            is_alive=state in _ALIVE,
            is_dead=state in _DEAD,
            address=_address(listed),
        )


def autopsy(
    epoch: int, inspected: Mapping[str, Any], *, status: WorkerStatus | None, log_tail: str
) -> Worker:
    """Say how the worker of a dead container ended."""
    return Worker(
        epoch,
        alive=False,
        status=status,
        exit_status=_exit_status(inspected["State"]["ExitCode"]),
        cause=lack_of_memory(inspected),
        log_tail=log_tail,
    )


def lack_of_memory(inspected: Mapping[str, Any]) -> str | None:
    """Say that a process of the container was killed because its memory was used up."""
    if not inspected["State"]["OOMKilled"]:
        return None
    limit = inspected["HostConfig"]["Memory"] // _MIB
    return (
        f"needed more memory than the {limit} MB of its container and was killed; "
        "raise frazil.container.memory, or lower frazil.driver.memory"
    )


def _exit_status(code: int) -> int:
    """Turn a shell's word for "ended by a signal" into the operating system's."""
    number = code - _SHELL_SIGNAL
    return -number if number in set(Signals) else code


def _address(listed: Mapping[str, Any]) -> str | None:
    networks = listed["NetworkSettings"]["Networks"].values()
    found = next((network["IPAddress"] for network in networks if network["IPAddress"]), None)
    return f"{found}:{PROBE_PORT}" if found else None

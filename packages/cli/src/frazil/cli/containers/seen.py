"""Containers as Docker describes them."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from frazil.cli.containers.docker import Docker, told

PROJECT_LABEL = "com.docker.compose.project"
INSTANCE_LABEL = "frazil.instance"

_SERVICE_LABEL = "com.docker.compose.service"
_FILES_LABEL = "com.docker.compose.project.config_files"
_ONE_OFF_LABEL = "com.docker.compose.oneoff"
_CONNECTOR_LABEL = "frazil.connector"
_EPOCH_LABEL = "frazil.epoch"


@dataclass(frozen=True)
class Container:
    """A service of the project, or the worker of a connector.

    `health` is empty where nothing checks it; `ports` maps those inside to those of this machine.
    """

    id: str
    name: str
    image: str = ""
    state: str = "running"
    health: str = ""
    exit_code: int = 0
    oom_killed: bool = False
    restarts: int = 0
    ports: Mapping[int, int] = field(default_factory=dict)
    files: tuple[str, ...] = ()
    epoch: int = 0

    @property
    def is_running(self) -> bool:
        return self.state == "running"

    @property
    def has_failed(self) -> bool:
        """Tell whether it ended badly at least once; it may be on another attempt."""
        return self.exit_code != 0 or self.restarts > 0

    @property
    def first_port(self) -> int | None:
        """The port of this machine, for a service that publishes one."""
        return next(iter(self.ports.values()), None)

    @property
    def condition(self) -> str:
        if self.state == "exited":
            return f"exited ({self.exit_code})"
        return f"{self.state} ({self.health})" if self.health else self.state


def labels_of(project: str) -> tuple[str, str]:
    """Return the labels that the containers of a compose project have.

    Images that compose has built have the project's label too, and give it to every container that
    is run from them; what compose has made says besides that it is no one-off.
    """
    return f"{PROJECT_LABEL}={project}", f"{_ONE_OFF_LABEL}=False"


def listing(*labels: str) -> tuple[str, ...]:
    """Return how Docker is asked for those with all these labels, running or not."""
    filters = (part for label in labels for part in ("--filter", f"label={label}"))
    return ("ps", "--all", "--quiet", "--no-trunc", *filters)


def containers(docker: Docker, *labels: str) -> list[Container]:
    """List those with all these labels, running or not, by name."""
    ids = told(docker, *listing(*labels)).split()
    # One that is gone by now makes the call fail, and is missing from what it prints.
    return parsed(docker.ask("container", "inspect", *ids).out) if ids else []


def parsed(text: str) -> list[Container]:
    found = map(_container, json.loads(text))
    return sorted(found, key=lambda container: (container.name, container.epoch))


def _container(one: dict[str, Any]) -> Container:
    labels, state = _labels(one), one["State"]
    name = labels.get(_CONNECTOR_LABEL) or labels.get(_SERVICE_LABEL) or one["Name"].lstrip("/")
    return Container(
        id=one["Id"],
        name=name,
        image=one["Config"]["Image"],
        state=state["Status"],
        health=(state.get("Health") or {}).get("Status", "").replace("none", ""),
        exit_code=state["ExitCode"],
        oom_killed=state["OOMKilled"],
        restarts=one["RestartCount"],
        ports=_ports(one),
        files=tuple(filter(None, labels.get(_FILES_LABEL, "").split(","))),
        epoch=int(labels.get(_EPOCH_LABEL, 0)),
    )


def _labels(one: dict[str, Any]) -> dict[str, str]:
    return one["Config"].get("Labels") or {}


def _ports(one: dict[str, Any]) -> dict[int, int]:
    """Read what was asked for, which a stopped container has too."""
    bindings = one["HostConfig"].get("PortBindings") or {}
    return {
        int(inside.partition("/")[0]): int(outside[0]["HostPort"])
        for inside, outside in bindings.items()
        if outside and outside[0]["HostPort"]
    }

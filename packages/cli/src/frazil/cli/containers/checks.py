"""What must be there before the containers can be started, and a sentence for what is not."""

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from frazil.cli.containers.docker import Docker
from frazil.cli.containers.project import (
    CONTROL_API,
    KAFKA,
    STORE_PORT,
    TRINO,
    Project,
    Topology,
)
from frazil.cli.containers.seen import Container
from frazil.cli.ports import require_free
from frazil.runtime.errors import UserError

_OWN_IMAGE = "frazil-"
_VARIABLES = {KAFKA: "KAFKA_EXTERNAL_PORT", CONTROL_API: "KAFKA_CONNECT_PORT", TRINO: "TRINO_PORT"}
_FRONT_VARIABLES = {"minio": "SOURCE", "nginx-source": "SOURCE", "nginx-dest": "DEST"}


class NoEngineError(UserError):
    def __init__(self, reason: str) -> None:
        super().__init__(
            f"The Docker engine does not answer: {reason.strip()} Start it, or set DOCKER_HOST to "
            "where it listens; on a Debian without a registry deploy/airgap/engine.sh brings one."
        )


class NoComposeError(UserError):
    def __init__(self) -> None:
        super().__init__(
            "`docker compose` is not there. Install Docker's compose plugin (the package "
            "`docker-compose-plugin`); `docker compose version` shows whether it is found."
        )


class NoOwnImageError(UserError):
    def __init__(self, images: Sequence[str]) -> None:
        super().__init__(f"Not built yet: {', '.join(images)}. `make images` builds them.")


class NoImageError(UserError):
    def __init__(self, image: str) -> None:
        super().__init__(
            f"The image {image} is neither here nor to be had from a registry. Without a registry "
            "`make airgap-images` builds it."
        )


class OtherTopologyError(UserError):
    def __init__(self, there: Topology) -> None:
        super().__init__(
            f"The stack is there as '{there}', and its tables are in that store. Go on with "
            f"`frazil start --topology {there}`, or delete it with its data first: "
            "`frazil clean --stack containers`."
        )


class KnownKeysError(UserError):
    def __init__(self, bind_address: str) -> None:
        super().__init__(
            f"BIND_ADDRESS={bind_address} opens the stores to others than this machine, and their "
            "keys are those that everybody knows. Set MINIO_ROOT_USER and MINIO_ROOT_PASSWORD in "
            "deploy/compose/.env (a stack that is there keeps its own: `frazil clean` first), or "
            "leave BIND_ADDRESS at 127.0.0.1."
        )


@dataclass(frozen=True)
class PublishedPort:
    service: str
    inside: int
    outside: int

    @property
    def variable(self) -> str:
        """The variable that moves it."""
        if self.service in _FRONT_VARIABLES:
            kind = "API" if self.inside == STORE_PORT else "CONSOLE"
            return f"{_FRONT_VARIABLES[self.service]}_{kind}_PORT"
        return _VARIABLES.get(self.service, f"the port of {self.service}")


@dataclass(frozen=True)
class Plan:
    """What compose would start."""

    images: tuple[str, ...]
    ports: tuple[PublishedPort, ...]


def parsed_plan(text: str) -> Plan:
    """Read `docker compose config --format json`."""
    services = json.loads(text)["services"]
    worker = services.get(CONTROL_API, {}).get("environment", {}).get("FRAZIL_DOCKER_IMAGE")
    images = {service["image"] for service in services.values()} | ({worker} if worker else set())
    ports = [
        PublishedPort(name, port["target"], int(port["published"]))
        for name, service in services.items()
        for port in service.get("ports", ())
    ]
    return Plan(tuple(sorted(images)), tuple(ports))


def require_engine(docker: Docker) -> None:
    """Raise a sentence if there is no client, no engine, or no compose."""
    said = docker.ask("version", "--format", "{{.Server.Version}}")
    if said.code != 0:
        raise NoEngineError(said.err)
    if docker.ask("compose", "version").code != 0:
        raise NoComposeError


def require_topology(wanted: Topology, there: Topology | None) -> None:
    if there not in (None, wanted):
        raise OtherTopologyError(there)


def require_own_keys(project: Project) -> None:
    if project.is_exposed:
        raise KnownKeysError(project.bind_address)


def require_ports(ports: Iterable[PublishedPort], running: Iterable[Container]) -> None:
    """Raise PortTakenError for one that somebody else than the stack listens at."""
    ours = {port for service in running for port in service.ports.values()}
    for port in ports:
        if port.outside not in ours:
            require_free(port.outside, user=port.service, setting=port.variable)


def require_images(docker: Docker, images: Iterable[str]) -> None:
    """Pull what is missing; say what cannot be pulled."""
    missing = [image for image in images if docker.ask("image", "inspect", image).code != 0]
    own = [image for image in missing if image.startswith(_OWN_IMAGE)]
    if own:
        raise NoOwnImageError(own)
    for image in missing:
        if docker.show("pull", image) != 0:
            raise NoImageError(image)

"""What `frazil status` shows of containers, as rows of a table."""

from collections.abc import Sequence

from frazil.cli.containers.project import CONTROL_API, PROVISIONER, STORE_FRONTS, TRINO
from frazil.cli.containers.seen import Container
from frazil.cli.ports import HOST

COLUMNS = ("container", "state", "address", "image")
_WEB = (CONTROL_API, TRINO, *STORE_FRONTS)


def rows(services: Sequence[Container], workers: Sequence[Container]) -> list[tuple[str, ...]]:
    return [_row(one, one.name) for one in services] + [
        _row(one, f"worker of {one.name}") for one in workers
    ]


def summary(services: Sequence[Container]) -> str:
    if not any(one.is_running for one in services):
        there = "is stopped" if services else "is not there"
        return f"The container stack {there}; `frazil start` starts it."
    unwell = [one.name for one in services if not is_well(one)]
    if unwell:
        return f"Not well: {', '.join(unwell)}. `frazil doctor` says why, and what to do."
    return "All containers are well."


def is_well(container: Container) -> bool:
    if container.name == PROVISIONER and container.state == "exited":
        return container.exit_code == 0
    return container.is_running and container.health in ("", "healthy")


def _row(container: Container, title: str) -> tuple[str, ...]:
    scheme = "http://" if container.name in _WEB else ""
    addresses = [f"{scheme}{HOST}:{port}" for port in sorted(container.ports.values())]
    return title, container.condition, "\n".join(addresses), container.image

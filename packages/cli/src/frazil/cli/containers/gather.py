"""Asks every part of the container stack how it is; never fails because one of them is away."""

import shutil
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TypeVar

import httpx
from pyiceberg.exceptions import ForbiddenError, RESTError, UnauthorizedError

from frazil.cli.catalog import client_properties
from frazil.cli.connectors import Headers, expanded_connectors
from frazil.cli.containers.facts import Away, Connector, Facts, Refused, connector
from frazil.cli.containers.project import STORE_FRONTS, STORE_PORT, TABLE_FRONTS, Project
from frazil.cli.containers.seen import Container
from frazil.cli.containers.stack import ContainerStack
from frazil.cli.containers.trino import counted
from frazil.cli.ports import HOST, answers
from frazil.iceberg.catalogs import SafeRestCatalog
from frazil.iceberg.files import NoFiles
from frazil.runtime.errors import UserError

_SECONDS = 5
_Fact = TypeVar("_Fact")


def gather(stack: ContainerStack) -> Facts:
    services = stack.services()
    running = [one for one in services if one.is_running]
    sick = _sick_stores(running)
    return Facts(
        warehouse=stack.project.warehouse,
        namespace=stack.project.namespace,
        log_topics=stack.project.log_topics.values(),
        services=services,
        workers=stack.workers(),
        provisioner_log=stack.provisioner_log(),
        silent=_silent(running),
        sick_stores=sick,
        catalog=_catalog(running, sick, project=stack.project),
        connectors=_or_away(lambda: _connectors(stack.api_url, stack.headers)),
        trino=_or_away(lambda: [name for (name,) in stack.trino().ask("SHOW CATALOGS")[1]]),
        rows=_or_away(lambda: counted(stack.trino().ask)),
        free=_free(stack),
        connect_url=stack.project.connect_url,
        exposed=stack.project.bind_address if stack.project.is_exposed else None,
    )


def _or_away(ask: Callable[[], _Fact]) -> _Fact | Away:
    try:
        return ask()
    except UserError as error:
        return Away(str(error))


def _connectors(url: str, headers: Headers) -> Sequence[Connector]:
    found = expanded_connectors(url, headers)
    return [connector(name, body) for name, body in sorted(found.items())]


def _silent(running: Iterable[Container]) -> list[tuple[str, int]]:
    ports = [(one.name, port) for one in running for port in one.ports.values()]
    return [(name, port) for name, port in ports if not answers(port)]


def _sick_stores(running: Iterable[Container]) -> dict[str, int]:
    fronts = {one.name: one.ports.get(STORE_PORT) for one in running if one.name in STORE_FRONTS}
    return {name: port for name, port in fronts.items() if port and not _is_healthy(port)}


def _is_healthy(port: int) -> bool:
    url = f"http://{HOST}:{port}/minio/health/cluster"
    try:
        return httpx.get(url, timeout=_SECONDS).is_success
    except httpx.HTTPError:
        return False


def _catalog(
    running: Iterable[Container], sick: dict[str, int], *, project: Project
) -> Away | Refused | None:
    """Ask for the catalog's configuration, signed with the key of the settings."""
    front = next((one for one in running if one.name in TABLE_FRONTS), None)
    if front is None or front.name in sick or STORE_PORT not in front.ports:
        return Away("The store in front of the catalog is not there.")
    known = client_properties(f"http://{HOST}:{front.ports[STORE_PORT]}", project.key)
    try:
        SafeRestCatalog("doctor", {**known, "warehouse": project.warehouse}, NoFiles())
    except (ForbiddenError, UnauthorizedError) as error:
        return Refused(str(error))
    # Of requests, too, for PyIceberg passes its errors on.
    except (RESTError, OSError, ValueError) as error:
        return Away(str(error))
    return None


def _free(stack: ContainerStack) -> float | None:
    """Return the free share of the disk that Docker writes to, if that is a disk of ours."""
    folder = Path(stack.docker.ask("info", "--format", "{{.DockerRootDir}}").out.strip() or "-")
    if not folder.is_absolute() or not folder.exists():
        return None
    usage = shutil.disk_usage(folder)
    return usage.free / usage.total

"""The verbs for the container stack."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from frazil.cli.connectors import NO_HEADERS, Headers, NoAnswerError, connector_views
from frazil.cli.containers import checks
from frazil.cli.containers.docker import Docker, NoDockerError, shown, told
from frazil.cli.containers.project import (
    CONNECT_TOKEN,
    CONTROL_API,
    KAFKA,
    PROVISIONER,
    TRINO,
    Project,
    Topology,
    topology_of,
)
from frazil.cli.containers.seen import (
    INSTANCE_LABEL,
    PROJECT_LABEL,
    Container,
    containers,
    labels_of,
    listing,
)
from frazil.cli.containers.status import COLUMNS, is_well, rows, summary
from frazil.cli.containers.trino import Trino, counted, first_rows_or_sql
from frazil.cli.kinds import CONTAINERS, Answer
from frazil.cli.logview import NoLogError
from frazil.cli.ports import HOST
from frazil.cli.screen import Screen
from frazil.contracts.log_topics import Topic
from frazil.runtime.bearer import bearer, bearer_from
from frazil.runtime.errors import UserError

_START_SECONDS = 600
_LINES = "40"
_LINES_OF_PROVISIONER = "20"


class NotRunningError(UserError):
    def __init__(self, service: str) -> None:
        super().__init__(
            f"The service {service} is not running. `frazil start` brings the containers up."
        )


class NotStartedError(UserError):
    def __init__(self, unwell: list[str]) -> None:
        what = f"not well: {', '.join(unwell)}" if unwell else "docker's own words are above"
        super().__init__(f"The containers did not all come up; {what}. `frazil doctor` says more.")


class NotProvisionedError(UserError):
    def __init__(self, log: str) -> None:
        super().__init__(
            f"The provisioner ({PROVISIONER}) could not do its work; `frazil start` tries again. "
            f"The end of its log:\n{log}"
        )


@dataclass(frozen=True)
class ContainerStack:
    docker: Docker
    project: Project
    screen: Screen
    token_file: Path | None = None

    def services(self) -> list[Container]:
        return containers(self.docker, *labels_of(self.project.name))

    def workers(self) -> list[Container]:
        return containers(self.docker, f"{INSTANCE_LABEL}={self.project.name}")

    def exists(self) -> bool:
        """Tell whether it has any container; none is seen where Docker is not."""
        try:
            said = self.docker.ask(*listing(*labels_of(self.project.name)))
        except NoDockerError:
            return False
        return said.code == 0 and bool(said.out.strip())

    @property
    def name(self) -> str:
        return CONTAINERS

    @property
    def api_url(self) -> str:
        return self.project.connect_url or f"http://{self._address(CONTROL_API)}"

    @property
    def headers(self) -> Headers:
        """Show the token that the stack's control API has made, unless a file has another."""
        if self.token_file is not None:
            return bearer_from(self.token_file)
        if self.project.connect_url is not None:
            return NO_HEADERS
        said = self.docker.ask("exec", CONTROL_API, "cat", CONNECT_TOKEN)
        token = said.out.strip() if said.code == 0 else ""
        return bearer(token) if token else NO_HEADERS

    @property
    def bootstrap_servers(self) -> str:
        return self.project.brokers or self._address(KAFKA)

    @property
    def log_topics(self) -> Mapping[Topic, str]:
        return self.project.log_topics

    def start(self, topology: Topology | None) -> None:
        """Bring all up and wait for it; without a topology as it was before."""
        checks.require_own_keys(self.project)
        checks.require_engine(self.docker)
        services = self.services()
        there = topology_of(services)
        wanted = topology or there or Topology.SINGLE
        checks.require_topology(wanted, there)
        declared = self.project.declared(wanted)
        plan = checks.parsed_plan(told(self.docker, *declared, "config", "--format", "json"))
        checks.require_ports(plan.ports, [one for one in services if one.is_running])
        checks.require_images(self.docker, plan.images)
        wait = ("--wait", "--wait-timeout", str(_START_SECONDS))
        if self.docker.show(*declared, "up", "--detach", *wait) != 0:
            raise self._failure()
        self.screen.done("Topics, tables and connectors are provisioned")
        self.show_status()

    def stop(self) -> None:
        """Stop all containers; their data stays.

        The control API goes first, or it would start the workers again; broker and catalog last,
        so that workers can finish the commit at hand.
        """
        checks.require_engine(self.docker)
        if any(one.name == CONTROL_API for one in self.services()):
            shown(self.docker, *self.project.existing, "stop", CONTROL_API)
        self._remove_workers()
        shown(self.docker, *self.project.existing, "stop")

    def deletable(self) -> list[str]:
        checks.require_engine(self.docker)
        workers = [f"worker of {worker.name}" for worker in self.workers()]
        return [
            *(f"container {service.name}" for service in self.services()),
            *(f"container {worker}" for worker in workers),
            *(f"{kind} {name}" for kind in ("volume", "network") for name in self._made(kind)),
        ]

    def clean(self) -> None:
        """Delete all containers, volumes and networks."""
        self.stop()
        shown(self.docker, *self.project.existing, "down", "--volumes", "--remove-orphans")

    def show_status(self) -> None:
        services = self.services()
        self.screen.table(COLUMNS, rows(services, self.workers()))
        if any(one.name == CONTROL_API and one.is_running for one in services):
            self._show_connectors()
        self.screen.say(summary(services))

    def show_logs(self, service: str | None, *, follow: bool) -> None:
        options = ("--tail", _LINES, *(("--follow",) if follow else ()))
        names = {one.name for one in self.services()}
        # Of several workers of one connector the last is the newest.
        ids = {one.name: one.id for one in self.workers()}
        if service is None or service in names:
            named = () if service is None else (service,)
            shown(self.docker, *self.project.existing, "logs", *options, *named)
        elif service in ids:
            shown(self.docker, "logs", *options, ids[service])
        else:
            raise NoLogError(service, sorted(names | set(ids)))

    def tables(self) -> Answer:
        rows = counted(self.trino().ask)
        return ("table", "rows"), [(name, f"{count:,}") for name, count in rows.items()]

    def ask(self, question: str) -> Answer:
        return self.trino().ask(first_rows_or_sql(question))

    def trino(self) -> Trino:
        return Trino(self.port(TRINO), self.project.warehouse, self.project.namespace)

    def port(self, service: str) -> int:
        """Return where a service that publishes one port listens. Raises NotRunningError."""
        for one in self.services():
            if one.name == service and one.is_running and one.first_port is not None:
                return one.first_port
        raise NotRunningError(service)

    def provisioner_log(self) -> str:
        for one in self.services():
            if one.name == PROVISIONER:
                said = self.docker.ask("logs", "--tail", _LINES_OF_PROVISIONER, one.id)
                return (said.out + said.err).strip()
        return ""

    def _made(self, kind: str) -> list[str]:
        """Name the project's volumes or networks."""
        label = f"label={PROJECT_LABEL}={self.project.name}"
        return told(
            self.docker, kind, "ls", "--format", "{{.Name}}", "--filter", label
        ).splitlines()

    def _address(self, service: str) -> str:
        return f"{HOST}:{self.port(service)}"

    def _failure(self) -> UserError:
        unwell = [one for one in self.services() if not is_well(one)]
        if any(one.name == PROVISIONER and one.has_failed for one in unwell):
            return NotProvisionedError(self.provisioner_log())
        return NotStartedError([one.name for one in unwell])

    def _remove_workers(self) -> None:
        """Remove what a control API that was killed has left behind."""
        ids = [worker.id for worker in self.workers()]
        if ids:
            told(self.docker, "stop", *ids)
            told(self.docker, "rm", "--force", "--volumes", *ids)

    def _show_connectors(self) -> None:
        try:
            views = connector_views(self.api_url, self.headers)
        except NoAnswerError as error:
            self.screen.warn(str(error))
            return
        found = [(view.name, view.state.value, view.trace.partition("\n")[0]) for view in views]
        self.screen.table(("connector", "state", "why"), found)

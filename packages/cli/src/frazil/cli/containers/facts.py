"""What is known of the container stack at one moment; a part that does not answer is a fact too."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from frazil.cli.connectors import view
from frazil.cli.containers.project import CONTROL_API, PROVISIONER
from frazil.cli.containers.seen import Container
from frazil.cli.ports import HOST
from frazil.contracts.log_topics import DEFAULT_TOPICS
from frazil.contracts.plugins.iceberg_tables import LISTED
from frazil.contracts.plugins.reading import commit_interval_seconds, read_key
from frazil.contracts.states import ConnectState


@dataclass(frozen=True)
class Away:
    """In place of an answer: why there is none."""

    reason: str


@dataclass(frozen=True)
class Refused:
    """The catalog does not accept the key, in its own words."""

    reason: str


@dataclass(frozen=True)
class Connector:
    """`lag` counts records that are not committed, `dead` those that could not be written."""

    name: str
    state: ConnectState = ConnectState.RUNNING
    healthy: bool = True
    reason: str = ""
    trace: str = ""
    lag: int | None = None
    dead: int = 0
    tables: tuple[str, ...] = ()
    topics: str = ""
    commit_seconds: float = 0


@dataclass(frozen=True)
class Facts:
    """`log_topics` are those that `frazil produce` fills.

    `catalog` is None if it accepts the key; `trino` lists its catalogs, `rows` is by table.

    `silent` are published ports at which nobody listens, by service; `sick_stores` are fronts
    whose cluster is not healthy; `free` is the share of Docker's disk, if it is on this machine;
    `connect_url` is that of a server outside of the stack, if connectors are there; `exposed` is
    the address at which others reach stores whose keys everybody knows.
    """

    warehouse: str
    namespace: str
    log_topics: Collection[str] = DEFAULT_TOPICS.values()
    services: Sequence[Container] = ()
    workers: Sequence[Container] = ()
    provisioner_log: str = ""
    silent: Sequence[tuple[str, int]] = ()
    sick_stores: Mapping[str, int] = field(default_factory=dict)
    catalog: Away | Refused | None = None
    connectors: Sequence[Connector] | Away = ()
    trino: Sequence[str] | Away = ()
    rows: Mapping[str, int] | Away = field(default_factory=dict)
    free: float | None = None
    connect_url: str | None = None
    exposed: str | None = None

    @property
    def api_url(self) -> str:
        one = self.service(CONTROL_API)
        return self.connect_url or (f"http://{HOST}:{one.first_port}" if one else "")

    def service(self, name: str) -> Container | None:
        return next((one for one in self.services if one.name == name), None)

    def answers(self, name: str) -> bool:
        """Tell whether a service runs and listens; else another finding tells of it."""
        one = self.service(name)
        silent = any(service == name for service, _ in self.silent)
        return one is not None and one.is_running and not silent

    @property
    def provisioned(self) -> bool:
        one = self.service(PROVISIONER)
        return one is not None and one.state == "exited" and one.exit_code == 0


def connector(name: str, body: Mapping[str, Any]) -> Connector:
    """Read one entry of `GET /connectors?expand=status&expand=health&expand=info`."""
    seen, config = view(name, body["status"]), body["info"]["config"]
    # Kafka Connect itself has no such part.
    health = body.get("health") or {"healthy": True, "reason": ""}
    return Connector(
        name=name,
        state=seen.state,
        healthy=health["healthy"],
        reason=health["reason"],
        trace=seen.trace,
        lag=health.get("lag"),
        dead=health.get("dead") or 0,
        tables=tuple(filter(None, read_key(config, LISTED) or ())),
        topics=",".join(read_key(config, "topics") or ()),
        commit_seconds=commit_interval_seconds(config),
    )

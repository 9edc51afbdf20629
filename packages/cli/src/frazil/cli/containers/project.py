"""The compose project: its files, its names, and what of it the command must know."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path

from frazil.cli.containers.seen import Container
from frazil.contracts.log_topics import DEFAULT_TOPICS, Topic
from frazil.runtime.http_settings import is_loopback

KAFKA = "kafka"
CONTROL_API = "kafka-connect"
TRINO = "trino"
# Made by the control API at its first start, in a volume.
CONNECT_TOKEN = "/run/connect/token"  # noqa: S105 (where it is)
PROVISIONER = "kafka-iceberg-init"
TABLE_CATALOG = "table-catalog"
# In front of the catalog, too; the topology single has the first, dual the second.
TABLE_FRONTS = ("minio", "nginx-dest")
STORE_FRONTS = (*TABLE_FRONTS, "nginx-source")
STORE_PORT = 9000


class Topology(StrEnum):
    """One store, or a source and a destination of four nodes each."""

    SINGLE = "single"
    DUAL = "dual"


@dataclass(frozen=True)
class RootKey:
    """What requests to the store and to its catalog are signed with."""

    access_key: str
    secret: str = field(repr=False)


DEFAULT_KEY = RootKey("minioadmin", "minioadmin")


@dataclass(frozen=True)
class Project:
    """`brokers` and `connect_url` are None where the stack's own are used.

    `key` is its clients', `store_key` the one that the store is started with, if that is another.
    `outside` tells whether its store or its brokers are others than the stack's.
    """

    folder: Path
    name: str
    warehouse: str
    namespace: str
    key: RootKey
    store_key: RootKey | None = None
    log_topics: Mapping[Topic, str] = field(default_factory=lambda: DEFAULT_TOPICS)
    brokers: str | None = None
    connect_url: str | None = None
    aistor: bool = False
    outside: bool = False
    bind_address: str = "127.0.0.1"

    @property
    def is_exposed(self) -> bool:
        """Tell whether others than this machine reach its ports, and know its keys."""
        known = DEFAULT_KEY in (self.key, self.store_key)
        return known and not is_loopback(self.bind_address)

    @property
    def existing(self) -> tuple[str, ...]:
        """How compose is called for what is there already: by its labels, whatever the files."""
        return ("compose", "--project-name", self.name)

    def declared(self, topology: Topology) -> tuple[str, ...]:
        """How compose is called for what the files say."""
        kinds = {"aistor": self.aistor, "outside": self.outside}
        overlays = [f"{topology}.{kind}" for kind, wanted in kinds.items() if wanted]
        names = ["compose", topology.value, *overlays]
        files = [part for name in names for part in ("--file", str(self.folder / f"{name}.yaml"))]
        return (*self.existing, *files)


def topology_of(services: Iterable[Container]) -> Topology | None:
    """Tell from the files that the containers were made of; None if there are no containers."""
    names = {Path(file).stem for service in services for file in service.files}
    return next((topology for topology in Topology if topology.value in names), None)

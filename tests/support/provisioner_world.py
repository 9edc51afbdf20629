"""A world to provision that lives in memory, with switchable misbehaviour."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace

from frazil.provisioner.converge import System, apply_all
from frazil.provisioner.desired import DesiredState
from frazil.provisioner.errors import StepFailedError, UnavailableError
from frazil.provisioner.patience import Patience
from frazil.provisioner.plan import (
    CatalogState,
    ConfigureTopic,
    ConnectorState,
    CreateCatalog,
    CreateNamespace,
    CreateTable,
    CreateTopic,
    CreateTrinoCatalog,
    CreateWarehouse,
    GrowTopic,
    Plan,
    PutConnector,
    Step,
    TopicState,
    plan_catalog,
    plan_connectors,
    plan_topics,
    plan_trino,
)
from frazil.provisioner.tables import TableState


@dataclass
class World:
    """All systems at once.

    `fails_at` is the number of the step that fails, as if the process were killed there;
    `blind_looks` is how often a change is not seen yet after it was made, `absent_looks` how often
    nobody answers at all, `idle_looks` how often connectors that are there do not run yet.
    """

    desired: DesiredState
    topics: dict[str, TopicState] = field(default_factory=dict)
    catalog: CatalogState = field(default_factory=lambda: CatalogState(is_ready=False))
    connectors: dict[str, dict[str, str]] = field(default_factory=dict)
    trino: dict[str, str] = field(default_factory=dict)
    fails_at: int | None = None
    blind_looks: int = 0
    absent_looks: int = 0
    idle_looks: int = 0
    title: str = "The world"
    applied: list[str] = field(default_factory=list)
    _hidden: tuple[int, Plan] = (0, Plan())

    async def plan(self) -> Plan:
        if self.absent_looks:
            self.absent_looks -= 1
            raise UnavailableError(self.title, "nowhere", "it sleeps")
        left, old = self._hidden
        if left:
            self._hidden = (left - 1, old)
            return old
        return self.now()

    def now(self) -> Plan:
        wanted = self.desired
        plan = Plan()
        if wanted.kafka:
            plan += plan_topics(wanted.kafka.topics, self.topics)
        if wanted.catalog:
            plan += plan_catalog(wanted.catalog, self.catalog)
        if wanted.connect:
            plan += plan_connectors(wanted.connect.connectors, self._states())
        if wanted.trino:
            plan += plan_trino(wanted.trino.catalogs, self.trino)
        return plan

    def _states(self) -> dict[str, ConnectorState]:
        state = "RUNNING"
        if self.connectors and self.idle_looks:
            self.idle_looks -= 1
            state = "UNASSIGNED"
        return {name: ConnectorState(config, state) for name, config in self.connectors.items()}

    async def apply(self, step: Step) -> None:
        if self.fails_at == len(self.applied):
            raise StepFailedError(step.sentence, "killed")
        self._hidden = (self.blind_looks, self.now())
        self.applied.append(step.sentence)
        self._do(step)

    def _do(self, step: Step) -> None:
        match step:
            case CreateTopic(topic):
                state = TopicState(topic.partitions, topic.replication, dict(topic.configs))
                self.topics[topic.name] = state
            case GrowTopic(name, partitions):
                old = self.topics[name]
                self.topics[name] = TopicState(partitions, old.replication, old.configs)
            case ConfigureTopic(name, changes):
                old = self.topics[name]
                configs = {**old.configs, **changes}
                self.topics[name] = TopicState(old.partitions, old.replication, configs)
            case CreateCatalog():
                self.catalog = replace(self.catalog, is_ready=True)
            case CreateWarehouse():
                self.catalog = replace(self.catalog, has_warehouse=True)
            case CreateNamespace(name):
                self._set_catalog(self.catalog.namespaces | {name}, {})
            case CreateTable(table):
                made = table.definition
                state_ = TableState(made.table_schema, made.partition_spec, made.properties)
                self._set_catalog(self.catalog.namespaces, {table.name: state_})
            case PutConnector(connector):
                self.connectors[connector.name] = {"name": connector.name, **connector.config}
            case CreateTrinoCatalog(catalog):
                self.trino[catalog.name] = ""

    def _set_catalog(self, namespaces: frozenset[str], tables: dict[str, TableState]) -> None:
        together = {**self.catalog.tables, **tables}
        self.catalog = replace(self.catalog, namespaces=namespaces, tables=together)


class Told:
    """A journal that keeps what it was told; of a step, once it is done."""

    def __init__(self) -> None:
        self.lines: list[str] = []

    def note(self, line: str) -> None:
        self.lines.append(line)

    @contextmanager
    def step(self, sentence: str) -> Iterator[None]:
        yield
        self.lines.append(sentence)


async def apply(*systems: System, journal: Told | None = None, seconds: float = 0) -> Plan:
    """Apply without sleeping; `seconds` is how long systems are waited for."""
    patience = Patience(seconds, pause=0)
    return await apply_all(systems, journal or Told(), patience=patience, pause=0)

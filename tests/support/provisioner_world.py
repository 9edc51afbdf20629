"""A world to provision that lives in memory, with switchable misbehaviour."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from frazil.provisioner.desired import DesiredState
from frazil.provisioner.errors import StepFailedError
from frazil.provisioner.plan import (
    CatalogState,
    ConfigureTopic,
    CreateCatalog,
    CreateNamespace,
    CreateTable,
    CreateTopic,
    GrowTopic,
    Plan,
    PutConnector,
    Step,
    TopicState,
    plan_catalog,
    plan_connectors,
    plan_topics,
)
from frazil.provisioner.tables import TableState


@dataclass
class World:
    """All three systems at once.

    `fails_at` is the number of the step that fails, as if the process were killed there;
    `blind_looks` is how often a change is not seen yet after it was made.
    """

    desired: DesiredState
    topics: dict[str, TopicState] = field(default_factory=dict)
    catalog: CatalogState = field(default_factory=lambda: CatalogState(is_ready=False))
    connectors: dict[str, dict[str, str]] = field(default_factory=dict)
    fails_at: int | None = None
    blind_looks: int = 0
    applied: list[str] = field(default_factory=list)
    _hidden: tuple[int, Plan] = (0, Plan())

    async def plan(self) -> Plan:
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
            plan += plan_connectors(wanted.connect.connectors, self.connectors)
        return plan

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
                self.catalog = CatalogState(is_ready=True)
            case CreateNamespace(name):
                self._set_catalog(self.catalog.namespaces | {name}, {})
            case CreateTable(table):
                made = table.definition
                state_ = TableState(made.table_schema, made.partition_spec, made.properties)
                self._set_catalog(self.catalog.namespaces, {table.name: state_})
            case PutConnector(connector):
                self.connectors[connector.name] = {"name": connector.name, **connector.config}

    def _set_catalog(self, namespaces: frozenset[str], tables: dict[str, TableState]) -> None:
        self.catalog = CatalogState(
            is_ready=True, namespaces=namespaces, tables={**self.catalog.tables, **tables}
        )


@contextmanager
def unannounced(_sentence: str) -> Iterator[None]:
    yield

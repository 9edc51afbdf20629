"""What to do, from what is wanted and what is there. Pure.

A plan never destroys: what cannot be changed in place is refused with a sentence, and what is
left to others (the evolution of tables) is reported as drift.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from frazil.provisioner.desired import Catalog, Connector, Table, Topic, TrinoCatalog
from frazil.provisioner.tables import TableState, differences


@dataclass(frozen=True)
class TopicState:
    partitions: int
    replication: int
    configs: Mapping[str, str]


@dataclass(frozen=True)
class CatalogState:
    """`is_ready`: the catalog has its own tables; one behind a REST API always has."""

    is_ready: bool
    namespaces: frozenset[str] = frozenset()
    tables: Mapping[str, TableState] = field(default_factory=dict)
    has_warehouse: bool = True


@dataclass(frozen=True)
class ConnectorState:
    """`state` is one word of Connect's for a connector and its tasks."""

    config: Mapping[str, str]
    state: str = "RUNNING"
    trace: str = ""


@dataclass(frozen=True)
class CreateTopic:
    topic: Topic

    @property
    def sentence(self) -> str:
        return f"create topic {self.topic.name} with {_partitions(self.topic.partitions)}"


@dataclass(frozen=True)
class GrowTopic:
    name: str
    partitions: int
    partitions_now: int

    @property
    def sentence(self) -> str:
        wanted = _partitions(self.partitions)
        return f"grow topic {self.name} from {self.partitions_now} to {wanted}"


@dataclass(frozen=True)
class ConfigureTopic:
    name: str
    changes: Mapping[str, str]

    @property
    def sentence(self) -> str:
        changes = ", ".join(f"{name} = {value}" for name, value in self.changes.items())
        return f"configure topic {self.name}: {changes}"


@dataclass(frozen=True)
class CreateCatalog:
    name: str

    @property
    def sentence(self) -> str:
        return f"create the tables of catalog {self.name} itself"


@dataclass(frozen=True)
class CreateWarehouse:
    name: str

    @property
    def sentence(self) -> str:
        return f"create warehouse {self.name}"


@dataclass(frozen=True)
class CreateNamespace:
    name: str

    @property
    def sentence(self) -> str:
        return f"create namespace {self.name}"


@dataclass(frozen=True)
class CreateTable:
    table: Table

    @property
    def sentence(self) -> str:
        columns = len(self.table.definition.table_schema.fields)
        return f"create table {self.table.name} with {columns} columns"


@dataclass(frozen=True)
class PutConnector:
    """`changed` are names only: values may be secrets."""

    connector: Connector
    changed: tuple[str, ...] = ()

    @property
    def sentence(self) -> str:
        if not self.changed:
            return f"create connector {self.connector.name}"
        return f"change connector {self.connector.name}: {', '.join(self.changed)}"


@dataclass(frozen=True)
class CreateTrinoCatalog:
    catalog: TrinoCatalog

    @property
    def sentence(self) -> str:
        return f"create catalog {self.catalog.name} in Trino"


Step = (
    CreateTopic
    | GrowTopic
    | ConfigureTopic
    | CreateCatalog
    | CreateWarehouse
    | CreateNamespace
    | CreateTable
    | PutConnector
    | CreateTrinoCatalog
)


@dataclass(frozen=True)
class Plan:
    """`pending`: what is as declared and not at work yet. Nothing is to be done but to wait."""

    steps: tuple[Step, ...] = ()
    drifts: tuple[str, ...] = ()
    refusals: tuple[str, ...] = ()
    pending: tuple[str, ...] = ()

    def __add__(self, other: "Plan") -> "Plan":
        return Plan(
            self.steps + other.steps,
            self.drifts + other.drifts,
            self.refusals + other.refusals,
            self.pending + other.pending,
        )

    @property
    def is_empty(self) -> bool:
        return not (self.steps or self.drifts or self.refusals)

    @property
    def sentences(self) -> tuple[str, ...]:
        return (*(step.sentence for step in self.steps), *self.drifts, *self.refusals)


def plan_topics(wanted: Sequence[Topic], actual: Mapping[str, TopicState]) -> Plan:
    return sum((_plan_topic(topic, actual.get(topic.name)) for topic in wanted), Plan())


def _plan_topic(topic: Topic, actual: TopicState | None) -> Plan:
    if actual is None:
        return Plan(steps=(CreateTopic(topic),))
    steps: list[Step] = []
    refusals: list[str] = []
    if topic.partitions > actual.partitions:
        steps.append(GrowTopic(topic.name, topic.partitions, actual.partitions))
    elif topic.partitions < actual.partitions:
        refusals.append(
            f"Topic {topic.name} has {_partitions(actual.partitions)}, more than the "
            f"{topic.partitions} declared, and cannot shrink: declare {actual.partitions}, or "
            "delete the topic and its records yourself."
        )
    if topic.replication != actual.replication:
        refusals.append(
            f"Topic {topic.name} has replication {actual.replication}, not the declared "
            f"{topic.replication}: replicas are moved with Kafka's own tools."
        )
    changes = {
        name: value for name, value in topic.configs.items() if actual.configs.get(name) != value
    }
    if changes:
        steps.append(ConfigureTopic(topic.name, changes))
    return Plan(steps=tuple(steps), refusals=tuple(refusals))


def plan_catalog(wanted: Catalog, actual: CatalogState) -> Plan:
    first: list[Step] = [] if actual.is_ready else [CreateCatalog(wanted.name)]
    if not actual.has_warehouse:
        first.append(CreateWarehouse(wanted.properties["warehouse"]))
    names = (name for name in wanted.namespaces if name not in actual.namespaces)
    tables = sum((_plan_table(t, actual.tables.get(t.name)) for t in wanted.tables), Plan())
    return Plan(steps=(*first, *map(CreateNamespace, names))) + tables


def _plan_table(table: Table, actual: TableState | None) -> Plan:
    if actual is None:
        return Plan(steps=(CreateTable(table),))
    found = differences(table, actual)
    return Plan(
        drifts=tuple(one.sentence for one in found if not one.is_fatal),
        refusals=tuple(one.sentence for one in found if one.is_fatal),
    )


def plan_connectors(wanted: Sequence[Connector], actual: Mapping[str, ConnectorState]) -> Plan:
    return sum((_plan_connector(one, actual.get(one.name)) for one in wanted), Plan())


def _plan_connector(connector: Connector, actual: ConnectorState | None) -> Plan:
    if actual is None:
        return Plan(steps=(PutConnector(connector),))
    changed = _changed(connector, actual.config)
    steps = (PutConnector(connector, changed),) if changed else ()
    if actual.state == "FAILED":
        # Pending too: whoever runs it may start it again.
        failure = (f"Connector {connector.name} has failed: {actual.trace or 'nobody says why'}",)
        return Plan(steps=steps, drifts=failure, pending=failure)
    # Paused and stopped ones are so by somebody's wish.
    is_settled = actual.state in {"RUNNING", "PAUSED", "STOPPED"}
    pending = () if is_settled else (f"Connector {connector.name} is {actual.state}",)
    return Plan(steps=steps, pending=pending)


def _changed(connector: Connector, actual: Mapping[str, str]) -> tuple[str, ...]:
    """Name the keys that differ; Connect adds the connector's name to what it was given."""
    wanted = {"name": connector.name} | connector.config
    there = {"name": connector.name} | dict(actual)
    return tuple(key for key in sorted({*wanted, *there}) if wanted.get(key) != there.get(key))


def plan_trino(wanted: Sequence[TrinoCatalog], actual: Mapping[str, str]) -> Plan:
    """Plan from what each catalog that is there complains of; one that answers of nothing."""
    complaints = {one.name: actual[one.name] for one in wanted if actual.get(one.name)}
    return Plan(
        steps=tuple(CreateTrinoCatalog(one) for one in wanted if one.name not in actual),
        refusals=tuple(unanswering(name, why) for name, why in complaints.items()),
    )


def unanswering(name: str, why: str) -> str:
    return (
        f"Catalog {name} of Trino does not answer: {why.rstrip('.')}. When that is mended, drop "
        f'it yourself with DROP CATALOG "{name}" and run this again.'
    )


def _partitions(count: int) -> str:
    return f"{count} partition{'' if count == 1 else 's'}"

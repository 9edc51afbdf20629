"""From what is wanted and what is there to ordered steps; and in the end to none."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.local_state import local_state
from tests.support.provisioner_world import World, apply

from frazil.provisioner.desired import Connector, DesiredState, TableDefinition, Topic, TrinoCatalog
from frazil.provisioner.plan import (
    CatalogState,
    ConnectorState,
    Plan,
    PutConnector,
    TopicState,
    plan_catalog,
    plan_connectors,
    plan_topics,
    plan_trino,
)
from frazil.provisioner.tables import TableState

short = st.text("abcd", min_size=1, max_size=2)
configs = st.dictionaries(short, short, max_size=3)
wanted_topics = st.lists(
    st.builds(
        Topic, name=short, partitions=st.integers(1, 9), replication=st.just(1), configs=configs
    ),
    unique_by=lambda topic: topic.name,
)
topic_states = st.builds(
    TopicState, partitions=st.integers(1, 9), replication=st.just(1), configs=configs
)
wanted_connectors = st.lists(
    st.builds(Connector, name=short, config=configs), unique_by=lambda connector: connector.name
)


def state(topics: list[Topic], connectors: list[Connector]) -> DesiredState:
    return DesiredState.model_validate(
        {
            "kafka": {"bootstrap.servers": "a:1", "topics": topics},
            "connect": {"url": "http://a", "connectors": connectors},
        }
    )


@given(
    topics=wanted_topics,
    connectors=wanted_connectors,
    topics_now=st.dictionaries(short, topic_states),
    connectors_now=st.dictionaries(short, configs),
)
async def test_after_all_steps_only_refusals_are_left(
    topics: list[Topic],
    connectors: list[Connector],
    topics_now: dict[str, TopicState],
    connectors_now: dict[str, dict[str, str]],
) -> None:
    world = World(
        state(topics, connectors), topics=dict(topics_now), connectors=dict(connectors_now)
    )
    refusals = world.now().refusals
    for step in world.now().steps:
        await world.apply(step)
    assert world.now() == Plan(refusals=refusals)
    assert {name: t.partitions for name, t in topics_now.items()}.keys() <= world.topics.keys()
    assert all(world.topics[n].partitions >= t.partitions for n, t in topics_now.items())


async def test_the_local_stack_is_planned_in_order_and_then_not_at_all() -> None:
    world = World(local_state())
    await apply(world)
    assert world.now().is_empty
    assert world.applied == [
        "create topic apilogs with 3 partitions",
        "create topic errorlogs with 3 partitions",
        "create topic auditlogs with 3 partitions",
        "create topic control-iceberg with 1 partition",
        "create the tables of catalog iceberg itself",
        "create namespace streaming",
        "create table streaming.apilogs with 11 columns",
        "create table streaming.errorlogs with 7 columns",
        "create table streaming.auditlogs with 14 columns",
        "create connector iceberg-sink-apilogs",
        "create connector iceberg-sink-errorlogs",
        "create connector iceberg-sink-auditlogs",
    ]


def sentences(wanted: dict[str, Any], actual: TopicState) -> Plan:
    return plan_topics([Topic.model_validate({"name": "a", **wanted})], {"a": actual})


def test_more_partitions_are_grown() -> None:
    plan = sentences({"partitions": 3}, TopicState(1, 1, {}))
    assert [s.sentence for s in plan.steps] == ["grow topic a from 1 to 3 partitions"]


def test_fewer_partitions_are_refused() -> None:
    plan = sentences({"partitions": 2}, TopicState(3, 1, {}))
    assert plan == Plan(
        refusals=(
            "Topic a has 3 partitions, more than the 2 declared, and cannot shrink: declare 3, "
            "or delete the topic and its records yourself.",
        )
    )


def test_another_replication_is_refused() -> None:
    plan = sentences({"partitions": 1, "replication": 3}, TopicState(1, 1, {}))
    assert plan.refusals == (
        "Topic a has replication 1, not the declared 3: replicas are moved with Kafka's own tools.",
    )


def test_only_configs_that_differ_are_set_and_others_stay() -> None:
    wanted = {"partitions": 1, "configs": {"same": "1", "new": "2", "other": "3"}}
    plan = sentences(wanted, TopicState(1, 1, {"same": "1", "other": "0", "theirs": "9"}))
    assert [s.sentence for s in plan.steps] == ["configure topic a: new = 2, other = 3"]


def test_a_table_that_lacks_a_column_is_drift_and_no_step() -> None:
    wanted = local_state().catalog
    assert wanted
    tables = {t.name: _as_created(t.definition) for t in wanted.tables}
    tables["streaming.apilogs"] = tables["streaming.errorlogs"]
    plan = plan_catalog(wanted, CatalogState(True, frozenset({"streaming"}), tables))
    assert not plan.steps
    assert not plan.refusals
    assert "Table streaming.apilogs has no column bucket (string)." in plan.drifts


def _as_created(made: TableDefinition) -> TableState:
    return TableState(made.table_schema, made.partition_spec, made.properties)


@pytest.mark.parametrize(
    ("there", "changed"),
    [
        ({"a": "1", "b": "2", "name": "c"}, None),
        ({"a": "1", "b": "2"}, None),
        ({"a": "1", "b": "3", "name": "c"}, ("b",)),
        ({"a": "1", "name": "c"}, ("b",)),
        ({"a": "1", "b": "2", "z": "0", "name": "c"}, ("z",)),
    ],
)
def test_a_connector_is_put_only_when_it_differs(
    there: dict[str, str], changed: tuple[str, ...] | None
) -> None:
    connector = Connector(name="c", config={"a": "1", "b": "2"})
    plan = plan_connectors([connector], {"c": ConnectorState(there)})
    assert plan.steps == (() if changed is None else (PutConnector(connector, changed),))


def test_sentences_of_connectors_hold_no_values() -> None:
    step = PutConnector(Connector(name="c", config={"password": "hunter2"}), ("password",))
    assert step.sentence == "change connector c: password"


def test_a_failed_connector_that_differs_is_put_and_told_of() -> None:
    connector = Connector(name="c", config={"a": "1"})
    plan = plan_connectors([connector], {"c": ConnectorState({"a": "2"}, "FAILED")})
    assert plan.steps == (PutConnector(connector, ("a",)),)
    assert plan.drifts == ("Connector c has failed: nobody says why",)


def test_what_is_only_pending_is_nothing_to_do() -> None:
    assert Plan(pending=("Connector c is UNASSIGNED",)).is_empty


def test_pending_is_kept_when_plans_are_added() -> None:
    assert (Plan(pending=("a",)) + Plan(pending=("b",))).pending == ("a", "b")


def test_of_catalogs_in_trino_the_missing_are_made_and_the_silent_refused() -> None:
    wanted = [TrinoCatalog(name=name, properties={}) for name in ("new", "good", "mute")]
    plan = plan_trino(wanted, {"good": "", "mute": "Forbidden.", "theirs": "no"})
    assert [step.sentence for step in plan.steps] == ["create catalog new in Trino"]
    assert plan.refusals == (
        "Catalog mute of Trino does not answer: Forbidden. When that is mended, drop it yourself "
        'with DROP CATALOG "mute" and run this again.',
    )


async def test_all_nine_steps_are_planned_in_order_and_then_not_at_all() -> None:
    local = local_state()
    trino = {"url": "http://t", "catalogs": [{"name": "lake", "properties": {}}]}
    whole = DesiredState.model_validate({**dict(local), "trino": trino})
    world = World(whole, catalog=CatalogState(is_ready=True, has_warehouse=False))
    await apply(world)
    assert world.now().is_empty
    kinds = [sentence.split()[1] for sentence in world.applied]
    assert list(dict.fromkeys(kinds)) == [
        "topic",
        "warehouse",
        "namespace",
        "table",
        "connector",
        "catalog",
    ]

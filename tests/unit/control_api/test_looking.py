"""Looks at workers: bounded, remembered by the reconciler, forgotten with the connector."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass, field, replace

import pytest
from tests.support.control_api import NOW, FakeClock, connector, living, sink_config
from tests.support.secrets import FakeSecrets

from frazil.contracts.states import TableState, Target
from frazil.contracts.worker_status import TableStatus
from frazil.control_api.core.connector import Observed, Phase
from frazil.control_api.core.errors import EngineError, InvalidConnectorError
from frazil.control_api.core.insight import Insight
from frazil.control_api.core.layout import TableLayout
from frazil.control_api.core.observation import Observation
from frazil.control_api.core.policy import Policy
from frazil.control_api.core.ports import Secrets
from frazil.control_api.core.proof import TableHistory, TableSource
from frazil.control_api.core.references import NoSecrets
from frazil.control_api.core.service import ConnectorService, Submission
from frazil.control_api.core.sightings import Sightings
from frazil.control_api.engine.fake import FakeEngine
from frazil.control_api.loops.look import look
from frazil.control_api.loops.outfitter import Outfitter
from frazil.control_api.loops.queue import WorkQueue
from frazil.control_api.loops.reconciler import Reconciler
from frazil.control_api.store.repository import Repository

RUNNING = connector(observed=Observed(Phase.RUNNING, epoch=5, generation=1, since=NOW))


@dataclass
class NoTables:
    asked: list[TableSource] = field(default_factory=list)

    async def histories(self, source: TableSource) -> list[TableHistory]:
        self.asked.append(source)
        return []

    async def layouts(self, source: TableSource) -> list[TableLayout]:
        self.asked.append(source)
        return []


@dataclass
class World:
    engine: FakeEngine
    sightings: Sightings = field(default_factory=Sightings)
    tables: NoTables = field(default_factory=NoTables)
    looks: int = 0
    failure: EngineError | None = None
    secrets: Secrets = field(default_factory=NoSecrets)

    async def look(self, _name: str) -> Observation:
        self.looks += 1
        if self.failure is not None:
            raise self.failure
        return Observation((living(),))

    @property
    def insight(self) -> Insight:
        return Insight(
            self.engine,
            self.look,
            sightings=self.sightings,
            tables=self.tables,
            secrets=self.secrets,
            clock=self.engine.clock,
        )


@pytest.fixture
def world(engine: FakeEngine) -> World:
    return World(engine)


async def test_an_engine_that_hangs_is_left_with_a_sentence(
    engine: FakeEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def hang(_engine: FakeEngine, _name: str) -> Observation:
        await asyncio.Event().wait()
        raise AssertionError

    monkeypatch.setattr(FakeEngine, "inspect", hang)
    with pytest.raises(EngineError, match=r"^the engine gave no answer within 0 s$"):
        await look(engine, "logs", 0.01)


async def test_a_look_that_fails_shows_what_was_seen_before(world: World) -> None:
    world.failure = EngineError("it is busy")
    world.sightings.see("logs", Observation((living(),)))
    found = await world.insight.look(RUNNING)
    assert not found.healthy
    assert found.trouble == "it is busy"
    assert found.worker == living()


async def test_an_engine_that_is_in_trouble_is_not_asked(world: World) -> None:
    world.engine.trouble = "it is away"
    assert (await world.insight.look(RUNNING)).trouble == "it is away"
    assert world.looks == 0


async def test_a_glance_asks_nobody(world: World) -> None:
    assert world.insight.glance(RUNNING).reason == "Running when last seen."
    world.sightings.see("logs", Observation())
    assert not world.insight.glance(RUNNING).healthy
    assert world.looks == 0


def test_logs_are_refused_before_they_begin(world: World) -> None:
    world.engine.trouble = "it is away"
    with pytest.raises(EngineError, match="it is away"):
        world.insight.lines(RUNNING, tail=1, follow=False)
    world.engine.trouble = None
    assert isinstance(world.insight.lines(RUNNING, tail=1, follow=False), AsyncIterator)


async def test_tables_are_named_as_the_connector_names_them(world: World) -> None:
    source = world.insight.source(RUNNING)
    assert (source.connector, source.catalog, source.tables) == (
        "logs",
        "iceberg",
        {"streaming.apilogs": "main"},
    )
    assert source.properties["type"] == "jdbc"
    assert "jdbc" not in repr(source), "properties hold secrets"
    assert await world.insight.proofs(source) == []
    assert world.tables.asked == [source]


def test_a_value_that_does_not_do_any_more_is_not_shown(world: World) -> None:
    world.secrets = FakeSecrets({"${env:T}": "tr0ub4dor"})
    config = sink_config(name="logs", **{"tasks.max": "${env:T}"})
    with pytest.raises(InvalidConnectorError, match=r"Invalid value \[hidden\] for .* tasks.max"):
        world.insight.source(replace(RUNNING, config=config))


def test_tables_that_records_name_are_those_that_the_worker_has_seen(world: World) -> None:
    keys = {
        "iceberg.tables.dynamic-enabled": "true",
        "iceberg.tables.route-field": "kind",
        "iceberg.table.a.commit-branch": "dev",
    }
    config = {k: v for k, v in RUNNING.config.items() if k != "iceberg.tables"} | keys
    dynamic = replace(RUNNING, config=config)
    assert world.insight.source(dynamic).tables == {}
    seen = {"ns.a": TableStatus(), "ns.gone": TableStatus(state=TableState.MISSING)}
    worker = living()
    assert worker.status is not None
    told = replace(worker, status=worker.status.model_copy(update={"tables": seen}))
    world.sightings.see("logs", Observation((told,)))
    assert world.insight.source(dynamic).tables == {"ns.a": "dev"}


async def test_the_reconciler_remembers_what_it_saw_until_the_connector_is_gone(
    service: ConnectorService, store: Repository, engine: FakeEngine, clock: FakeClock
) -> None:
    sightings = Sightings()
    reconciler = Reconciler(
        WorkQueue(clock.now),
        store,
        engine,
        clock=clock,
        policy=Policy(),
        outfitter=Outfitter(worker_id="127.0.0.1:8083", kafka={}),
        sightings=sightings,
    )
    service.create(Submission("logs", sink_config()))
    for _ in range(2):
        await reconciler.reconcile("logs")
    seen = sightings.get("logs")
    assert seen is not None
    assert [worker.alive for worker in seen.living] == [True]
    service.delete("logs")
    for _ in range(3):
        await reconciler.reconcile("logs")
    assert sightings.get("logs") is None


def test_names_that_are_due_are_counted(clock: FakeClock) -> None:
    queue = WorkQueue(clock.now)
    for name, delay in (("a", 0.0), ("b", 0.0), ("later", 5.0)):
        queue.put(name, delay)
    assert queue.overdue == 2
    queue.take()
    assert queue.overdue == 1
    clock.move(5)
    assert queue.overdue == 2


def test_a_paused_connector_without_a_worker_needs_no_look(world: World) -> None:
    paused = connector(target=Target.PAUSED, observed=Observed(Phase.ENDED, epoch=5))
    world.engine.trouble = "it is away"
    assert world.insight.glance(paused).healthy

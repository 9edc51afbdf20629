"""The reconciler with an obedient store, a fake machine full of workers, and a clock to move."""

import asyncio
from collections.abc import Awaitable
from dataclasses import replace
from typing import cast

import pytest
from structlog.typing import EventDict
from tests.support.control_api import FakeClock, assignment, eventually, sink_config

from frazil.contracts.assignment import Assignment
from frazil.contracts.exit_code import ExitCode
from frazil.contracts.states import ConnectState, Target
from frazil.control_api.core.connector import Connector, Observed, Phase
from frazil.control_api.core.policy import Policy
from frazil.control_api.core.service import ConnectorService, Submission
from frazil.control_api.core.states import public_state
from frazil.control_api.engine.fake import Behaviour, FakeEngine
from frazil.control_api.loops.outfitter import Outfitter
from frazil.control_api.loops.queue import WorkQueue
from frazil.control_api.loops.reconciler import Reconciler
from frazil.control_api.loops.timers import Resync
from frazil.control_api.store.repository import Repository

POLICY = Policy()
OUTFITTER = Outfitter(worker_id="127.0.0.1:8083", kafka={"bootstrap.servers": "kafka:9092"})


class KilledApi(BaseException):
    """Stands for kill -9 of the control API: nothing handles it."""


async def die(*_args: object) -> None:
    raise KilledApi


def reconciler_of(engine: FakeEngine, store: Repository, clock: FakeClock) -> Reconciler:
    return Reconciler(
        WorkQueue(clock.now),
        store,
        engine,
        clock=clock,
        policy=POLICY,
        outfitter=OUTFITTER,
    )


@pytest.fixture
def reconciler(engine: FakeEngine, store: Repository, clock: FakeClock) -> Reconciler:
    return reconciler_of(engine, store, clock)


@pytest.fixture
def logs(service: ConnectorService) -> ConnectorService:
    service.create(Submission("logs", sink_config()))
    return service


def state(service: ConnectorService, name: str = "logs") -> ConnectState:
    return public_state(service.get(name)).connector


async def settle(reconciler: Reconciler, clock: FakeClock, name: str = "logs") -> None:
    """Make passes until nothing but waiting for a clock is left."""
    for _ in range(10):
        after = await reconciler.reconcile(name)
        if after is None or after >= POLICY.look_again:
            return
        clock.move(after)
    raise AssertionError("it does not settle")


async def test_a_connector_gets_a_worker_and_is_running_when_that_says_so(
    reconciler: Reconciler, logs: ConnectorService, engine: FakeEngine, clock: FakeClock
) -> None:
    assert state(logs) is ConnectState.UNASSIGNED
    await reconciler.reconcile("logs")
    assert state(logs) is ConnectState.UNASSIGNED
    await settle(reconciler, clock)
    assert state(logs) is ConnectState.RUNNING
    assert engine.starts == [("logs", int(clock.time))]
    assert logs.get("logs").observed.topics == ("apilogs",)


async def test_each_decision_is_one_line_that_says_from_where_to_where_and_why(
    reconciler: Reconciler, service: ConnectorService, clock: FakeClock, lines: list[EventDict]
) -> None:
    service.create(Submission("logs", sink_config()))
    await settle(reconciler, clock)
    await reconciler.reconcile("logs")
    fields = [(line["connector"], line["before"], line["after"], line["why"]) for line in lines]
    assert fields == [
        ("logs", "NONE", "STARTING", "a worker is wanted"),
        ("logs", "STARTING", "RUNNING", "the worker says RUNNING"),
    ]


async def test_the_worker_is_told_the_configuration_and_the_clients_properties(
    reconciler: Reconciler,
    logs: ConnectorService,
    engine: FakeEngine,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    given: list[tuple[Assignment, str]] = []

    async def start(_engine: FakeEngine, assignment: Assignment, kind: str) -> None:
        given.append((assignment, kind))

    monkeypatch.setattr(FakeEngine, "start", start)
    await reconciler.reconcile("logs")
    ((assignment, kind),) = given
    assert kind == "spark-sink"
    assert assignment.config == logs.get("logs").config
    assert assignment.kafka == {"bootstrap.servers": "kafka:9092"}
    assert assignment.epoch == logs.get("logs").observed.epoch
    assert engine.starts == []


class TestDyingBetweenTheSteps:
    """The control API may be killed at any instruction; its successor goes on."""

    async def test_after_the_epoch_is_stored_and_before_the_worker_is_spawned(
        self,
        reconciler: Reconciler,
        logs: ConnectorService,
        engine: FakeEngine,
        store: Repository,
        clock: FakeClock,
        monkeypatch: pytest.MonkeyPatch,
    ) -> None:
        with monkeypatch.context() as patch:
            patch.setattr(FakeEngine, "start", die)
            with pytest.raises(KilledApi):
                await reconciler.reconcile("logs")
        stored = logs.get("logs").observed
        assert (stored.phase, engine.starts) == (Phase.STARTING, [])
        clock.move(7)
        await settle(reconciler_of(engine, store, clock), clock)
        assert engine.starts == [("logs", stored.epoch)]
        assert state(logs) is ConnectState.RUNNING
        assert logs.get("logs").observed.failures == 0

    async def test_after_the_worker_is_spawned_it_is_adopted(
        self,
        reconciler: Reconciler,
        logs: ConnectorService,
        engine: FakeEngine,
        store: Repository,
        clock: FakeClock,
    ) -> None:
        await reconciler.reconcile("logs")
        await settle(reconciler_of(engine, store, clock), clock)
        await settle(reconciler_of(engine, store, clock), clock)
        assert len(engine.starts) == 1
        assert state(logs) is ConnectState.RUNNING

    async def test_before_the_worker_is_asked_to_stop(
        self,
        reconciler: Reconciler,
        logs: ConnectorService,
        engine: FakeEngine,
        store: Repository,
        clock: FakeClock,
        monkeypatch: pytest.MonkeyPatch,
    ) -> None:
        await settle(reconciler, clock)
        logs.set_target("logs", Target.STOPPED)
        with monkeypatch.context() as patch:
            patch.setattr(FakeEngine, "stop", die)
            with pytest.raises(KilledApi):
                await reconciler.reconcile("logs")
        assert (await engine.inspect("logs")).living
        await settle(reconciler_of(engine, store, clock), clock)
        assert not (await engine.inspect("logs")).living
        assert state(logs) is ConnectState.STOPPED

    async def test_between_the_removal_of_the_folders_and_that_of_the_record(
        self,
        reconciler: Reconciler,
        logs: ConnectorService,
        engine: FakeEngine,
        store: Repository,
        clock: FakeClock,
        monkeypatch: pytest.MonkeyPatch,
    ) -> None:
        def die(*_args: object) -> bool:
            raise KilledApi

        logs.delete("logs")
        with monkeypatch.context() as patch:
            patch.setattr(Repository, "remove", die)
            with pytest.raises(KilledApi):
                await reconciler.reconcile("logs")
        await settle(reconciler_of(engine, store, clock), clock)
        assert store.all() == []


async def test_kill_9_of_a_worker_is_mended_at_once(
    reconciler: Reconciler, logs: ConnectorService, engine: FakeEngine, clock: FakeClock
) -> None:
    await settle(reconciler, clock)
    engine.die("logs")
    assert await reconciler.reconcile("logs") == 0.0
    failed = logs.get("logs")
    assert public_state(failed).task is ConnectState.FAILED
    assert "killed by signal 9" in (failed.observed.trace or "")
    before = clock.time
    await settle(reconciler, clock)
    assert state(logs) is ConnectState.RUNNING
    assert clock.time - before < 1
    (_, first), (_, second) = engine.starts
    assert second > first


async def test_a_worker_that_cannot_work_is_tried_five_times_and_then_left(
    reconciler: Reconciler, logs: ConnectorService, engine: FakeEngine, clock: FakeClock
) -> None:
    engine.behaviours["logs"] = Behaviour(exits_with=ExitCode.UNAVAILABLE, trace="no broker")
    waited = 0.0
    while (after := await reconciler.reconcile("logs")) is not None:
        if logs.get("logs").observed.phase is Phase.FAILED:
            break
        assert state(logs) is not ConnectState.RUNNING
        clock.move(after)
        waited += after
    assert len(engine.starts) == POLICY.max_failures
    assert 0.75 * 35 <= waited < 40
    assert (logs.get("logs").observed.trace or "").startswith("no broker\nGiven up")
    engine.behaviours.clear()
    logs.restart("logs", only_failed=True)
    await settle(reconciler, clock)
    assert state(logs) is ConnectState.RUNNING


async def test_an_engine_that_refuses_is_a_failure_to_be_seen(
    reconciler: Reconciler, logs: ConnectorService, engine: FakeEngine, clock: FakeClock
) -> None:
    engine.behaviours["logs"] = Behaviour(refuses_to_start="the disk is full")
    await reconciler.reconcile("logs")
    assert state(logs) is ConnectState.FAILED
    assert "could not be started: spark-sink: the disk is full" in (
        logs.get("logs").observed.trace or ""
    )
    engine.behaviours.clear()
    await settle(reconciler, clock)
    assert state(logs) is ConnectState.RUNNING


async def test_a_class_that_is_not_installed_any_more_is_a_failure_to_be_seen(
    reconciler: Reconciler, logs: ConnectorService, store: Repository
) -> None:
    gone = {"connector.class": "Gone"}
    store.change("logs", lambda old: replace(cast("Connector", old), config=gone))
    await reconciler.reconcile("logs")
    assert "Failed to find any class" in (logs.get("logs").observed.trace or "")


async def test_workers_start_one_after_another(
    reconciler: Reconciler, service: ConnectorService, engine: FakeEngine
) -> None:
    names = ["a", "b", "c"]
    for name in names:
        service.create(Submission(name, sink_config()))
        engine.behaviours[name] = Behaviour(never_ready=True)
    await asyncio.gather(*(reconciler.reconcile(name) for name in names))
    assert len(engine.starts) == 1


class TestABrokenOneDelaysNobody:
    """Starts are made one by one, and looks may hang: the others go on all the same."""

    async def test_a_start_that_hangs_gives_its_turn_to_the_next(
        self,
        reconciler: Reconciler,
        service: ConnectorService,
        engine: FakeEngine,
        clock: FakeClock,
    ) -> None:
        engine.behaviours["broken"] = Behaviour(never_ready=True)
        for name in ("broken", "good"):
            service.create(Submission(name, sink_config()))
            await reconciler.reconcile(name)
        assert [name for name, _ in engine.starts] == ["broken"]
        clock.move(POLICY.start_turn + 1)
        await settle(reconciler, clock, "good")
        assert state(service, "good") is ConnectState.RUNNING

    async def test_whoever_waits_is_called_when_a_turn_is_free(
        self, engine: FakeEngine, service: ConnectorService, store: Repository, clock: FakeClock
    ) -> None:
        queue = WorkQueue(clock.now)
        reconciler = Reconciler(
            queue, store, engine, clock=clock, policy=POLICY, outfitter=OUTFITTER
        )
        for name in ("first", "second"):
            service.create(Submission(name, sink_config()))
            await reconciler.reconcile(name)
        assert queue.take() is None
        await reconciler.reconcile("first")
        assert state(service, "first") is ConnectState.RUNNING
        assert queue.take() == "second"

    async def test_looks_that_hang_leave_the_other_loops_to_the_others(
        self,
        engine: FakeEngine,
        service: ConnectorService,
        store: Repository,
        clock: FakeClock,
        monkeypatch: pytest.MonkeyPatch,
    ) -> None:
        inspect = FakeEngine.inspect

        async def hangs(engine: FakeEngine, name: str) -> object:
            if name.startswith("bad"):
                await asyncio.Event().wait()
            return await inspect(engine, name)

        monkeypatch.setattr(FakeEngine, "inspect", hangs)
        queue = WorkQueue(asyncio.get_running_loop().time)
        policy = Policy(inspect_timeout=0.01)
        reconciler = Reconciler(
            queue, store, engine, clock=clock, policy=policy, outfitter=OUTFITTER
        )
        for name in [*(f"bad-{number}" for number in range(20)), "good"]:
            service.create(Submission(name, sink_config()))
            queue.put(name)
        working = [
            asyncio.ensure_future(cast("Awaitable[None]", reconciler.work_loop())) for _ in range(4)
        ]

        async def is_running() -> bool:
            return state(service, "good") is ConnectState.RUNNING

        await eventually("the good one runs", is_running)
        for loop in working:
            assert not loop.done()
            loop.cancel()


async def test_a_pause_ends_the_worker_and_a_resume_starts_another(
    reconciler: Reconciler, logs: ConnectorService, engine: FakeEngine, clock: FakeClock
) -> None:
    await settle(reconciler, clock)
    logs.set_target("logs", Target.PAUSED)
    await settle(reconciler, clock)
    assert state(logs) is ConnectState.PAUSED
    assert not (await engine.inspect("logs")).living
    logs.set_target("logs", Target.RUNNING)
    await settle(reconciler, clock)
    assert state(logs) is ConnectState.RUNNING
    assert len(engine.starts) == 2


async def test_a_worker_that_ignores_a_stop_is_killed_after_its_grace(
    reconciler: Reconciler, logs: ConnectorService, engine: FakeEngine, clock: FakeClock
) -> None:
    engine.behaviours["logs"] = Behaviour(ignores_stop=True)
    await settle(reconciler, clock)
    logs.set_target("logs", Target.STOPPED)
    await reconciler.reconcile("logs")
    await reconciler.reconcile("logs")
    assert (await engine.inspect("logs")).living
    clock.move(POLICY.stop_grace + 1)
    await settle(reconciler, clock)
    assert state(logs) is ConnectState.STOPPED


async def test_a_silent_worker_is_replaced_after_a_minute(
    reconciler: Reconciler, logs: ConnectorService, engine: FakeEngine, clock: FakeClock
) -> None:
    await settle(reconciler, clock)
    engine.fall_silent("logs")
    clock.move(60)
    await reconciler.reconcile("logs")
    assert state(logs) is ConnectState.RUNNING
    clock.move(1)
    await reconciler.reconcile("logs")
    assert state(logs) is ConnectState.FAILED
    await settle(reconciler, clock)
    assert len(engine.starts) == 2


async def test_a_deleted_connector_takes_its_worker_and_folders_along(
    reconciler: Reconciler,
    logs: ConnectorService,
    engine: FakeEngine,
    store: Repository,
    clock: FakeClock,
) -> None:
    await settle(reconciler, clock)
    logs.delete("logs")
    await settle(reconciler, clock)
    assert store.all() == []
    assert await engine.connectors() == []


async def test_a_worker_without_a_record_is_ended_and_removed(
    reconciler: Reconciler,
    logs: ConnectorService,
    engine: FakeEngine,
    store: Repository,
    clock: FakeClock,
) -> None:
    await settle(reconciler, clock)
    logs.delete("logs")
    store.remove("logs")
    await settle(reconciler, clock)
    assert await engine.connectors() == []
    assert store.look("another")[1] == 0


async def test_a_worker_without_a_record_that_ignores_a_stop_is_killed(
    reconciler: Reconciler, engine: FakeEngine, clock: FakeClock
) -> None:
    engine.behaviours["logs"] = Behaviour(ignores_stop=True)
    await engine.start(assignment("logs", 7), "spark-sink")
    await reconciler.reconcile("logs")
    clock.move(POLICY.stop_grace + 1)
    await settle(reconciler, clock)
    assert await engine.connectors() == []


async def test_a_connector_made_anew_while_its_old_worker_ends_gets_a_worker_of_its_own(
    reconciler: Reconciler, logs: ConnectorService, engine: FakeEngine, clock: FakeClock
) -> None:
    await settle(reconciler, clock)
    logs.delete("logs")
    await reconciler.reconcile("logs")
    logs.create(Submission("logs", sink_config(topics="errorlogs")))
    await settle(reconciler, clock)
    assert state(logs) is ConnectState.RUNNING
    (_, first), (_, second) = engine.starts
    assert second > first


async def test_suspending_ends_all_workers_and_changes_no_wish(
    engine: FakeEngine, logs: ConnectorService, store: Repository, clock: FakeClock
) -> None:
    queue = WorkQueue(asyncio.get_running_loop().time)
    policy = Policy(look_soon=0.001)
    reconciler = Reconciler(queue, store, engine, clock=clock, policy=policy, outfitter=OUTFITTER)
    await settle(reconciler, clock)
    working = asyncio.ensure_future(cast("Awaitable[None]", reconciler.work_loop()))
    await reconciler.suspend(10.0)
    await queue.drain(1.0)
    working.cancel()
    connector = logs.get("logs")
    assert not (await engine.inspect("logs")).living
    assert connector.target is Target.RUNNING
    assert connector.observed.failures == 0


async def test_trouble_with_one_connector_is_tried_again_and_spares_the_others(
    engine: FakeEngine,
    service: ConnectorService,
    store: Repository,
    clock: FakeClock,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    troubles = 0
    inspect = FakeEngine.inspect

    async def troubled(engine: FakeEngine, name: str) -> object:
        nonlocal troubles
        if name == "bad":
            troubles += 1
            raise OSError("the disk is away")
        return await inspect(engine, name)

    monkeypatch.setattr(FakeEngine, "inspect", troubled)
    queue = WorkQueue(asyncio.get_running_loop().time)
    reconciler = Reconciler(queue, store, engine, clock=clock, policy=POLICY, outfitter=OUTFITTER)
    for name in ("bad", "good"):
        service.create(Submission(name, sink_config()))
        queue.put(name)
    working = asyncio.ensure_future(cast("Awaitable[None]", reconciler.work_loop()))

    async def is_mended() -> bool:
        return troubles > 1 and state(service, "good") is ConnectState.RUNNING

    await eventually("the good one runs, the bad one is tried twice", is_mended)
    assert not working.done()
    working.cancel()


async def test_a_resync_enqueues_what_is_stored_and_what_is_left_over(
    engine: FakeEngine, logs: ConnectorService, store: Repository, clock: FakeClock
) -> None:
    queue = WorkQueue(clock.now)
    await settle(reconciler_of(engine, store, clock), clock)
    logs.create(Submission("more", sink_config()))
    store.record("logs", Observed())
    store.change("logs", lambda old: replace(cast("Connector", old), target=Target.DELETED))
    store.remove("logs")
    resync = Resync(queue, store, engine)
    await resync.resync()
    assert {queue.take(), queue.take(), queue.take()} == {"logs", "more", None}
    assert resync.done_once

"""An engine that cannot be reached is a state that is shown; nobody pays for it."""

import asyncio

import pytest
from structlog.typing import EventDict
from tests.support.control_api import FakeClock, eventually, sink_config

from frazil.contracts.assignment import Assignment
from frazil.control_api.core.connector import Phase
from frazil.control_api.core.errors import EngineError
from frazil.control_api.core.policy import Policy
from frazil.control_api.core.service import ConnectorService, Submission
from frazil.control_api.engine.fake import Behaviour, FakeEngine
from frazil.control_api.loops.outfitter import Outfitter
from frazil.control_api.loops.queue import WorkQueue
from frazil.control_api.loops.reconciler import Reconciler
from frazil.control_api.loops.timers import Resync
from frazil.control_api.store.repository import Repository

AWAY = "the daemon is away"


@pytest.fixture
def queue(clock: FakeClock) -> WorkQueue:
    return WorkQueue(clock.now)


@pytest.fixture
def reconciler(
    queue: WorkQueue,
    engine: FakeEngine,
    store: Repository,
    clock: FakeClock,
    service: ConnectorService,
) -> Reconciler:
    service.create(Submission("logs", sink_config()))
    outfitter = Outfitter(worker_id="127.0.0.1:8083", kafka={})
    return Reconciler(queue, store, engine, clock=clock, policy=Policy(), outfitter=outfitter)


async def test_a_start_that_did_not_reach_the_engine_is_no_failure_and_is_resumed(
    reconciler: Reconciler,
    engine: FakeEngine,
    service: ConnectorService,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async def lose(engine: FakeEngine, _assignment: Assignment, _kind: str) -> None:
        engine.go_away(AWAY)
        raise EngineError(AWAY)

    with monkeypatch.context() as patch:
        patch.setattr(FakeEngine, "start", lose)
        with pytest.raises(EngineError, match=AWAY):
            await reconciler.reconcile("logs")
    seen = service.get("logs").observed
    assert (seen.phase, seen.failures) == (Phase.STARTING, 0)
    engine.come_back()
    await reconciler.reconcile("logs")
    assert engine.starts == [("logs", seen.epoch)]


async def test_a_pass_without_an_engine_is_one_line_with_the_sentence(
    reconciler: Reconciler, queue: WorkQueue, engine: FakeEngine, lines: list[EventDict]
) -> None:
    engine.go_away(AWAY)
    queue.put("logs")

    async def is_told() -> bool:
        return bool(lines)

    task = asyncio.ensure_future(reconciler.work_loop())
    await eventually("it is logged", is_told)
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)
    assert lines == [
        {"event": "engine_unavailable", "connector": "logs", "why": AWAY, "log_level": "warning"}
    ]


async def test_a_resync_without_an_engine_is_one_line_with_the_sentence(
    queue: WorkQueue, store: Repository, engine: FakeEngine, lines: list[EventDict]
) -> None:
    engine.go_away(AWAY)
    task = asyncio.ensure_future(Resync(queue, store, engine).loop())

    async def is_told() -> bool:
        return bool(lines)

    await eventually("it is logged", is_told)
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)
    assert (lines[0]["event"], lines[0]["why"]) == ("engine_unavailable", AWAY)


async def test_an_end_that_was_to_take_the_workers_along_does_not_wait_for_a_lost_engine(
    reconciler: Reconciler, engine: FakeEngine, lines: list[EventDict]
) -> None:
    engine.go_away(AWAY)
    await reconciler.suspend(60)
    assert (lines[0]["event"], lines[0]["why"]) == ("workers_go_on", AWAY)


async def test_a_start_that_waits_for_its_image_is_waited_for(
    reconciler: Reconciler, engine: FakeEngine, service: ConnectorService, lines: list[EventDict]
) -> None:
    engine.behaviours["logs"] = Behaviour(preparing="pulling image x:1: 43 %")
    for _ in range(3):
        await reconciler.reconcile("logs")
    assert service.get("logs").observed.phase is Phase.STARTING
    assert [line["action"] for line in lines] == ["START"]
    engine.behaviours["logs"] = Behaviour()
    await reconciler.reconcile("logs")
    assert [epoch for _, epoch in engine.starts] == [service.get("logs").observed.epoch]

"""Who leads: the duties run while lock and engine are held, and end with them."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
from structlog.typing import EventDict
from tests.support.control_api import eventually

from frazil.control_api.core.errors import StoreError
from frazil.control_api.core.health import Role
from frazil.control_api.engine.fake import FakeEngine
from frazil.control_api.loops import leader as module
from frazil.control_api.loops.leader import Leader
from frazil.runtime.tasks import Guard


class Lock:
    """A lock that others may have and that can be lost."""

    def __init__(self) -> None:
        self.elsewhere = False
        self.is_held = False
        self.trouble: Exception | None = None
        self._loss = asyncio.Event()

    async def take(self) -> bool:
        if self.trouble is not None:
            raise self.trouble
        self.is_held = not self.elsewhere
        return self.is_held

    async def lost(self) -> None:
        await self._loss.wait()
        self._loss.clear()

    async def release(self) -> None:
        self.is_held = False

    def lose(self) -> None:
        self.is_held = False
        self.elsewhere = True
        self._loss.set()


class Duty:
    """Remembers whether it runs, and what was so when it ended."""

    def __init__(self) -> None:
        self.starts = 0
        self.runs = False

    async def loop(self) -> None:
        self.starts += 1
        self.runs = True
        try:
            await asyncio.Event().wait()
        finally:
            self.runs = False


@pytest.fixture(autouse=True)
def _no_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "RETRY_SECONDS", 0.0)
    monkeypatch.setattr(module, "REST_SECONDS", 0.0)


@pytest.fixture
def lock() -> Lock:
    return Lock()


@pytest.fixture
def duty() -> Duty:
    return Duty()


@pytest.fixture
def leader(lock: Lock, engine: FakeEngine, duty: Duty) -> Leader:
    return Leader(lock, engine, {"duty": duty.loop})


@asynccontextmanager
async def standing(leader: Leader) -> AsyncIterator[None]:
    guard = Guard()
    guard.start("leader", leader.loop)
    yield
    await guard.stop()


async def until(leader: Leader, role: Role) -> None:
    async def is_so() -> bool:
        return leader.role is role

    await eventually(f"it is a {role}", is_so)


async def until_it_runs(duty: Duty) -> None:
    async def runs() -> bool:
        return duty.runs

    await eventually("the duty runs", runs)


async def test_who_has_lock_and_engine_does_the_duties(
    leader: Leader, lock: Lock, duty: Duty
) -> None:
    assert leader.role is None
    async with standing(leader):
        await until_it_runs(duty)
        assert leader.role is Role.LEADER
    assert leader.role is Role.FOLLOWER
    assert not duty.runs
    assert not lock.is_held


async def test_who_has_no_lock_does_none_until_it_is_free(
    leader: Leader, lock: Lock, duty: Duty
) -> None:
    lock.elsewhere = True
    async with standing(leader):
        await until(leader, Role.FOLLOWER)
        assert duty.starts == 0
        lock.elsewhere = False
        await until_it_runs(duty)


async def test_who_cannot_have_the_engine_leaves_the_lock_to_others(
    leader: Leader, lock: Lock, engine: FakeEngine, duty: Duty, lines: list[EventDict]
) -> None:
    async def is_left() -> bool:
        return not lock.is_held

    engine.claimed_elsewhere = True
    async with standing(leader):
        await until(leader, Role.FOLLOWER)
        await eventually("the lock is left", is_left)
        assert duty.starts == 0
        engine.claimed_elsewhere = False
        await until_it_runs(duty)
    said = [line["why"] for line in lines if line["event"] == "following"]
    assert said == ["another control API looks after the workers in memory"]


async def test_who_loses_the_lock_ends_the_duties_and_may_lead_again(
    leader: Leader, lock: Lock, duty: Duty
) -> None:
    async with standing(leader):
        await until_it_runs(duty)
        lock.lose()
        await until(leader, Role.FOLLOWER)
        assert not duty.runs
        lock.elsewhere = False
        await until_it_runs(duty)
    assert duty.starts == 2


@pytest.mark.parametrize("trouble", [StoreError("it is away"), RuntimeError("a bug")])
async def test_a_lock_that_is_in_trouble_is_tried_again(
    leader: Leader, lock: Lock, duty: Duty, trouble: Exception
) -> None:
    lock.trouble = trouble
    async with standing(leader):
        await until(leader, Role.FOLLOWER)
        lock.trouble = None
        await until_it_runs(duty)


async def test_a_duty_that_dies_is_named(lock: Lock, engine: FakeEngine) -> None:
    async def dies() -> None:
        raise RuntimeError("a bug")

    leader = Leader(lock, engine, {"duty": dies})

    async def is_named() -> bool:
        return leader.failure == "duty ended: RuntimeError('a bug')"

    async with standing(leader):
        await eventually("the dead duty is named", is_named)


async def test_a_lock_that_comes_after_the_end_is_let_go(engine: FakeEngine) -> None:
    comes = asyncio.Event()

    class SlowLock(Lock):
        async def take(self) -> bool:
            await comes.wait()
            self.taken = await super().take()
            return self.taken

    lock, guard = SlowLock(), Guard()
    guard.start("leader", Leader(lock, engine, {}).loop)
    await asyncio.sleep(0)
    ending = asyncio.ensure_future(guard.stop())
    await asyncio.sleep(0)
    comes.set()
    await ending
    assert (lock.taken, lock.is_held) == (True, False)

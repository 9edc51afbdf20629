"""Workers that wait are started while nobody else starts, and ended when none are wanted."""

import asyncio
from contextlib import suppress
from dataclasses import dataclass, field

import pytest
from tests.support.control_api import FakeClock, connector

from frazil.contracts.states import Target
from frazil.control_api.core.connector import Observed, Phase
from frazil.control_api.core.errors import EngineError
from frazil.control_api.engine.fake import FakeEngine
from frazil.control_api.loops.spares import Spares
from frazil.control_api.store.repository import Repository

ROUNDS = 4


@dataclass(slots=True)
class CountingEngine(FakeEngine):
    wanted: list[int] = field(default_factory=list)

    async def keep_waiting(self, count: int) -> int:
        self.wanted.append(count)
        if self.trouble:
            raise EngineError(self.trouble)
        return count


@pytest.fixture
def spared(clock: FakeClock) -> CountingEngine:
    return CountingEngine(clock)


async def look(engine: CountingEngine, store: Repository, count: int) -> None:
    """Let it go its rounds in no time."""
    left = [ROUNDS]

    async def no_rest(_seconds: float) -> None:
        left[0] -= 1
        if not left[0]:
            raise asyncio.CancelledError

    with suppress(asyncio.CancelledError):
        await Spares(engine, store, count, no_rest).loop()


async def test_so_many_are_kept_as_are_wanted(spared: CountingEngine, store: Repository) -> None:
    await look(spared, store, 2)
    assert spared.wanted == [2] * ROUNDS


async def test_with_none_wanted_those_of_before_end_and_that_is_all(
    spared: CountingEngine, store: Repository
) -> None:
    await look(spared, store, 0)
    assert spared.wanted == [0]


async def test_while_a_connector_starts_no_other_driver_does(
    spared: CountingEngine, store: Repository
) -> None:
    starting = Observed(phase=Phase.STARTING, epoch=1)
    store.change("logs", lambda _: connector(target=Target.RUNNING))
    store.record("logs", starting)
    await look(spared, store, 1)
    assert spared.wanted == []


async def test_an_engine_that_is_away_is_asked_again(
    spared: CountingEngine, store: Repository
) -> None:
    spared.trouble = "the daemon is away"
    await look(spared, store, 1)
    assert spared.wanted == [1] * ROUNDS

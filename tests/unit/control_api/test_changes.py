"""Changes that the engine tells of reach the queue, also after the engine was away."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

from structlog.typing import EventDict
from tests.support.control_api import assignment, eventually

from frazil.contracts.exit_code import ExitCode
from frazil.control_api.engine.fake import FakeEngine
from frazil.control_api.loops.changes import Changes
from frazil.control_api.loops.queue import WorkQueue


@asynccontextmanager
async def feeding(queue: WorkQueue, engine: FakeEngine) -> AsyncIterator[None]:
    async with asyncio.TaskGroup() as tasks:
        task = tasks.create_task(Changes(queue, engine, first_delay=0.0).loop())
        await asyncio.sleep(0)
        yield
        task.cancel()


async def told(question: Callable[[], bool]) -> bool:
    return question()


def make_queue() -> WorkQueue:
    return WorkQueue(lambda: 0.0)


async def test_a_connector_is_looked_at_when_its_worker_starts_and_when_it_ends(
    engine: FakeEngine,
) -> None:
    queue = make_queue()
    async with feeding(queue, engine):
        await engine.start(assignment("logs"), "spark-sink")
        assert await queue.get() == "logs"
        queue.done("logs")
        engine.exit("logs", ExitCode.CRASHED)
        assert await queue.get() == "logs"


async def test_an_engine_that_goes_away_is_a_log_line_and_is_listened_to_again(
    engine: FakeEngine, lines: list[EventDict]
) -> None:
    queue = make_queue()
    async with feeding(queue, engine):
        engine.go_away("the daemon is away")
        await eventually("it is logged", lambda: told(lambda: bool(lines)))
        assert lines[0]["event"] == "changes_out_of_reach"
        assert lines[0]["why"] == "the daemon is away"
        engine.come_back()
        await eventually("it listens", lambda: told(lambda: engine.is_listened_to))
        await engine.start(assignment("logs"), "spark-sink")
        assert await queue.get() == "logs"

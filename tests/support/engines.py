"""Waiting, within bounds, for what the workers of an engine do, and for their end."""

from tests.support.control_api import eventually

from frazil.contracts.states import WorkerState
from frazil.control_api.core.observation import Worker
from frazil.control_api.core.ports import Engine

KIND = "stand-in"


async def until(engine: Engine, name: str, state: WorkerState, epoch: int | None = None) -> Worker:
    """Wait for a state of any worker of the connector, or of one."""

    async def says_so() -> bool:
        workers = (await engine.inspect(name)).workers
        meant = [one for one in workers if epoch in (None, one.epoch)]
        return any(one.status is not None and one.status.state is state for one in meant)

    await eventually(f"the worker of {name} says {state}", says_so)
    return (await engine.inspect(name)).workers[-1]


async def until_dead(engine: Engine, name: str) -> Worker:
    async def is_dead() -> bool:
        return not (await engine.inspect(name)).living

    await eventually(f"no worker of {name} lives", is_dead)
    return (await engine.inspect(name)).workers[-1]


async def end(engine: Engine) -> None:
    """Leave neither workers nor the engine behind."""
    for name in await engine.connectors():
        living = (await engine.inspect(name)).living
        for worker in living:
            await engine.kill(name, worker.epoch)
        if living:
            await until_dead(engine, name)
    await engine.close()

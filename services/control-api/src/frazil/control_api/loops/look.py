"""One look at the workers of a connector, within a bound of time."""

import asyncio

from frazil.control_api.core.errors import EngineError
from frazil.control_api.core.observation import Observation
from frazil.control_api.core.ports import Engine


async def look(engine: Engine, connector: str, seconds: float) -> Observation:
    """Raise EngineError also when the engine takes too long."""
    try:
        async with asyncio.timeout(seconds):
            return await engine.inspect(connector)
    except TimeoutError:
        raise EngineError(f"the engine gave no answer within {seconds:.0f} s") from None

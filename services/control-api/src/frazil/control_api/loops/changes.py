"""What the engine notices is looked at now, instead of at the next round."""

import asyncio

from frazil.control_api.core.errors import EngineError
from frazil.control_api.core.ports import Engine
from frazil.control_api.loops.queue import WorkQueue
from frazil.runtime.logs import get_logger

log = get_logger(__name__)

_FIRST_DELAY = 1.0
_MAX_DELAY = 30.0


class Changes:
    """Feeds the queue from the engine's changes; while these are out of reach, resync does."""

    def __init__(self, queue: WorkQueue, engine: Engine, first_delay: float = _FIRST_DELAY) -> None:
        self._queue = queue
        self._engine = engine
        self._first_delay = first_delay

    async def loop(self) -> None:
        delay = self._first_delay
        while True:
            try:
                async for name in self._engine.changes():
                    delay = self._first_delay
                    self._queue.put(name)
            except EngineError as error:
                log.warning("changes_out_of_reach", why=str(error), again_in=delay)
            await asyncio.sleep(delay)
            delay = min(2 * delay, _MAX_DELAY)

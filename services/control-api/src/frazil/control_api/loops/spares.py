"""Keeps workers that wait for a connector, and starts them while no connector is starting."""

import asyncio
from collections.abc import Awaitable, Callable

from frazil.control_api.core.errors import EngineError
from frazil.control_api.core.ports import ConnectorStore, Engine
from frazil.runtime.logs import get_logger

log = get_logger(__name__)

SPARES_SECONDS = 5.0
# No connector has this name: whoever starts is somebody else.
_NOBODY = ""


class Spares:
    def __init__(
        self,
        engine: Engine,
        store: ConnectorStore,
        count: int,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self._engine = engine
        self._store = store
        self._count = count
        self._sleep = sleep

    async def loop(self) -> None:
        # Also when none are wanted: there may be some of a time when they were.
        await self._keep()
        while True:
            await self._sleep(SPARES_SECONDS)
            if self._count:
                await self._keep()

    async def _keep(self) -> None:
        try:
            _, starting = await asyncio.to_thread(self._store.look, _NOBODY)
            if not starting:
                await self._engine.keep_waiting(self._count)
        except EngineError as error:
            log.warning("engine_unavailable", why=str(error))
        except Exception:  # the loop's edge: a busy database now may answer the next time
            log.exception("spares_failed")

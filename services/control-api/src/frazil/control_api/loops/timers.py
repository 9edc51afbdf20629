"""Timers: they find out what has to be looked at and enqueue it; they never act."""

import asyncio

from frazil.control_api.core.errors import EngineError
from frazil.control_api.core.ports import ConnectorStore, Engine
from frazil.control_api.loops.queue import WorkQueue
from frazil.runtime.logs import get_logger

log = get_logger(__name__)

RESYNC_SECONDS = 30.0
WISHES_SECONDS = 0.5


class Resync:
    """Enqueues all connectors, at start and ever again, so that no lost signal stays lost."""

    def __init__(self, queue: WorkQueue, store: ConnectorStore, engine: Engine) -> None:
        self._queue = queue
        self._store = store
        self._engine = engine
        self.done_once = False

    async def loop(self) -> None:
        while True:
            try:
                await self.resync()
            except EngineError as error:
                log.warning("engine_unavailable", why=str(error))
            except Exception:  # the loop's edge: a busy disk now is no reason to never look again
                log.exception("resync_failed")
            await asyncio.sleep(RESYNC_SECONDS)

    async def resync(self) -> None:
        stored = await asyncio.to_thread(self._store.all)
        left_over = await self._engine.connectors()
        for name in {*left_over, *(connector.name for connector in stored)}:
            self._queue.put(name)
        self.done_once = True


class Wishes:
    """Enqueues what was wanted at other processes; all of them meet in the store."""

    def __init__(
        self, queue: WorkQueue, store: ConnectorStore, poll_seconds: float = WISHES_SECONDS
    ) -> None:
        self._queue = queue
        self._store = store
        self._poll_seconds = poll_seconds
        self._revision = 0

    async def loop(self) -> None:
        while True:
            try:
                names, self._revision = await asyncio.to_thread(self._store.changed, self._revision)
            except Exception:  # the loop's edge: a busy database now may answer the next time
                log.exception("wishes_failed")
            else:
                for name in names:
                    self._queue.put(name)
            await asyncio.sleep(self._poll_seconds)

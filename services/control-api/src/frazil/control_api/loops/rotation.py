"""Secrets that change: their connectors are restarted, as by `config.action.reload` of Connect."""

import asyncio
from dataclasses import replace

from frazil.control_api.core.connector import Connector
from frazil.control_api.core.errors import NotFoundError
from frazil.control_api.core.ports import ConnectorStore
from frazil.control_api.loops.outfitter import Outfitter
from frazil.control_api.loops.queue import WorkQueue
from frazil.runtime.logs import get_logger

log = get_logger(__name__)

_PERIOD = 30.0


class Rotation:
    """Looks behind all references, again and again."""

    def __init__(self, queue: WorkQueue, store: ConnectorStore, outfitter: Outfitter) -> None:
        self._queue = queue
        self._store = store
        self._outfitter = outfitter

    async def loop(self) -> None:
        while True:
            await asyncio.sleep(_PERIOD)
            try:
                await self.check()
            except Exception:  # the loop's edge: what cannot be read now may be readable later
                log.exception("rotation_failed")

    async def check(self) -> None:
        for name in await asyncio.to_thread(self._outdated):
            log.info("secret_changed", connector=name)
            try:
                await asyncio.to_thread(self._store.change, name, _renewed)
            except NotFoundError:
                continue
            self._queue.put(name)

    def _outdated(self) -> list[str]:
        return self._outfitter.outdated(self._store.all())


def _renewed(old: Connector | None) -> Connector:
    if old is None or old.is_deleted:
        raise NotFoundError("it was deleted meanwhile")
    return replace(old, generation=old.generation + 1)

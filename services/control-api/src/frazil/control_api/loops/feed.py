"""The feed of state changes: whatever process made them, every listener here gets all of them."""

import asyncio
from collections.abc import AsyncGenerator

from frazil.control_api.core.history import StateChange
from frazil.control_api.core.ports import ConnectorStore
from frazil.runtime.logs import get_logger

log = get_logger(__name__)

POLL_SECONDS = 0.5
_PAGE = 100


class Feed:
    """One question to the store twice a second, however many listen; none while nobody does.

    A listener reads from the store at its own pace, so a slow one costs nothing and misses
    nothing that the store still has.
    """

    def __init__(self, store: ConnectorStore, poll_seconds: float = POLL_SECONDS) -> None:
        self._store = store
        self._poll_seconds = poll_seconds
        self._listeners = 0
        self._listened_to = asyncio.Event()
        self._news = asyncio.Event()

    async def loop(self) -> None:
        newest = 0
        while True:
            await self._listened_to.wait()
            try:
                found = await asyncio.to_thread(self._store.last_state_change)
            except Exception:  # the loop's edge: a store that is away now may be back soon
                log.exception("feed_failed")
            else:
                if found != newest:
                    newest = found
                    self._wake_listeners()
            await asyncio.sleep(self._poll_seconds)

    async def follow(self, *, after: int | None, name: str | None) -> AsyncGenerator[StateChange]:
        """Yield the changes after an id (None: from now on), of one connector or all, for ever."""
        self._listeners += 1
        self._listened_to.set()
        try:
            if after is None:
                after = await asyncio.to_thread(self._store.last_state_change)
            while True:
                # Taken before the look: what comes after the look will set it.
                news = self._news
                changes = await asyncio.to_thread(
                    self._store.state_changes, after=after, name=name, limit=_PAGE
                )
                for change in changes:
                    yield change
                    after = change.id
                if not changes:
                    await news.wait()
        finally:
            self._listeners -= 1
            if not self._listeners:
                self._listened_to.clear()

    def _wake_listeners(self) -> None:
        self._news.set()
        self._news = asyncio.Event()

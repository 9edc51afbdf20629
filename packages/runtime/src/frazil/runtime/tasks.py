"""Background tasks that cannot die unseen, and what ends them and others."""

import asyncio
import signal
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import TypeVar

from frazil.runtime.logs import get_logger

log = get_logger(__name__)

_Item = TypeVar("_Item")


class Guard:
    """Runs forever-loops by name.

    One that ends is logged and named by `failure`, so that a health check can tell.
    """

    def __init__(self) -> None:
        self._tasks: dict[str, asyncio.Task[None]] = {}
        self._stopping = False
        self.failure: str | None = None

    def start(self, name: str, loop: Callable[[], Awaitable[None]]) -> None:
        async def run() -> None:
            await loop()

        task = asyncio.get_running_loop().create_task(run(), name=name)
        task.add_done_callback(self._ended)
        self._tasks[name] = task

    def _ended(self, task: asyncio.Task[None]) -> None:
        if self._stopping or task.cancelled():
            return
        error = task.exception()
        self.failure = (
            f"{task.get_name()} ended: {error!r}" if error else f"{task.get_name()} ended"
        )
        log.error("loop_ended", loop=task.get_name(), exc_info=error)

    async def stop(self) -> None:
        self._stopping = True
        for task in self._tasks.values():
            task.cancel()
        await asyncio.gather(*self._tasks.values(), return_exceptions=True)


def stop_event() -> asyncio.Event:
    """Return an event that SIGTERM and SIGINT set."""
    event = asyncio.Event()
    loop = asyncio.get_running_loop()
    for name in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(name, event.set)
    return event


async def to_the_end(work: Awaitable[_Item]) -> _Item:
    """Wait for what goes on whoever is cancelled, a thread for one; a cancellation comes after."""
    task = asyncio.ensure_future(work)
    try:
        return await asyncio.shield(task)
    except asyncio.CancelledError:
        await asyncio.gather(task, return_exceptions=True)
        raise


async def until(event: asyncio.Event, items: AsyncIterator[_Item]) -> AsyncIterator[_Item]:
    """Yield the items until there are no more, or until the event, whichever comes first."""
    over = asyncio.ensure_future(event.wait())
    try:
        while True:
            item = asyncio.ensure_future(anext(items))
            try:
                await asyncio.wait((item, over), return_when=asyncio.FIRST_COMPLETED)
                if over.done():
                    return
                yield item.result()
            except StopAsyncIteration:
                return
            finally:
                item.cancel()
    finally:
        over.cancel()

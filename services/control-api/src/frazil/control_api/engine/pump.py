"""Streams: a blocking one read in a thread of its own, and several as one."""

import asyncio
import threading
from collections.abc import AsyncGenerator, Callable, Iterable
from contextlib import aclosing, suppress
from typing import Any, Protocol, TypeVar

_ROOM = 1000

T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)


class Stream(Iterable[T_co], Protocol[T_co]):
    def close(self) -> None:
        """End the stream, whoever is reading it."""


async def pumped(open_stream: Callable[[], Stream[T]]) -> AsyncGenerator[T, None]:
    """Yield what the stream yields, raise what it raises; leaving closes it.

    The thread is a daemon: no stream keeps the process from ending. It waits while the reader is
    slow.
    """
    pump = _Pump(open_stream, asyncio.get_running_loop())
    threading.Thread(target=pump.run, name="pump", daemon=True).start()
    try:
        while (item := await pump.items.get()) is not pump:
            pump.room.release()
            yield item  # type: ignore[misc]  # the end is the pump itself
        if pump.error is not None:
            raise pump.error
    finally:
        pump.close()


async def merged(*streams: AsyncGenerator[T, None]) -> AsyncGenerator[T, None]:
    """Yield what any of them yields, until one ends or fails."""
    items: asyncio.Queue[T] = asyncio.Queue()

    async def pass_on(stream: AsyncGenerator[T, None]) -> None:
        async with aclosing(stream):
            async for item in stream:
                items.put_nowait(item)

    tasks = [asyncio.ensure_future(pass_on(stream)) for stream in streams]
    try:
        while not (items.empty() and any(task.done() for task in tasks)):
            item = asyncio.ensure_future(items.get())
            coming: list[asyncio.Future[Any]] = [item, *tasks]
            await asyncio.wait(coming, return_when=asyncio.FIRST_COMPLETED)
            if item.done():
                yield item.result()
            item.cancel()
        for task in tasks:
            if task.done():
                task.result()
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


class _Pump:
    def __init__(
        self, open_stream: Callable[[], Stream[T]], loop: asyncio.AbstractEventLoop
    ) -> None:
        self._open_stream = open_stream
        self._loop = loop
        self._stream: Stream[object] | None = None
        self._closed = False
        self.items: asyncio.Queue[object] = asyncio.Queue()
        self.room = threading.Semaphore(_ROOM)
        self.error: Exception | None = None

    def run(self) -> None:
        try:
            self._stream = self._open_stream()
            if self._closed:
                self._stream.close()
            for item in self._stream:
                self.room.acquire()
                self._hand_over(item)
        except Exception as error:  # noqa: BLE001 (whatever it was, it is the reader's to handle)
            self.error = error
        self._hand_over(self)

    def close(self) -> None:
        self._closed = True
        self.room.release(_ROOM)
        if self._stream is not None:
            self._stream.close()

    def _hand_over(self, item: object) -> None:
        # The reader's loop may have ended meanwhile.
        with suppress(RuntimeError):
            self._loop.call_soon_threadsafe(self.items.put_nowait, item)

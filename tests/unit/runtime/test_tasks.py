"""Streams that end with an event: what they yield, and what they leave behind."""

import asyncio
from collections.abc import AsyncIterator

import pytest

from frazil.runtime.tasks import until


class Source:
    """Yields what it is fed, and knows whether it was ended."""

    def __init__(self) -> None:
        self.fed: asyncio.Queue[int | None] = asyncio.Queue()
        self.ended = False

    async def items(self) -> AsyncIterator[int]:
        try:
            while (item := await self.fed.get()) is not None:
                yield item
        finally:
            self.ended = True


async def test_all_items_come_through_and_the_end_is_theirs() -> None:
    source = Source()
    for item in (1, 2, None):
        source.fed.put_nowait(item)
    assert [item async for item in until(asyncio.Event(), source.items())] == [1, 2]
    assert source.ended


async def test_an_event_ends_a_wait_for_the_next_item() -> None:
    source, event = Source(), asyncio.Event()
    source.fed.put_nowait(1)
    stream = until(event, source.items())
    assert await anext(stream) == 1
    asyncio.get_running_loop().call_soon(event.set)
    assert [item async for item in stream] == []
    await asyncio.sleep(0)
    assert source.ended


async def test_after_the_event_nothing_is_waited_for() -> None:
    source, event = Source(), asyncio.Event()
    event.set()
    assert [item async for item in until(event, source.items())] == []


async def test_an_error_of_the_items_is_an_error_here() -> None:
    async def broken() -> AsyncIterator[int]:
        yield 1
        raise ValueError("no more")

    stream = until(asyncio.Event(), broken())
    assert await anext(stream) == 1
    with pytest.raises(ValueError, match="no more"):
        await anext(stream)


async def test_a_reader_that_is_cancelled_ends_the_items_too() -> None:
    source = Source()

    async def read() -> None:
        async for _ in until(asyncio.Event(), source.items()):
            pass

    reader = asyncio.ensure_future(read())
    for _ in range(3):
        await asyncio.sleep(0)
    reader.cancel()
    await asyncio.gather(reader, return_exceptions=True)
    await asyncio.sleep(0)
    assert source.ended

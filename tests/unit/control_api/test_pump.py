"""A blocking stream, read without blocking."""

import asyncio
import threading
from collections.abc import AsyncGenerator, Callable, Iterator
from contextlib import aclosing

import pytest

from frazil.control_api.engine.pump import merged, pumped


class Endless:
    """Yields numbers, or blocks when it has no more, until it is closed."""

    def __init__(self, numbers: range) -> None:
        self.numbers = numbers
        self.closed = threading.Event()
        self.read = 0

    def __iter__(self) -> Iterator[int]:
        for number in self.numbers:
            self.read = number
            yield number
        self.closed.wait(5)

    def close(self) -> None:
        self.closed.set()


def failing(error: Exception) -> Callable[[], Endless]:
    def open_stream() -> Endless:
        raise error

    return open_stream


async def test_what_the_stream_yields_is_yielded_in_order() -> None:
    stream = Endless(range(5000))
    stream.close()
    assert [number async for number in pumped(lambda: stream)] == list(range(5000))


async def test_who_has_enough_closes_the_stream_although_it_blocks() -> None:
    stream = Endless(range(1))
    async with aclosing(pumped(lambda: stream)) as numbers:
        assert await anext(numbers) == 0
    assert stream.closed.is_set()


async def test_a_slow_reader_is_not_overrun() -> None:
    stream = Endless(range(100_000))
    async with aclosing(pumped(lambda: stream)) as numbers:
        assert await anext(numbers) == 0
        assert not stream.closed.wait(0.05)
        assert stream.read <= 1001


async def test_an_error_of_the_stream_is_the_readers() -> None:
    with pytest.raises(ZeroDivisionError):
        await anext(pumped(failing(ZeroDivisionError())))


async def numbers(*found: int, ends: bool = True) -> AsyncGenerator[int, None]:
    for number in found:
        yield number
    if not ends:
        await asyncio.Event().wait()


async def broken() -> AsyncGenerator[int, None]:
    yield 7
    raise OSError("gone")


async def test_several_streams_are_one_until_the_first_of_them_ends() -> None:
    found = [number async for number in merged(numbers(1, 2, 3), numbers(4, ends=False))]
    assert sorted(found) == [1, 2, 3, 4]


async def test_what_one_of_several_streams_raises_is_raised_after_what_came_before() -> None:
    async with aclosing(merged(numbers(ends=False), broken())) as both:
        assert await anext(both) == 7
        with pytest.raises(OSError, match="gone"):
            await anext(both)


async def test_who_leaves_several_streams_closes_them_all() -> None:
    closed = []

    async def stream(name: str) -> AsyncGenerator[str, None]:
        try:
            yield name
            await asyncio.Event().wait()
        finally:
            closed.append(name)

    async with aclosing(merged(stream("a"), stream("b"))) as both:
        assert {await anext(both), await anext(both)} == {"a", "b"}
    assert sorted(closed) == ["a", "b"]

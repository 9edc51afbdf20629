"""A blocking stream, read without blocking."""

import threading
from collections.abc import Callable, Iterator
from contextlib import aclosing

import pytest

from frazil.control_api.engine.pump import pumped


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

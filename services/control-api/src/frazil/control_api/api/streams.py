"""Bounds the answers that do not end by themselves, each of which holds a connection."""

from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from typing import Annotated

from fastapi import Depends, Query, Request

from frazil.control_api.core.errors import TooManyStreamsError

FollowQuery = Annotated[bool, Query(description="Go on until the worker has ended.")]


class Streams:
    """How many are open."""

    def __init__(self, most: int = 64) -> None:
        self.most = most
        self._open = 0

    @contextmanager
    def one_more(self) -> Iterator[None]:
        """Raise TooManyStreamsError if all places are taken."""
        if self._open >= self.most:
            raise TooManyStreamsError(self.most)
        self._open += 1
        try:
            yield
        finally:
            self._open -= 1


# Dependencies and no part of the streams: one whose client leaves at once never begins.
async def _place(request: Request) -> AsyncIterator[None]:
    streams: Streams = request.app.state.streams
    with streams.one_more():
        yield


async def _place_if_followed(request: Request, follow: FollowQuery = False) -> AsyncIterator[None]:
    if not follow:
        yield
        return
    async with asynccontextmanager(_place)(request):
        yield


StreamPlace = Depends(_place)
StreamPlaceIfFollowed = Depends(_place_if_followed)

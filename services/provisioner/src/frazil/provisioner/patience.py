"""Waiting for what is not there yet: for a bounded time, and not in silence."""

import asyncio
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TypeVar

from frazil.provisioner.errors import NotReadyError

_T = TypeVar("_T")
_TELL_EVERY_SECONDS = 10


@dataclass(frozen=True)
class Patience:
    """With no seconds at all, what is not there is an error at once."""

    seconds: float
    pause: float = 1.0
    clock: Callable[[], float] = time.monotonic

    async def until(self, attempt: Callable[[], Awaitable[_T]], note: Callable[[str], None]) -> _T:
        """Return the first result; raise the NotReadyError of the last attempt."""
        begin, tell_at = self.clock(), 0.0
        while True:
            try:
                return await attempt()
            except NotReadyError as error:
                waited = self.clock() - begin
                if waited >= self.seconds:
                    raise
                if waited >= tell_at:
                    note(f"  waiting, {waited:.0f} s of at most {self.seconds:.0f} s: {error}")
                    tell_at = waited + _TELL_EVERY_SECONDS
            await asyncio.sleep(self.pause)

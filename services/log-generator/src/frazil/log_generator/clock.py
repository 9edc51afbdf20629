"""Time, and waits that a stop ends early; tests bring a clock of their own."""

import asyncio
import time
from contextlib import suppress


class Clock:
    def __init__(self, stop: asyncio.Event) -> None:
        self.stop = stop

    def now(self) -> float:
        return time.monotonic()

    async def wait(self, seconds: float) -> None:
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self.stop.wait()

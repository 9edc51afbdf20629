"""A clock of the log generator on which waits take no time, and which stops by itself."""

import asyncio

from frazil.log_generator.clock import Clock


class FastClock(Clock):
    def __init__(self, seconds: float) -> None:
        super().__init__(asyncio.Event())
        self.time = 0.0
        self.waits: list[float] = []
        self._end = seconds

    def now(self) -> float:
        return self.time

    async def wait(self, seconds: float) -> None:
        self.waits.append(seconds)
        self.time += seconds
        if self.time >= self._end:
            self.stop.set()
        await asyncio.sleep(0)

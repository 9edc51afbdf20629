"""The queue of names: merges duplicates, gives a name to one worker at a time, owns back-off."""

import asyncio
from collections.abc import Callable
from contextlib import suppress

_FIRST_DELAY = 0.1
_MAX_DELAY = 60.0


class WorkQueue:
    """Not thread-safe: all calls come from one event loop.

    `clock` is monotonic. A name that is put while it is being worked on comes again afterwards,
    so nobody's wish is lost and no name is in two hands.
    """

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._due: dict[str, float] = {}
        self._active: set[str] = set()
        self._failures: dict[str, int] = {}
        self._changed = asyncio.Event()
        self._first = asyncio.Lock()
        self._closed = False

    @property
    def in_hand(self) -> frozenset[str]:
        """Names that were taken and not yet given back."""
        return frozenset(self._active)

    @property
    def overdue(self) -> int:
        """How many names are due and wait for a taker; may be asked from any thread."""
        now = self._clock()
        return sum(due <= now for due in tuple(self._due.values()))

    def put(self, name: str, delay: float = 0.0) -> None:
        """Make a name due; of several times the earliest counts."""
        due = self._clock() + delay
        self._due[name] = min(due, self._due.get(name, due))
        self._changed.set()

    async def get(self) -> str:
        """Wait for a name that is due and in nobody's hands; the taker must end with done()."""
        # Of many that wait one looks for the next name: else each change would wake them all.
        async with self._first:
            while True:
                self._changed.clear()
                name = self.take()
                if name is not None:
                    return name
                await self._wait(self._seconds_to_next())

    def take(self) -> str | None:
        """Take the name that has been due longest, if there is one."""
        free = [] if self._closed else [name for name in self._due if name not in self._active]
        name = min(free, key=self._due.__getitem__, default=None)
        if name is None or self._due[name] > self._clock():
            return None
        del self._due[name]
        self._active.add(name)
        return name

    def done(self, name: str, again_after: float | None = None) -> None:
        """Give a name back after success; its back-off starts anew."""
        self._failures.pop(name, None)
        self._release(name, again_after)

    def failed(self, name: str) -> None:
        """Give a name back after an error; it comes again, later each time."""
        failures = self._failures[name] = self._failures.get(name, 0) + 1
        # Bounded before the power is taken, for a name may fail for years.
        self._release(name, min(_FIRST_DELAY * 2.0 ** min(failures - 1, 16), _MAX_DELAY))

    async def drain(self, seconds: float) -> bool:
        """Give out no more names and wait for those in hand; False if time was too short."""
        self._closed = True
        deadline = self._clock() + seconds
        while self._active and (left := deadline - self._clock()) > 0:
            self._changed.clear()
            await self._wait(left)
        return not self._active

    async def _wait(self, seconds: float | None) -> None:
        # Not wait_for: before Python 3.12 it may swallow a cancellation, and the loop never ends.
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self._changed.wait()

    def _release(self, name: str, again_after: float | None) -> None:
        self._active.discard(name)
        if again_after is not None:
            self.put(name, again_after)
        self._changed.set()

    def _seconds_to_next(self) -> float | None:
        waiting = [due for name, due in self._due.items() if name not in self._active]
        if self._closed or not waiting:
            return None
        return max(min(waiting) - self._clock(), 0.0)

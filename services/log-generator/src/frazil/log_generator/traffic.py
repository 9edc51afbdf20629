"""Operations on a store at a steady rate, whatever the store does meanwhile."""

import asyncio
from collections import Counter
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Protocol, TypeVar

from frazil.log_generator.clock import Clock
from frazil.log_generator.errors import StoreUnavailableError
from frazil.log_generator.operations import Call, Calls, Operation, Outcome
from frazil.log_generator.pace import Patience, Ticks
from frazil.runtime.logs import get_logger

log = get_logger(__name__)

_Result = TypeVar("_Result")


class Store(Protocol):
    """Blocking; both raise StoreUnavailableError when there is no answer worth the name."""

    def do(self, call: Call) -> Outcome: ...

    def prepare(self, buckets: Iterable[str]) -> None: ...


class Traffic:
    def __init__(
        self, store: Store, calls: Calls, *, rate: float, threads: int, clock: Clock
    ) -> None:
        self._store = store
        self._calls = calls
        self._rate = rate
        self._clock = clock
        self._threads = ThreadPoolExecutor(threads, thread_name_prefix="store")
        self._width = threads
        self._patience = Patience()
        self._trouble: StoreUnavailableError | None = None
        self._counts: Counter[tuple[Operation, Outcome]] = Counter()

    @property
    def is_waiting(self) -> bool:
        return self._patience.failures > 0

    def counts(self) -> dict[str, dict[str, int]]:
        """Return how often each operation ended in which way."""
        found: dict[str, dict[str, int]] = {}
        for (operation, outcome), count in sorted(self._counts.items()):
            found.setdefault(operation, {})[outcome] = count
        return found

    async def run(self) -> None:
        try:
            while not self._clock.stop.is_set():
                try:
                    await self._in_thread(partial(self._store.prepare, self._calls.buckets))
                    await self._operate()
                except StoreUnavailableError as trouble:
                    await self._wait_out(trouble)
        finally:
            self._threads.shutdown(wait=False, cancel_futures=True)

    async def _wait_out(self, trouble: StoreUnavailableError) -> None:
        if not self.is_waiting:
            log.warning("store_away", reason=str(trouble))
        await self._clock.wait(self._patience.wait())

    async def _operate(self) -> None:
        """Start operations until a stop; raises StoreUnavailableError at the first trouble."""
        self._trouble = None
        ticks = Ticks(self._rate, self._clock.now())
        free = asyncio.Semaphore(self._width)
        async with asyncio.TaskGroup() as group:
            while await free.acquire() and not (self._clock.stop.is_set() or self._trouble):
                group.create_task(self._one(self._calls.next(), free))
                await self._clock.wait(ticks.wait(self._clock.now()))
        if self._trouble:
            raise self._trouble

    async def _one(self, call: Call, free: asyncio.Semaphore) -> None:
        try:
            outcome = await self._in_thread(partial(self._store.do, call))
        except StoreUnavailableError as trouble:
            outcome, self._trouble = Outcome.FAILED, trouble
        finally:
            free.release()
        self._counts[call.operation, outcome] += 1
        self._calls.learn(call, outcome)
        if call.lacks_bucket(outcome):
            self._trouble = StoreUnavailableError(f"bucket {call.bucket} is gone")
        elif outcome is not Outcome.FAILED and self.is_waiting:
            self._patience.reset()
            log.info("store_back")

    async def _in_thread(self, work: Callable[[], _Result]) -> _Result:
        return await asyncio.get_running_loop().run_in_executor(self._threads, work)

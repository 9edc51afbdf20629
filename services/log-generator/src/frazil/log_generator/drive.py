"""Both halves side by side: operations on the store, and records that it does not write."""

import asyncio
from collections.abc import Sequence
from contextlib import suppress

from frazil.log_generator.clock import Clock
from frazil.log_generator.heartbeat import beat
from frazil.log_generator.records import Records
from frazil.log_generator.traffic import Traffic
from frazil.runtime.logs import get_logger

log = get_logger(__name__)

_PROGRESS_SECONDS = 10.0
_GRACE_SECONDS = 3.0


class Drive:
    def __init__(
        self, traffic: Traffic | None, records: Sequence[Records], *, clock: Clock
    ) -> None:
        self._traffic = traffic
        self._records = records
        self._clock = clock

    def counts(self) -> dict[str, object]:
        return {
            "operations": self._traffic.counts() if self._traffic else {},
            "records": {half.report.topic: half.report.produced for half in self._records},
        }

    async def run(self, *, grace: float = _GRACE_SECONDS) -> None:
        """Go on until told to stop, and a little longer for what is under way by then."""
        halves: list[Records | Traffic] = [*self._records]
        if self._traffic:
            halves.append(self._traffic)
        with suppress(TimeoutError):
            async with asyncio.timeout(None) as limit, asyncio.TaskGroup() as group:
                for half in halves:
                    group.create_task(half.run())
                group.create_task(self._tell())
                await self._clock.stop.wait()
                limit.reschedule(asyncio.get_running_loop().time() + grace)

    async def _tell(self) -> None:
        while not self._clock.stop.is_set():
            beat()
            await self._clock.wait(_PROGRESS_SECONDS)
            away = self._traffic is not None and self._traffic.is_waiting
            log.info("driving", store_away=away, **self.counts())

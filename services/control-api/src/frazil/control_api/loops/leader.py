"""One of all processes on a database looks after the workers; the others wait to take over."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping

from frazil.control_api.core.errors import EngineError, StoreError
from frazil.control_api.core.health import Role
from frazil.control_api.core.ports import Engine, LeaderLock
from frazil.runtime.logs import get_logger
from frazil.runtime.tasks import Guard, to_the_end

log = get_logger(__name__)

RETRY_SECONDS = 1.0
REST_SECONDS = 3.0
"""Who has lost the lock is in trouble: the others go first."""


class Leader:
    """Runs the duties while this process holds the lock and the engine, and not a moment longer."""

    def __init__(
        self, lock: LeaderLock, engine: Engine, duties: Mapping[str, Callable[[], Awaitable[None]]]
    ) -> None:
        self._lock = lock
        self._engine = engine
        self._duties = duties
        self._guard = Guard()
        self._complaint: str | None = None
        self.role: Role | None = None
        """None until it is decided for the first time."""

    @property
    def leads(self) -> bool:
        return self.role is Role.LEADER

    @property
    def failure(self) -> str | None:
        return self._guard.failure

    async def loop(self) -> None:
        while True:
            try:
                rest = await self.stand()
            except (EngineError, StoreError) as error:
                self._complain(str(error))
                rest = RETRY_SECONDS
            except Exception:  # the loop's edge: whatever it is, it may be over the next time
                log.exception("election_failed")
                rest = RETRY_SECONDS
            self.role = Role.FOLLOWER
            await asyncio.sleep(rest)

    async def stand(self) -> float:
        """Lead for as long as that lasts, if it can be; return when to stand again."""
        try:
            # A thread takes it, and may have it although we are cancelled meanwhile.
            if not await to_the_end(self._lock.take()):
                self._complain("another process has the lock")
                return RETRY_SECONDS
            await self._lead()
        finally:
            await self._lock.release()
        log.warning("lead_lost")
        return REST_SECONDS

    async def _lead(self) -> None:
        try:
            await self._engine.claim()
            self._begin()
            await self._lock.lost()
        finally:
            self.role = Role.FOLLOWER
            await self._guard.stop()
            await self._engine.release()

    def _begin(self) -> None:
        self._guard = Guard()
        for name, duty in self._duties.items():
            self._guard.start(name, duty)
        self._complaint = None
        self.role = Role.LEADER
        log.info("leading")

    def _complain(self, why: str) -> None:
        """Say why another one leads, once for each reason."""
        if why != self._complaint:
            self._complaint = why
            log.info("following", why=why)

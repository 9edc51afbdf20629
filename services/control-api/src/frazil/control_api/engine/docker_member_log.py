"""The lines of one member in the log of a container that many write to."""

import asyncio
from collections import deque
from collections.abc import AsyncGenerator, Awaitable, Callable
from datetime import datetime

from frazil.control_api.engine.docker import Daemon
from frazil.control_api.engine.log_file import decoded, is_about

# Beyond, lines of one among many are not looked for.
_FARTHEST = 5000
_POLL_SECONDS = 0.5


class MemberLog:
    """Remembers how far it has read: all that it returns is new."""

    def __init__(self, daemon: Daemon, container: str, connector: str, epoch: int) -> None:
        self._daemon = daemon
        self._container = container
        self._whose = (connector, epoch)
        self._last = b""

    async def more(self) -> list[bytes]:
        # Seconds are not as exact as the daemon's times, so some lines come once more.
        since = _seconds(self._last) - 1 if self._last else None
        text = await self._daemon.stamped_log(self._container, since=since, lines=_FARTHEST)
        lines = [line.partition(b" ") for line in text.splitlines()]
        new = [(time, said) for time, _, said in lines if time > self._last]
        if new:
            self._last = new[-1][0]
        return [said for _, said in new if is_about(said, *self._whose)]


async def member_lines(
    log: MemberLog, *, tail: int, follow: bool, is_alive: Callable[[], Awaitable[bool]]
) -> AsyncGenerator[str, None]:
    """Yield the member's last lines, with `follow` also those to come until it ends."""
    for line in deque(await log.more(), maxlen=tail):
        yield decoded(line)
    while follow:
        await asyncio.sleep(_POLL_SECONDS)
        # Asked before the look, so that a dead one's last line is not missed.
        follow = await is_alive()
        for line in await log.more():
            yield decoded(line)


def _seconds(stamp: bytes) -> float:
    return datetime.fromisoformat(stamp.decode()).timestamp()

"""The end of a worker's log, and what is written to it from then on."""

import asyncio
from collections.abc import AsyncGenerator, Callable
from pathlib import Path

from frazil.control_api.engine.log_file import cut, decoded
from frazil.control_api.engine.log_reader import LogReader

_POLL_SECONDS = 0.25


async def log_lines(
    path: Path,
    *,
    tail: int,
    follow: bool,
    is_alive: Callable[[], bool],
    concerns: Callable[[bytes], bool],
) -> AsyncGenerator[str, None]:
    """Yield the last lines of concern, with `follow` also those to come until the writer ends."""
    try:
        log = await asyncio.to_thread(LogReader, path)
    except FileNotFoundError:
        return
    try:
        *lines, rest = await asyncio.to_thread(log.tail, tail, concerns)
        for line in lines:
            yield decoded(line)
        while follow:
            # Asked before the look, so that a dead writer's last line is not missed.
            follow = await asyncio.to_thread(is_alive)
            while block := await asyncio.to_thread(log.read):
                *lines, rest = cut((rest + block).split(b"\n"))
                for line in filter(concerns, lines):
                    yield decoded(line)
            await asyncio.sleep(_POLL_SECONDS if follow else 0)
        if rest and concerns(rest):
            yield decoded(rest)
    finally:
        await asyncio.to_thread(log.close)

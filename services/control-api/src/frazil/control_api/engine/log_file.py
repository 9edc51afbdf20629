"""The end of a log file, and what is written to it from then on."""

import asyncio
import os
from collections.abc import AsyncGenerator, Callable
from pathlib import Path
from typing import IO

_BLOCK = 64 * 1024
_POLL_SECONDS = 0.25


async def log_lines(
    path: Path, *, tail: int, follow: bool, is_alive: Callable[[], bool]
) -> AsyncGenerator[str, None]:
    """Yield the last lines, with `follow` also those to come until the writer has ended."""
    try:
        file = await asyncio.to_thread(path.open, "rb")
    except FileNotFoundError:
        return
    try:
        *lines, rest = await asyncio.to_thread(_last_lines, file, tail)
        for line in lines:
            yield decoded(line)
        while follow:
            # Asked before the look, so that a dead writer's last line is not missed.
            follow = await asyncio.to_thread(is_alive)
            *lines, rest = (rest + await asyncio.to_thread(file.read)).split(b"\n")
            for line in lines:
                yield decoded(line)
            await asyncio.sleep(_POLL_SECONDS if follow else 0)
        if rest:
            yield decoded(rest)
    finally:
        await asyncio.to_thread(file.close)


def decoded(line: bytes) -> str:
    return line.decode(errors="replace").removesuffix("\r")


def _last_lines(file: IO[bytes], count: int) -> list[bytes]:
    """Return so many lines and, last, what has no line end yet; the file is left at its end."""
    end = start = file.seek(0, os.SEEK_END)
    text = b""
    # One line end more than lines: the first line of a block may be cut.
    while start and text.count(b"\n") <= count:
        size = min(_BLOCK, start)
        start = file.seek(start - size)
        text = file.read(size) + text
    file.seek(end)
    return text.split(b"\n")[-count - 1 :]

"""Lines at the end of a log file."""

import json
import os
from collections.abc import Callable
from typing import IO

# What is shown of the log of a dead worker.
LOG_TAIL_LINES = 20
_LOG_TAIL_BYTES = 4000
BLOCK = 64 * 1024
# A line without end must not fill the memory, nor must many that are long.
MOST_LINE_BYTES = 1024 * 1024
_MOST_TAIL_BYTES = 16 * 1024 * 1024


def decoded(line: bytes) -> str:
    return line.decode(errors="replace").removesuffix("\r")


def as_tail(log: bytes) -> str:
    return log[-_LOG_TAIL_BYTES:].decode(errors="replace").rstrip("\n")


def everybody(_line: bytes) -> bool:
    """Be concerned by every line: the log is one writer's."""
    return True


def is_about(line: bytes, connector: str, epoch: int) -> bool:
    """Tell whether a line of a log that many write to is that of one worker, or nobody's.

    What does not say whose it is, such as the words of the JVM, concerns them all.
    """
    try:
        said = json.loads(line)
    except ValueError:
        return True
    if not isinstance(said, dict) or "connector" not in said:
        return True
    return bool((said["connector"], said.get("epoch", epoch)) == (connector, epoch))


def last_lines(file: IO[bytes], count: int, concerns: Callable[[bytes], bool]) -> list[bytes]:
    """Return so many lines and, last, what has no line end yet; the file is left at its end."""
    end = start = file.seek(0, os.SEEK_END)
    size, lines = BLOCK, [b""]
    # One line more than wanted: the first that was read may be cut.
    while start and len(lines) <= count + 1 and size <= _MOST_TAIL_BYTES:
        start = file.seek(max(0, end - size))
        *whole, rest = file.read(end - start).split(b"\n")
        lines, size = [*filter(concerns, whole), rest], 2 * size
    file.seek(end)
    # Of what is too much at once, the first line may have begun before.
    whole_lines = lines[1:] if start and len(lines) > 1 else lines
    return cut(whole_lines[-count - 1 :])


def cut(lines: list[bytes]) -> list[bytes]:
    return [line[:MOST_LINE_BYTES] for line in lines]

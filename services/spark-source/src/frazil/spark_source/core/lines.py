"""Bytes to lines, told apart as by Kafka's own file source: LF, CR LF, or CR alone."""

import re
from dataclasses import dataclass
from itertools import islice

# A CR at the very end may be the first half of a CR LF: nothing can be said of it yet.
_END = re.compile(rb"\r\n|\n|\r(?=[^\n])")


@dataclass(frozen=True)
class Cut:
    """Whole lines, and how many bytes they took with their ends."""

    lines: list[str]
    length: int


def cut(data: bytes, most: int) -> Cut:
    """Take at most so many lines from the beginning; what is no UTF-8 is replaced, as in Java."""
    lines, start = [], 0
    for end in islice(_END.finditer(data), most):
        lines.append(data[start : end.start()].decode(errors="replace"))
        start = end.end()
    return Cut(lines, start)

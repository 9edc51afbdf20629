"""Encoded records of one topic, good ones and the wanted share of bad ones."""

import json
from collections.abc import Callable
from random import Random
from typing import Protocol

from frazil.contracts.log_topics import Topic
from frazil.log_generator.shapes.apilog import ApiLog
from frazil.log_generator.shapes.auditlog import AuditLog
from frazil.log_generator.shapes.cluster import Record
from frazil.log_generator.shapes.errorlog import ErrorLog
from frazil.log_generator.shapes.spoil import flaws, spoil


class _ShapeOf(Protocol):
    def __call__(self, *, world: Random, rng: Random, start_ns: int) -> Callable[[int], Record]: ...


_SHAPES: dict[Topic, _ShapeOf] = {Topic.API: ApiLog, Topic.ERROR: ErrorLog, Topic.AUDIT: AuditLog}

# As Go encodes: no blanks, UTF-8 as it is. Our dicts have no cycles to look for.
_text = json.JSONEncoder(separators=(",", ":"), ensure_ascii=False, check_circular=False).encode


def encode(record: Record) -> bytes:
    return _text(record).encode()


class Source:
    """One topic's records. The same seed, start and clock give the same bytes."""

    def __init__(self, topic: Topic, *, seed: int, start_ns: int, bad: float = 0.0) -> None:
        rng = Random(f"{seed}/{topic}")  # noqa: S311 (logs, not secrets)
        world = Random(f"{seed}/world")  # noqa: S311
        self._shape = _SHAPES[topic](world=world, rng=rng, start_ns=start_ns)
        self._random = rng.random
        self._flaw = flaws(rng)
        self._share = bad
        self.bad = 0

    def take(self, count: int, clock_ns: Callable[[], int]) -> list[bytes]:
        """Return `count` values, each of the moment in which it was made."""
        if self._share:
            return [self._maybe_bad(self._shape(clock_ns())) for _ in range(count)]
        shape = self._shape
        return [_text(shape(clock_ns())).encode() for _ in range(count)]

    def _maybe_bad(self, record: Record) -> bytes:
        if self._random() >= self._share:
            return encode(record)
        self.bad += 1
        return spoil(record, self._flaw(), encode)

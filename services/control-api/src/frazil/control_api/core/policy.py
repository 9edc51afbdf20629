"""How patient the control plane is: limits of restarts, back-off arithmetic, time-outs."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Self
from zlib import crc32

from frazil.contracts.plugins.reading import read_key


@dataclass(frozen=True, slots=True)
class Policy:
    """All times in seconds."""

    max_failures: int = 5  # runs without progress until a person is asked
    retry_budget: float | None = None  # time from the first of them on, in place of their number
    first_delay: float = 5.0
    max_delay: float = 60.0
    jitter: float = 0.25  # delays are shorter by up to this share
    settled_after: float = 300.0  # a run that lasted so long counts as progress
    max_starting: int = 1  # Spark is heavy to start: two at once are slower than one by one
    start_turn: float = 30.0  # a start that takes longer does not keep others waiting
    start_timeout: float = 300.0
    silence_timeout: float = 60.0
    stop_grace: float = 20.0
    inspect_timeout: float = 15.0
    look_again: float = 5.0  # while a worker runs; the engine tells of changes
    look_soon: float = 0.25  # while something is about to change

    def of(self, config: Mapping[str, str]) -> Self:
        """Apply the keys of one connector; what cannot be read, like a reference, has no effect."""
        timeout = _seconds(config, "errors.retry.timeout")
        longest = _seconds(config, "errors.retry.delay.max.ms")
        return replace(
            self,
            retry_budget=math.inf if timeout and timeout < 0 else timeout or self.retry_budget,
            max_delay=self.max_delay if longest is None else max(longest, 0.0),
        )

    def retry_delay(self, name: str, failures: int, *, failing_for: float) -> float | None:
        """Seconds until the next start after so many failures in a row; None: give up.

        The first retry comes at once, since most deaths are accidents.
        """
        # Bounded before the power is taken: a user may allow a great many failures.
        growth = 2.0 ** min(failures - 2, 32) if failures > 1 else 0.0
        longest = min(self.first_delay * growth, self.max_delay)
        delay = longest * (1.0 - self.jitter * _chance(name, failures))
        if self.retry_budget is None:
            return delay if failures < self.max_failures else None
        return delay if failing_for + delay < self.retry_budget else None


def _seconds(config: Mapping[str, str], name: str) -> float | None:
    """Read a time that a connector sets; one that it leaves alone is the control API's to set."""
    milliseconds = read_key(config, name) if name in config else None
    return None if milliseconds is None else milliseconds / 1000


def _chance(name: str, failures: int) -> float:
    """Roll from 0 to 1 the same for the same: those that fail together do not start together."""
    return crc32(f"{failures} {name}".encode()) / 2.0**32

"""What is due when, and how long to wait in vain. Pure: the clock is the caller's."""

from dataclasses import dataclass

# Large enough to fill a request; small enough that `time` is the moment of generation, and that
# a signal is heard at once.
CHUNK = 1500

_MOST_DOUBLINGS = 4


@dataclass(frozen=True)
class Pace:
    """Records a second, and how many in all; None means as many as can be."""

    rate: float | None = None
    count: int | None = None

    def due(self, elapsed: float, sent: int) -> int:
        """Return how many to send now, `elapsed` seconds after the start and `sent` sent."""
        wanted = CHUNK if self.rate is None else int(self.rate * elapsed) - sent
        if self.count is not None:
            wanted = min(wanted, self.count - sent)
        return max(0, min(wanted, CHUNK))

    def is_done(self, sent: int) -> bool:
        return self.count is not None and sent >= self.count


@dataclass
class Ticks:
    """Moments at an even distance; those that were missed are not made up for."""

    rate: float
    last: float

    def wait(self, now: float) -> float:
        """Return the seconds until the next one."""
        self.last = max(self.last + 1 / self.rate, now)
        return self.last - now


@dataclass
class Patience:
    """Waits of 1 to 16 seconds, each twice as long as the one before."""

    failures: int = 0

    def wait(self) -> float:
        """Return the seconds until it is worth another try."""
        seconds = 2.0 ** min(self.failures, _MOST_DOUBLINGS)
        self.failures += 1
        return seconds

    def reset(self) -> None:
        self.failures = 0

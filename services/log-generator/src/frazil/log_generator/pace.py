"""How many records are due at a time. Pure: the clock is the caller's."""

from dataclasses import dataclass

# Large enough to fill a request; small enough that `time` is the moment of generation, and that
# a signal is heard at once.
CHUNK = 1500


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

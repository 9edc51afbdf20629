"""How long to rest after a commit: the interval is a target for freshness, not a sleep."""

from collections.abc import Iterable


def rest_after(took: float, *, interval: float, rows: int, most_rows: int) -> float:
    """Return the seconds until the next batch may be cut.

    Commits are spaced out by the interval, so that files do not get small. A batch that was half
    full or more means that a backlog waits: then there is no rest. After a lull nothing waits
    either, since the rest has long passed when the first record comes.
    """
    backlog = 2 * rows >= most_rows
    return 0.0 if backlog else max(0.0, interval - took)


def interval_for(freshness: float, recent: Iterable[float]) -> float:
    """Return the longest interval after which records are still visible in time.

    One that has just missed a batch waits for the next, and then as long as that takes: as long,
    it is to be expected, as the slowest of late.
    """
    return max(0.0, freshness - max(recent, default=0.0))

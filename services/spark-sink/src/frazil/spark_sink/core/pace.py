"""How long to rest after a commit: the interval is a target for freshness, not a sleep."""


def rest_after(took: float, *, interval: float, rows: int, most_rows: int) -> float:
    """Return the seconds until the next batch may be cut.

    Commits are spaced out by the interval, so that files do not get small. A batch that was half
    full or more means that a backlog waits: then there is no rest. After a lull nothing waits
    either, since the rest has long passed when the first record comes.
    """
    backlog = 2 * rows >= most_rows
    return 0.0 if backlog else max(0.0, interval - took)

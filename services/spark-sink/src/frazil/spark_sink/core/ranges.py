"""A batch's ranges of offsets, cut into the work of so many tasks."""

from collections.abc import Iterable

from frazil.spark_sink.tasks.offset_range import OffsetRange

# Below this a second task costs more than it saves.
SMALLEST_TASK = 5_000


def pieces(ranges: Iterable[OffsetRange], tasks: int) -> list[tuple[OffsetRange, ...]]:
    """Cut ranges into at most so many pieces of the same number of offsets.

    A task takes its records in the order of their places, for in that order they change a schema.
    """
    left = sorted(
        (one for one in ranges if one.end > one.start),
        key=lambda one: (one.topic, one.partition, one.start),
    )
    total = sum(one.end - one.start for one in left)
    count = max(1, min(tasks, total // SMALLEST_TASK))
    share = -(-total // count)
    found: list[tuple[OffsetRange, ...]] = []
    piece: list[OffsetRange] = []
    room = share
    for one in left:
        start = one.start
        while start < one.end:
            end = min(one.end, start + room)
            piece.append(OffsetRange(one.topic, one.partition, start, end))
            room -= end - start
            start = end
            if not room:
                found.append(tuple(piece))
                piece, room = [], share
    return [*found, tuple(piece)] if piece else found

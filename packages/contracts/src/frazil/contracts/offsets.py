"""Positions in Kafka topics: topic -> partition -> next offset to read."""

from collections.abc import Iterator

Offsets = dict[str, dict[int, int]]


def each(offsets: Offsets) -> Iterator[tuple[str, int, int]]:
    for topic, partitions in offsets.items():
        for partition, offset in partitions.items():
            yield topic, partition, offset


def count_between(start: Offsets, end: Offsets) -> int:
    """Offsets from start to end; a partition that start does not know began at 0."""
    return sum(
        offset - start.get(topic, {}).get(partition, 0) for topic, partition, offset in each(end)
    )


def covers(reached: Offsets, wanted: Offsets) -> bool:
    """Tell whether everything before `wanted` lies before `reached`."""
    return all(
        reached.get(topic, {}).get(partition, -1) >= offset
        for topic, partition, offset in each(wanted)
    )

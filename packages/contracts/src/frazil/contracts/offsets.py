"""Positions in Kafka topics: topic -> partition -> next offset to read."""

from collections.abc import Iterable, Iterator, Mapping

from pydantic import BaseModel, ConfigDict

Offsets = dict[str, dict[int, int]]


def each(offsets: Offsets) -> Iterator[tuple[str, int, int]]:
    for topic, partitions in offsets.items():
        for partition, offset in partitions.items():
            yield topic, partition, offset


def each_partition(partitions: Mapping[str, Iterable[int]]) -> Iterator[tuple[str, int]]:
    for topic, numbers in partitions.items():
        for partition in numbers:
            yield topic, partition


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


def furthest(one: Offsets, other: Offsets) -> Offsets:
    """Return for each partition whichever offset is greater."""
    found = {topic: dict(partitions) for topic, partitions in one.items()}
    for topic, partition, offset in each(other):
        known = found.setdefault(topic, {})
        known[partition] = max(offset, known.get(partition, offset))
    return found


class Rewind(BaseModel):
    """Where a user wants a sink to go on reading, by way of Connect's offsets API.

    It is applied once: the ledger remembers the `number` of the last one, and numbers grow.
    Partitions in `fresh` begin as if they had never been read, and so do all if `everything`;
    what `offsets` names goes on there.
    """

    model_config = ConfigDict(frozen=True)

    number: int
    offsets: Offsets = {}
    fresh: dict[str, list[int]] = {}
    everything: bool = False

"""Positions in Kafka topics: topic -> partition -> next offset to read."""

from collections.abc import Iterator
from enum import StrEnum

from pydantic import BaseModel, ConfigDict

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


def nearest(one: Offsets, other: Offsets) -> Offsets:
    """Return for each partition of the first whichever offset is less."""
    return {
        topic: {p: min(offset, other.get(topic, {}).get(p, offset)) for p, offset in found.items()}
        for topic, found in one.items()
    }


class Mode(StrEnum):
    """What becomes of rows that are there already, where a table takes nothing but rows."""

    AGAIN = "again"  # they are written once more
    ONCE = "once"  # their commits are undone before anything is read again
    BRANCH = "branch"  # the same, in a side branch, until a user publishes or drops it


class Ending(StrEnum):
    """What becomes of a side branch at last."""

    PUBLISH = "publish"
    DROP = "drop"


class Rewind(BaseModel):
    """Where a user wants a sink to go on reading, by way of Connect's offsets API.

    It is applied once: the ledger remembers the `number` of the last one, and numbers grow.
    Partitions in `fresh` begin as if they had never been read, and so do all if `everything`;
    what `offsets` names goes on there. All goes into the side branch `branch` of each table, if
    there is one, until the order of number `ended` is carried out.
    """

    model_config = ConfigDict(frozen=True)

    number: int
    offsets: Offsets = {}
    fresh: dict[str, list[int]] = {}
    everything: bool = False
    mode: Mode = Mode.AGAIN
    branch: str | None = None
    ending: Ending | None = None
    ended: int = 0

    @property
    def newest(self) -> int:
        """The number of the last order: the rewind itself, or the end of its branch."""
        return max(self.number, self.ended)

    @property
    def side(self) -> str | None:
        """The side branch that rows go into; None once it is to be published or dropped."""
        return None if self.ending else self.branch

    def moves(self, topic: str, partition: int) -> bool:
        return (
            self.everything
            or partition in self.fresh.get(topic, ())
            or partition in self.offsets.get(topic, {})
        )

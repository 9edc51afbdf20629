"""Through when all records are there: of each partition, and so of what is made of all of them."""

from collections.abc import Iterable, Mapping
from datetime import datetime, timedelta

from frazil.contracts.offsets import Offsets, each

Partition = tuple[str, int]

# Producers stamp a record, and send it a moment later. What has come to an empty partition's end
# may so still get records that are as old as this, at most.
LATENESS = timedelta(seconds=10)
# What it costs grows with the partitions; with more than these only the ledger's is known.
MOST_WATCHED = 100


class Watermark:
    """Times only rise; a partition of which nothing is known yet keeps the whole unknown."""

    def __init__(self, known: datetime | None = None, end: Offsets | None = None) -> None:
        """Begin where ledgers say that all before `end` is there, `known` being their watermark."""
        self._marks: dict[Partition, datetime] = {}
        if known is not None:
            self._marks = {(topic, number): known for topic, number, _ in each(end or {})}

    def read(self, newest: Mapping[Partition, datetime], now: datetime) -> None:
        """Take in the newest record of partitions; no producer's clock makes it later than now."""
        for partition, moment in newest.items():
            self._rise(partition, min(moment, now))

    def rested(self, partitions: Iterable[Partition], now: datetime) -> None:
        """Take in that these had no more records than were read."""
        for partition in partitions:
            self._rise(partition, now - LATENESS)

    def _rise(self, partition: Partition, moment: datetime) -> None:
        known = self._marks.get(partition)
        self._marks[partition] = moment if known is None else max(known, moment)

    def through(self, end: Offsets) -> datetime | None:
        """Return the oldest of the partitions' times."""
        marks = [self._marks.get((topic, number)) for topic, number, _ in each(end)]
        known = [mark for mark in marks if mark is not None]
        return min(known) if known and len(known) == len(marks) else None

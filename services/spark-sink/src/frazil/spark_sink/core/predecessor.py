"""The sink of Kafka Connect that wrote to a table before: up to where all of it is there.

Its tasks tell their files on a control topic, and in the same transaction move its group. What its
coordinator has put into a table since, a snapshot says as offsets of that topic. So the group may
have passed records whose files are in no table yet (ADR 29).
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from frazil.contracts.offsets import Offsets, each
from frazil.worker.errors import DataLossError

Places = Mapping[int, int]
"""By partition of the control topic, the offset before which all has been dealt with."""


@dataclass(frozen=True)
class FilesTold:
    """Files for a table, as a task has told them; `batch` is what it told in one transaction."""

    batch: str
    partition: int
    offset: int
    table: str


@dataclass(frozen=True)
class EndTold:
    """The offsets up to which the files of the same batch hold the records."""

    batch: str
    ends: Offsets


@dataclass(frozen=True)
class Predecessor:
    """What it left: where its group is, what its coordinator dealt with, what its tasks told."""

    group: Offsets
    dealt_with: Places
    oldest: Places
    files: Sequence[FilesTold]
    ends: Sequence[EndTold]

    def end_in(self, table: str, committed: Places | None) -> Offsets:
        """Return up to where all records are in the table, and behind which none is.

        `committed` is what the table says itself; None: it does not know any more.
        """
        done = _later(self.dealt_with, committed or {})
        for partition, oldest in self.oldest.items():
            if done.get(partition, 0) < oldest:
                raise _unknown(table, "the control topic no longer has all that it told since")
        files = [one for one in self.files if one.table == table]
        waiting = {one.batch for one in files if one.offset >= done.get(one.partition, 0)}
        if not waiting:
            return self.group
        there = {one.batch for one in files if one.offset < done.get(one.partition, 0)}
        if committed is None or there & waiting:
            raise _unknown(table, "some of these files may be in the table")
        return self._before(table, waiting, there)

    def _before(self, table: str, waiting: set[str], there: set[str]) -> Offsets:
        """Leave the files that wait where they are: go back to where the first of them begin."""
        if waiting - {one.batch for one in self.ends}:
            raise _unknown(table, "the records of these files were not told")
        found = {topic: dict(partitions) for topic, partitions in self.group.items()}
        firsts = _least(_places(self.ends, waiting))
        for (topic, partition), first in firsts.items():
            known = [end for place, end in _places(self.ends) if place == (topic, partition)]
            begin = max((end for end in known if end < first), default=None)
            if begin is None:
                raise _unknown(table, "the control topic does not say where these files begin")
            found.setdefault(topic, {})[partition] = begin
        for (topic, partition), end in _places(self.ends, there):
            if (topic, partition) in firsts and end > found[topic][partition]:
                raise _unknown(table, "later records are in the table already")
        return found


def _places(
    told: Iterable[EndTold], batches: set[str] | None = None
) -> Iterator[tuple[tuple[str, int], int]]:
    for one in told:
        if batches is None or one.batch in batches:
            for topic, partition, end in each(one.ends):
                yield (topic, partition), end


def _least(places: Iterable[tuple[tuple[str, int], int]]) -> dict[tuple[str, int], int]:
    least: dict[tuple[str, int], int] = {}
    for place, end in places:
        least[place] = min(end, least.get(place, end))
    return least


def _later(one: Places, other: Places) -> dict[int, int]:
    return {key: max(one.get(key, 0), other.get(key, 0)) for key in {*one, *other}}


def _unknown(table: str, why: str) -> DataLossError:
    return DataLossError(
        f"Kafka Connect's sink has told of files that table {table} may lack, and {why}. Let it "
        "commit them: resume it there, pause it, stop it when its commit interval has passed; then "
        "restart this connector."
    )

"""Where a sink goes on behind Kafka Connect's: nothing is left out, and nothing comes twice."""

from dataclasses import dataclass, field

import pytest
from hypothesis import given
from hypothesis import strategies as st

from frazil.contracts.offsets import Offsets
from frazil.spark_sink.core.predecessor import EndTold, FilesTold, Predecessor
from frazil.worker.errors import DataLossError

TABLES = ("ns.a", "ns.b")


@dataclass
class GenuineSink:
    """Reads one topic of two partitions; each record is for some of the tables."""

    routes: list[list[set[str]]]
    at: list[int] = field(default_factory=lambda: [0, 0])
    files: list[FilesTold] = field(default_factory=list)
    ends: list[EndTold] = field(default_factory=list)
    held: list[tuple[str, int, int, int]] = field(default_factory=list)
    """Of each file told: its table, and the partition and offsets of its records."""
    told: int = 0

    def round(self, counts: tuple[int, int]) -> None:
        """Write what was read since the last one, and tell of it in one transaction."""
        batch, ends = f"round {self.told}", {}
        spans = [
            (p, self.at[p], min(self.at[p] + n, len(self.routes[p]))) for p, n in enumerate(counts)
        ]
        for table in TABLES:
            mine = [(p, o) for p, a, b in spans for o in range(a, b) if table in self.routes[p][o]]
            if mine:
                self.files.append(FilesTold(batch, 0, self.told, table))
                self.held += [(table, self.told, p, o) for p, o in mine]
                self.told += 1
        for p, begin, end in spans:
            self.at[p] = end
            if end > begin:
                ends[p] = end
        self.ends.append(EndTold(batch, {"t": ends} if ends else {}))
        self.told += 1

    def predecessor(self, dealt_with: int) -> Predecessor:
        group: Offsets = {"t": {p: at for p, at in enumerate(self.at) if at}}
        return Predecessor(group, {0: dealt_with}, {0: 0}, self.files, self.ends)


RECORDS = st.lists(st.sets(st.sampled_from(TABLES)), min_size=12, max_size=12)
ROUNDS = st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)), max_size=5)


@given(st.tuples(RECORDS, RECORDS), ROUNDS, ROUNDS, st.booleans())
def test_each_record_is_in_the_table_or_behind_the_place_where_it_goes_on(
    routes: tuple[list[set[str]], ...], before: list[tuple[int, int]],
    after: list[tuple[int, int]], one_table_is_ahead: bool,
) -> None:  # fmt: skip
    sink = GenuineSink([*routes])
    for counts in [(1, 1), *before]:
        sink.round(counts)
    committed = dict.fromkeys(TABLES, sink.told)
    for counts in after:
        sink.round(counts)
    if one_table_is_ahead:
        committed["ns.a"] = sink.told
    left = sink.predecessor(dealt_with=min(committed.values()))
    for table in TABLES:
        end = left.end_in(table, {0: committed[table]})["t"]
        for name, told, partition, offset in sink.held:
            is_there = told < committed[name]
            if name == table:
                assert is_there == (offset < end[partition])


def left(
    *files: tuple[str, int], ends: dict[str, int], group: int, dealt_with: int = 0, oldest: int = 0
) -> Predecessor:
    return Predecessor(
        {"t": {0: group}},
        {0: dealt_with},
        {0: oldest},
        [FilesTold(batch, 0, place, "ns.a") for batch, place in files],
        [EndTold(batch, {"t": {0: end}}) for batch, end in ends.items()],
    )


def test_without_files_that_wait_the_group_is_right() -> None:
    found = left(("1", 0), ends={"1": 10}, group=10).end_in("ns.a", {0: 2})
    assert found == {"t": {0: 10}}


def test_files_that_wait_are_left_and_their_records_read_again() -> None:
    found = left(("1", 0), ("2", 2), ends={"1": 10, "2": 25}, group=25).end_in("ns.a", {0: 2})
    assert found == {"t": {0: 10}}


def test_what_the_coordinator_has_dealt_with_needs_no_snapshot_to_say_so() -> None:
    found = left(("1", 0), ends={"1": 10}, group=10, dealt_with=2).end_in("ns.a", None)
    assert found == {"t": {0: 10}}


@pytest.mark.parametrize(
    ("predecessor", "committed", "why"),
    [
        (left(ends={}, group=9, oldest=5), {0: 4}, "no longer has all"),
        (left(("1", 0), ends={"1": 10}, group=10), {0: 0}, "does not say where"),
        (left(("1", 0), ends={}, group=10), {0: 0}, "were not told"),
        (left(("1", 0), ends={"1": 10}, group=10), None, "may be in the table"),
        (left(("1", 0), ("1", 1), ends={"1": 10}, group=10), {0: 1}, "may be in the table"),
        (
            left(("1", 0), ("3", 1), ("2", 2), ends={"1": 10, "2": 20, "3": 30}, group=30),
            {0: 2},
            "later records",
        ),
    ],
    ids=["topic cut", "first of all", "no end", "snapshots expired", "half", "out of order"],
)
def test_what_cannot_be_known_is_left_to_the_other_sink(
    predecessor: Predecessor, committed: dict[int, int] | None, why: str
) -> None:
    with pytest.raises(DataLossError, match=f"{why}.*resume it there"):
        predecessor.end_in("ns.a", committed)

"""Which commits a rewind undoes, and by which files their rows go."""

from datetime import UTC, datetime

import pytest
from tests.support.ledgers import ledger

from frazil.contracts.ledger import Ledger
from frazil.contracts.offsets import Offsets
from frazil.spark_sink.core.position import TopicFacts
from frazil.spark_sink.core.undoing import Rewrite, Told, Undoing, holding, undoing
from frazil.worker.errors import RewindError

NOON = datetime(2026, 11, 19, 12, tzinfo=UTC)


def at(*offsets: int, topic: str = "t") -> Offsets:
    return {topic: dict(enumerate(offsets))}


def batch(start: Offsets, end: Offsets, **more: object) -> Ledger:
    return ledger(start=start, end=end).model_copy(update=more)


def facts(*earliest: int, topic_id: str = "id-t") -> dict[str, TopicFacts]:
    partitions = dict(enumerate(earliest))
    return {"t": TopicFacts(topic_id, partitions, dict.fromkeys(partitions, 100))}


# Two partitions, in five commits of which the fourth has nothing of the second.
COMMITS = [
    batch(at(0, 0), at(5, 5), valid_through=NOON),
    batch(at(5, 5), at(10, 10)),
    batch(at(10, 10), at(15, 15)),
    batch(at(15, 15), at(20, 15)),
    batch(at(20, 15), at(25, 20)),
]


def planned(
    wanted: Offsets,
    *ledgers: Ledger,
    is_whole: bool = True,
    topics: dict[str, TopicFacts] | None = None,
) -> Undoing | None:
    told = Told([*enumerate(ledgers or COMMITS)], is_whole=is_whole)
    return undoing("table ns.a", told, wanted, topics or facts(0, 0))


def numbers(found: Undoing | None) -> list[int]:
    return [number for number, _ in found.commits] if found else []


def test_the_first_commit_beyond_an_offset_is_undone_and_all_behind_it() -> None:
    found = planned({"t": {0: 7}})
    assert found
    assert numbers(found) == [1, 2, 3, 4]
    assert found.ledger.end == at(5, 5)
    # The table is complete no further than it was then.
    assert found.ledger.valid_through == NOON


def test_an_offset_between_two_commits_undoes_none_too_many() -> None:
    assert numbers(planned({"t": {0: 10}})) == [2, 3, 4]
    assert numbers(planned({"t": {1: 15}})) == [4]


def test_nothing_beyond_is_nothing_to_undo() -> None:
    assert planned({"t": {0: 25, 1: 99}}) is None
    assert planned({"u": {0: 0}}, topics={"u": TopicFacts("id-u", {0: 0}, {0: 9})}) is None


def test_what_is_undone_already_is_not_undone_again() -> None:
    back = batch(at(10, 10), at(10, 10), undone=3)
    again = batch(at(10, 10), at(12, 12))
    found = planned({"t": {0: 8}}, *COMMITS, back, again)
    assert numbers(found) == [1, 5, 6]
    assert found
    assert found.ledger.end == at(5, 5)


def test_a_partition_that_came_later_begins_where_it_began_then() -> None:
    found = planned(
        {"t": {0: 0}},
        batch(at(0), at(5)),
        batch({"t": {0: 5, 1: 3}}, at(9, 9)),
    )
    assert found
    assert found.ledger.end == {"t": {0: 0, 1: 3}}


def test_expired_commits_can_be_undone_up_to_where_they_are_told() -> None:
    left = COMMITS[2:]
    assert numbers(planned({"t": {0: 10}}, *left, is_whole=False)) == [0, 1, 2]
    with pytest.raises(RewindError, match=r"offset 9 to 9 of t-0.*ask for offset 10 or later"):
        planned({"t": {0: 9}}, *left, is_whole=False)


@pytest.mark.parametrize(
    ("topics", "why"),
    [
        (facts(6, 0), "t-0 would have to be read again from offset 5.*the topic begins at 6"),
        (facts(0), "t-1.*is not read any more"),
    ],
)
def test_no_row_is_taken_back_that_cannot_be_had_again(
    topics: dict[str, TopicFacts], why: str
) -> None:
    with pytest.raises(RewindError, match=why):
        planned({"t": {0: 7}}, topics=topics)


def test_rows_of_a_topic_that_was_made_anew_stay() -> None:
    anew = facts(0, 0, topic_id="id-2")
    assert planned({"t": {0: 0}}, topics=anew) is None
    since = batch(at(0, 0), at(3, 3), topic_ids={"t": "id-2"})
    assert numbers(planned({"t": {0: 0}}, *COMMITS, since, topics=anew)) == [5]


def test_rows_of_dead_letters_are_in_the_way() -> None:
    redriven = batch(at(25, 20), at(25, 20), redriven=2)
    with pytest.raises(RewindError, match="Dead letters have become rows"):
        planned({"t": {0: 20}}, *COMMITS, redriven)
    early = batch(at(0, 0), at(0, 0), redriven=2)
    assert numbers(planned({"t": {0: 20}}, early, *COMMITS)) == [5]


def rewrite(number: int, *took: int, changes: bool = False, marks: bool = False) -> Rewrite:
    return Rewrite(number, frozenset(took), changes=changes, marks=marks)


def test_files_put_together_of_undone_ones_alone_go_too() -> None:
    rewrites = [rewrite(5, 3, 4), rewrite(6, 1, 2), rewrite(7, 5)]
    assert holding("a", {3, 4}, rewrites) == {3, 4, 5, 7}


@pytest.mark.parametrize("rewrites", [[rewrite(5, 2, 3)], [rewrite(5, 3), rewrite(6, 5, 1)]])
def test_files_that_have_older_rows_too_are_left_alone(rewrites: list[Rewrite]) -> None:
    with pytest.raises(RewindError, match="put together in files with older ones"):
        holding("a", {3, 4}, rewrites)


@pytest.mark.parametrize(
    "change", [rewrite(5, 3, changes=True), rewrite(5, changes=True, marks=True)]
)
def test_rows_that_others_may_have_changed_are_left_alone(change: Rewrite) -> None:
    with pytest.raises(RewindError, match="Others have changed rows"):
        holding("a", {3, 4}, [change])


def test_what_others_have_changed_in_older_files_is_no_matter() -> None:
    assert holding("a", {3, 4}, [rewrite(5, 1, changes=True)]) == {3, 4}


def test_rows_that_kafka_connect_wrote_in_between_are_never_read_again() -> None:
    taken = {"fences": {"kafka.connect.offsets.c.g": "{}"}}
    commits = [*COMMITS[:2], *(one.model_copy(update=taken) for one in COMMITS[2:])]
    with pytest.raises(RewindError, match="Kafka Connect's sink has written rows"):
        planned({"t": {0: 7}}, *commits)
    assert numbers(planned({"t": {0: 10}}, *commits)) == [2, 3, 4]
    # Before the first commit of ours are rows of theirs.
    with pytest.raises(RewindError, match="ask for an offset behind them"):
        planned({"t": {0: 8}}, *commits[2:])

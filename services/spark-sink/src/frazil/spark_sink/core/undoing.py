"""Which commits a rewind takes back, so that what is read again is there once (ADR 30).

The commits from the first that reaches beyond what is wanted are undone, each as a whole: a file
has rows of all partitions of its commit. So a store goes on where the first of them began.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from frazil.contracts.ledger import Ledger, standing
from frazil.contracts.offsets import Offsets, each
from frazil.spark_sink.core.position import TopicFacts
from frazil.worker.errors import RewindError

_AGAIN = "mode=again, which writes once more what is there"


@dataclass(frozen=True)
class Told:
    """The commits that a store tells of, oldest first; `is_whole` if none has expired."""

    commits: Sequence[tuple[int, Ledger]]
    is_whole: bool


@dataclass(frozen=True)
class Undoing:
    """Snapshots whose rows are taken back, oldest first, and what the ledger says without them."""

    commits: tuple[tuple[int, Ledger], ...]
    ledger: Ledger


@dataclass(frozen=True)
class Rewrite:
    """A snapshot that has taken files away, by whose snapshots they were; each has a number.

    `changes` tells that rows may be other ones since, or others among them; `marks` that files it
    did not take have lost rows to it.
    """

    number: int
    took: frozenset[int]
    changes: bool
    marks: bool


def undoing(
    store: str, told: Told, wanted: Offsets, topics: Mapping[str, TopicFacts]
) -> Undoing | None:
    """Choose what to undo; None if nothing lies beyond the wanted offsets."""
    commits = standing(told.commits)
    first = next((n for n, one in enumerate(commits) if _reaches(one[1], wanted, topics)), None)
    if first is None:
        return None
    undone = tuple(commits[first:])
    ledgers = [ledger for _, ledger in undone]
    began = _began(ledgers)
    _require_ours(store, commits, first, is_beyond=_is_before(wanted, began))
    if first == 0 and not told.is_whole:
        _require_told(store, began, wanted)
    _require_readable(store, ledgers, began, topics)
    newest = ledgers[-1]
    end = {
        topic: {**partitions, **began.get(topic, {})} for topic, partitions in newest.end.items()
    }
    through = commits[first - 1][1].valid_through if first else None
    return Undoing(undone, newest.model_copy(update={"end": end, "valid_through": through}))


def _reaches(ledger: Ledger, wanted: Offsets, topics: Mapping[str, TopicFacts]) -> bool:
    """Tell whether a commit has offsets beyond the wanted ones, of the topic as it is now."""
    return any(
        ledger.end.get(topic, {}).get(partition, 0) > offset
        for topic, partition, offset in each(wanted)
        if ledger.topic_ids.get(topic) in (None, topics[topic].topic_id)
    )


def _began(ledgers: Iterable[Ledger]) -> Offsets:
    """Return where each partition was when the first of these commits that know it began."""
    found: Offsets = {}
    for ledger in ledgers:
        for topic, partition, offset in each(ledger.start):
            found.setdefault(topic, {}).setdefault(partition, offset)
    return found


def _is_before(wanted: Offsets, began: Offsets) -> bool:
    return any(
        offset < began.get(topic, {}).get(partition, offset)
        for topic, partition, offset in each(wanted)
    )


def _require_ours(
    store: str, commits: Sequence[tuple[int, Ledger]], first: int, *, is_beyond: bool
) -> None:
    """Take no part in what Kafka Connect's sink has written in between: it has no ledger."""
    fences = [{}, *(ledger.fences for _, ledger in commits)]
    for number, (before, after) in enumerate(pairwise(fences)):
        if before != after and (number > first or (number == first and is_beyond)):
            raise RewindError(
                f"Kafka Connect's sink has written rows of {store} that would be read again. Stop "
                f"the connector and ask for an offset behind them, or for {_AGAIN}."
            )


def _require_told(store: str, began: Offsets, wanted: Offsets) -> None:
    for topic, partition, offset in each(wanted):
        known = began.get(topic, {}).get(partition, offset)
        if known > offset:
            raise RewindError(
                f"{store} no longer tells which of its rows come from offset {offset} to "
                f"{known - 1} of {topic}-{partition}: these snapshots have expired. Stop the "
                f"connector and ask for offset {known} or later, or for {_AGAIN}."
            )


def _require_readable(
    store: str, ledgers: Sequence[Ledger], began: Offsets, topics: Mapping[str, TopicFacts]
) -> None:
    """Take no row away that cannot be had again."""
    if any(ledger.redriven for ledger in ledgers):
        raise RewindError(
            f"Dead letters have become rows of {store} since, and no ledger says from which "
            f"offsets. Stop the connector and ask for a later offset, or for {_AGAIN}."
        )
    for topic, partition in _passed(ledgers):
        offset, facts = began[topic][partition], topics.get(topic)
        ids = {one.topic_ids.get(topic) for one in ledgers} - {None}
        if facts is None or partition not in facts.earliest or ids - {facts.topic_id}:
            why = f"{topic}-{partition} is not read any more, or was made anew"
        elif offset < facts.earliest[partition]:
            why = f"the topic begins at {facts.earliest[partition]}"
        else:
            continue
        raise RewindError(
            f"To take back what {store} has, {topic}-{partition} would have to be read again from "
            f"offset {offset}, where a commit begins; but {why}. Stop the connector and ask for a "
            f"later offset, or for {_AGAIN}."
        )


def _passed(ledgers: Iterable[Ledger]) -> Iterator[tuple[str, int]]:
    for ledger in ledgers:
        for topic, partition, offset in each(ledger.end):
            if offset > ledger.start.get(topic, {}).get(partition, offset):
                yield topic, partition


def holding(store: str, undone: Iterable[int], rewrites: Iterable[Rewrite]) -> frozenset[int]:
    """Return by number the snapshots whose files have rows of the undone ones and no others.

    RewindError if files have both by now. Rewrites are given oldest first.
    """
    found = set(undone)
    for one in rewrites:
        if one.changes and (one.marks or one.took & found):
            raise unknown(store)
        if not one.took & found:
            continue
        if not one.took <= found:
            raise mixed(store)
        found.add(one.number)
    return frozenset(found)


def unknown(store: str) -> RewindError:
    return RewindError(
        f"Others have changed rows of {store} since, or it has format version 1: it does not tell "
        "which rows are to be read again. Stop the connector and ask for a later offset, or for "
        f"{_AGAIN}."
    )


def not_listed(store: str) -> RewindError:
    return RewindError(
        f"{store} is named by records, and so was not known when the connector was to go on where "
        f"its rows are taken back to. Stop the connector and ask for {_AGAIN}."
    )


def mixed(store: str) -> RewindError:
    return RewindError(
        f"Rows of {store} were put together in files with older ones since. Stop the connector and "
        f"ask for an earlier offset, before all rows of these files, or for {_AGAIN}."
    )

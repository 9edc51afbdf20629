"""Many stores of one connector: what each has already, and up to where all of them have all.

A batch begins only when the one before it is in every store. So what was before the newest batch
is everywhere, and each store drops what its own ledger covers.
"""

from collections.abc import Iterable, Mapping, Sequence
from itertools import chain

from frazil.contracts.ledger import Ledger
from frazil.contracts.offsets import Mode, Offsets, Rewind, each
from frazil.spark_sink.core.offset_log import BatchRange
from frazil.spark_sink.core.position import TopicFacts


def is_behind(ledger: Ledger, rewind: Rewind | None) -> bool:
    """Tell whether a store does not know yet that a user has moved the connector."""
    return rewind is not None and rewind.number > ledger.rewind


def undoes(ledger: Ledger | None, rewind: Rewind | None) -> bool:
    """Tell whether a store has to take rows back before a rewind reads them again."""
    if ledger is None or rewind is None or rewind.mode is not Mode.ONCE:
        return False
    return is_behind(ledger, rewind)


def _begins_anew(ledger: Ledger, rewind: Rewind | None) -> bool:
    """Tell whether a store is to forget what it has of partitions that a user has moved."""
    return rewind is not None and rewind.mode is Mode.AGAIN and is_behind(ledger, rewind)


def covered(
    ledger: Ledger | None, topics: Mapping[str, TopicFacts], rewind: Rewind | None
) -> Offsets:
    """Return the offsets before which a store needs nothing more.

    What its ledger says of a topic that was made anew does not count, nor of partitions that a
    user has moved since.
    """
    if ledger is None:
        return {}
    end = {
        topic: dict(partitions)
        for topic, partitions in ledger.end.items()
        if topic in topics and ledger.topic_ids.get(topic) in (None, topics[topic].topic_id)
    }
    if rewind is None or not _begins_anew(ledger, rewind):
        return end
    kept = {
        topic: {p: o for p, o in partitions.items() if not rewind.moves(topic, p)}
        for topic, partitions in end.items()
    }
    for topic, partition, offset in each(rewind.offsets):
        kept.setdefault(topic, {})[partition] = offset
    return kept


def range_of(covered: Offsets, batch: BatchRange) -> BatchRange:
    """Return what a commit of this batch accounts for in a store: from where it had got to."""
    start = {
        topic: {p: covered.get(topic, {}).get(p, offset) for p, offset in partitions.items()}
        for topic, partitions in batch.start.items()
    }
    end = {
        topic: {p: max(offset, covered.get(topic, {}).get(p, 0)) for p, offset in found.items()}
        for topic, found in batch.end.items()
    }
    return BatchRange(start, end)


def carried(before: Ledger | None, span: BatchRange, rewind: Rewind | None) -> BatchRange:
    """Keep in mind how far topics had got that are not read any more: they may come back."""
    if before is None or (rewind and rewind.everything and _begins_anew(before, rewind)):
        return span
    rest = {topic: found for topic, found in before.end.items() if topic not in span.end}
    return BatchRange({**rest, **span.start}, {**rest, **span.end})


def common(
    ledgers: Sequence[Ledger], topics: Mapping[str, TopicFacts], *, of_all: bool
) -> Ledger | None:
    """Return how far every store has got, in the form of a ledger; None if none has begun.

    `of_all` tells that these are the ledgers of all stores there are.
    """
    if not ledgers:
        return None
    newest = max(ledgers, key=lambda one: (one.epoch, sum(o for *_, o in each(one.settled))))
    end: Offsets = {}
    topic_ids = dict(newest.topic_ids)
    for topic, facts in topics.items():
        known = [one for one in ledgers if one.topic_ids.get(topic) == facts.topic_id]
        if known:
            topic_ids[topic] = facts.topic_id
        asked = known or ledgers
        everywhere = of_all and len(asked) == len(ledgers)
        end[topic] = dict(_reached(topic, asked, everywhere=everywhere))
    return newest.model_copy(update={"end": end, "topic_ids": topic_ids})


def _reached(
    topic: str, ledgers: Sequence[Ledger], *, everywhere: bool
) -> Iterable[tuple[int, int]]:
    ends = [one.end.get(topic, {}) for one in ledgers]
    settled = [one.settled.get(topic, {}) for one in ledgers]
    for partition in sorted(set(chain(*ends, *settled))):
        found = [one[partition] for one in settled if partition in one]
        if everywhere and all(partition in one for one in ends):
            found.append(min(one[partition] for one in ends))
        if found:
            yield partition, max(found)


def claimed(covered: Offsets, reached: Ledger | None, position: Offsets) -> BatchRange:
    """Return what a store may count as done at a start: what it has, and all before the position.

    Where the connector goes on elsewhere than it had got to, for a user has moved it or records
    were lost, the store begins anew there.
    """
    start: Offsets = {topic: {} for topic in position}
    end: Offsets = {topic: {} for topic in position}
    for topic, partition, offset in each(position):
        had = covered.get(topic, {}).get(partition)
        goes_on = reached is not None and reached.end.get(topic, {}).get(partition) == offset
        began = had if had is not None and goes_on else offset
        start[topic][partition], end[topic][partition] = began, max(began, offset)
    return BatchRange(start, end)

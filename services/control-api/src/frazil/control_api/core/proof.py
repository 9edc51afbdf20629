"""The proof that a table holds each record once: arithmetic over the ledgers in its snapshots."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from itertools import pairwise

from frazil.contracts.ledger import Ledger, standing
from frazil.contracts.offsets import Offsets, count_between, each


@dataclass(frozen=True, slots=True)
class TableSource:
    """Tables that a connector writes to, each with the branch.

    `properties` are Java's, with secrets in clear; nobody may be told the texts of `secrets`.
    """

    connector: str
    catalog: str
    properties: Mapping[str, str] = field(repr=False)
    tables: Mapping[str, str]
    secrets: tuple[str, ...] = field(default=(), repr=False)


@dataclass(frozen=True, slots=True)
class Entry:
    """One snapshot of a table; `ledger` is that of the connector, None in commits of others."""

    snapshot_id: int
    at: datetime
    ledger: Ledger | None


@dataclass(frozen=True, slots=True)
class TableHistory:
    """The snapshots behind the present state of a table, oldest first.

    `is_whole` tells that none of them has expired yet; `rows` is what the table says it holds.
    """

    table: str
    entries: tuple[Entry, ...]
    is_whole: bool
    rows: int | None


class JumpKind(StrEnum):
    GAP = "gap"  # offsets that no commit accounts for
    OVERLAP = "overlap"  # offsets that two commits account for


@dataclass(frozen=True, slots=True)
class Jump:
    """A commit did not begin where the one before it had ended.

    `wanted` says why it was meant to: a rewind, a topic that was made anew, or another sink's turn.
    """

    kind: JumpKind
    snapshot_id: int
    topic: str
    partition: int
    ended: int
    began: int
    wanted: str | None


@dataclass(frozen=True, slots=True)
class Imbalance:
    """A commit whose rows written are not those consumed less those filtered and dead."""

    snapshot_id: int
    consumed: int
    written: int
    filtered: int
    dead: int


@dataclass(frozen=True, slots=True)
class Sums:
    """`offsets` counts those passed over: markers of transactions are offsets without a record.

    `redriven` are rows of dead letters beside those written, `nulled` rows that lack a value. The
    other figures leave out what was `undone`, commits whose rows a rewind has taken back.
    """

    commits: int = 0
    offsets: int = 0
    consumed: int = 0
    written: int = 0
    filtered: int = 0
    dead: int = 0
    nulled: int = 0
    redriven: int = 0
    undone: int = 0


@dataclass(frozen=True, slots=True)
class LastRewind:
    number: int
    snapshot_id: int
    at: datetime


@dataclass(frozen=True, slots=True)
class Proof:
    """`balanced`: each commit's counts add up. `contiguous`: no jump but those that were wanted."""

    history: TableHistory
    sums: Sums
    imbalances: tuple[Imbalance, ...]
    jumps: tuple[Jump, ...]
    newest: Entry | None
    last_rewind: LastRewind | None

    @property
    def balanced(self) -> bool:
        return not self.imbalances

    @property
    def contiguous(self) -> bool:
        return all(jump.wanted for jump in self.jumps)

    @property
    def proved(self) -> bool:
        """False also where there is nothing to prove anything with."""
        return self.newest is not None and self.balanced and self.contiguous


def prove(history: TableHistory) -> Proof:
    told = [(entry, entry.ledger) for entry in history.entries if entry.ledger is not None]
    ours = standing(told)
    return Proof(
        history,
        sums=_sums([ledger for _, ledger in ours], undone=len(told) - len(ours)),
        imbalances=tuple(_imbalances(ours)),
        jumps=tuple(_jumps(ours)),
        newest=ours[-1][0] if ours else None,
        last_rewind=_last_rewind(ours),
    )


_Ours = Sequence[tuple[Entry, Ledger]]


def _sums(ledgers: Sequence[Ledger], *, undone: int) -> Sums:
    return Sums(
        commits=len(ledgers),
        offsets=sum(map(_passed, ledgers)),
        consumed=sum(ledger.consumed for ledger in ledgers),
        written=sum(ledger.written for ledger in ledgers),
        filtered=sum(ledger.filtered for ledger in ledgers),
        dead=sum(ledger.dead for ledger in ledgers),
        nulled=sum(ledger.nulled for ledger in ledgers),
        redriven=sum(ledger.redriven for ledger in ledgers),
        undone=undone,
    )


def _passed(ledger: Ledger) -> int:
    return count_between(ledger.start, ledger.end)


def _imbalances(ours: _Ours) -> Iterator[Imbalance]:
    for entry, one in ours:
        if one.written != one.consumed - one.filtered - one.dead or one.consumed > _passed(one):
            yield Imbalance(
                entry.snapshot_id,
                consumed=one.consumed,
                written=one.written,
                filtered=one.filtered,
                dead=one.dead,
            )


def _jumps(ours: _Ours) -> Iterator[Jump]:
    """Compare each commit's start with where its partitions had got to before."""
    reached: Offsets = {}
    for (_, before), (entry, after) in pairwise(ours):
        reached = _advanced(reached, before.end)
        for topic, partition, began in each(after.start):
            ended = reached.get(topic, {}).get(partition, began)
            if began != ended:
                yield Jump(
                    JumpKind.GAP if began > ended else JumpKind.OVERLAP,
                    entry.snapshot_id,
                    topic=topic,
                    partition=partition,
                    ended=ended,
                    began=began,
                    wanted=_wish(topic, before, after),
                )


def _advanced(reached: Offsets, end: Offsets) -> Offsets:
    topics = reached.keys() | end.keys()
    return {topic: {**reached.get(topic, {}), **end.get(topic, {})} for topic in topics}


def _wish(topic: str, before: Ledger, after: Ledger) -> str | None:
    if after.rewind > before.rewind:
        return f"rewind {after.rewind}"
    known_id = before.topic_ids.get(topic)
    if known_id is not None and after.topic_ids.get(topic) != known_id:
        return "the topic was made anew"
    if after.fences != before.fences:
        return "Kafka Connect wrote in between"
    return None


def _last_rewind(ours: _Ours) -> LastRewind | None:
    """Find the commit that first carries the newest rewind."""
    number = ours[-1][1].rewind if ours else 0
    entries: Iterable[Entry] = (entry for entry, ledger in ours if ledger.rewind == number)
    first = next(iter(entries), None) if number else None
    return None if first is None else LastRewind(number, first.snapshot_id, first.at)

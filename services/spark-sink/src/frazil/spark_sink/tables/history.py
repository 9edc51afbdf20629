"""The ledgers in a table's history, and the guard that compares them inside a commit.

The snapshot of the newest ledger has a tag, `frazil-<connector>`, that moves with each commit: it
outlives the expiry of snapshots, and shows when a table was rolled back (ADR 21).
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain
from typing import Any, Self

from frazil.contracts.ledger import Ledger
from frazil.spark_sink.core.judge import Claim, Verdict, judge
from frazil.spark_sink.core.undoing import Told
from frazil.spark_sink.tables.lake import LOST_RACE
from frazil.spark_sink.tables.predecessor import NOTHING_COMMITTED, TableHeritage
from frazil.worker.bridge import items


def tag_of(connector: str) -> str:
    return f"frazil-{connector}"


def move_tag(snapshots: Any, refs: Any, tag: str, snapshot_id: int) -> Any:
    """Have an update of a table's snapshots put a tag there, be it new."""
    move = snapshots.replaceTag if tag in refs else snapshots.createTag
    return move(tag, snapshot_id)


@dataclass(frozen=True)
class Line:
    """A branch of a table as one connector sees it; it begins at the end of `base`.

    `tag` is at the newest ledger of the connector there.
    """

    branch: str
    base: str
    tag: str

    @classmethod
    def of(cls, connector: str, branch: str) -> Self:
        return cls(branch, branch, tag_of(connector))

    @property
    def is_side(self) -> bool:
        return self.branch != self.base


def ancestors(table: Any, snapshot: Any) -> Iterator[Any]:
    """Walk back from a snapshot, which comes first, to the oldest that has not expired."""
    while snapshot is not None:
        yield snapshot
        parent = snapshot.parentId()
        snapshot = None if parent is None else table.snapshot(parent)


class History:
    """What one connector finds on one branch of a table; the table is as it was loaded last."""

    def __init__(
        self, table: Any, line: Line, connector: str, heritage: TableHeritage | None = None
    ) -> None:
        self._table = table
        self._line = line
        self._connector = connector
        self._heritage = heritage

    def newest(self) -> Ledger | None:
        return self.newest_among(self._ancestors())

    def newest_among(self, snapshots: Iterator[Any]) -> Ledger | None:
        """Walk back from the head: a compaction or another writer leaves no ledger of ours.

        If the walk ends at a snapshot that has expired, the tag knows what was before it.
        """
        oldest = None
        for snapshot in snapshots:
            ledger = self._ledger_of(snapshot) or self._inherited(snapshot)
            if ledger is not None:
                return ledger
            oldest = snapshot
        is_cut = oldest is not None and oldest.parentId() is not None
        known = self.tagged() if is_cut else None
        return known or self._heir(None if is_cut else NOTHING_COMMITTED)

    def _inherited(self, snapshot: Any) -> Ledger | None:
        """Return what a commit of the sink before us comes to."""
        told = None if self._heritage is None else snapshot.summary().get(self._heritage.key)
        return None if told is None else self._heir(told)

    def _heir(self, told: str | None) -> Ledger | None:
        if self._heritage is None:
            return None
        ledger, ours = self._heritage.ledger(told), self.tagged()
        if ours is None:
            return ledger
        # We were here even before: what users wanted then was done, and is not to be done again.
        return ledger.model_copy(update={"rewind": ours.rewind, "redrive": ours.redrive})

    def knows(self, ledger: Ledger) -> bool:
        """Tell whether the table still stands on this ledger."""
        return any(one == ledger for one in chain([self.newest()], self.ledgers()))

    def tagged(self) -> Ledger | None:
        """Return the newest ledger that was ever committed, be it taken back since."""
        tip = self.tip()
        return None if tip is None else tip[1]

    def tip(self) -> tuple[int, Ledger] | None:
        """Return the same, and before it the id of its snapshot."""
        # No question to the catalog: the guard asks this inside a commit.
        metadata = self._table.operations().current()
        is_there = metadata.ref(self._line.branch) is not None
        ref = metadata.ref(self._line.tag if is_there else tag_of(self._connector))
        snapshot = None if ref is None else metadata.snapshot(ref.snapshotId())
        if snapshot is None:
            return None
        ledger = self._ledger_of(snapshot)
        return None if ledger is None else (int(snapshot.snapshotId()), ledger)

    def ledgers(self) -> Iterator[Ledger]:
        for _, ledger in self._commits():
            yield ledger

    def told(self) -> Told:
        """Return all commits that have not expired.

        If there is none, only its end is told of what was before: which files that left is not.
        """
        *_, oldest = [None, *self._ancestors()]
        commits = list(self._commits())[::-1]
        before = None if commits else self.newest()
        if before is not None:
            return Told([(0, before.model_copy(update={"start": before.end}))], is_whole=False)
        return Told(commits, is_whole=oldest is None or oldest.parentId() is None)

    def _commits(self) -> Iterator[tuple[int, Ledger]]:
        for snapshot in self._ancestors():
            ledger = self._ledger_of(snapshot)
            if ledger is not None:
                yield int(snapshot.snapshotId()), ledger

    def since(self, snapshot_id: int) -> Iterator[Any]:
        """Walk back from the head to this snapshot, which comes last."""
        for snapshot in self._ancestors():
            yield snapshot
            if int(snapshot.snapshotId()) == snapshot_id:
                return

    def _ancestors(self) -> Iterator[Any]:
        head = self._table.snapshot(self._line.branch)
        return ancestors(self._table, head or beginning(self._table, self._line))

    def _ledger_of(self, snapshot: Any) -> Ledger | None:
        text = snapshot.summary().get(Ledger.key(self._connector))
        return None if text is None else Ledger.model_validate_json(text)


def beginning(table: Any, line: Line) -> Any:
    """Return the snapshot at which a branch that is not there yet will begin; None: at nothing."""
    return table.snapshot(line.base) or table.currentSnapshot()


class LedgerGuard:
    """Iceberg asks it inside every attempt of a commit: with this history, may it happen?

    `parent` is the snapshot that it has to be on top of, where that matters.
    """

    class Java:
        implements = ("org.apache.iceberg.SnapshotAncestryValidator",)

    def __init__(self, claim: Claim, history: History) -> None:
        self._claim = claim
        self._history = history
        self.verdict = Verdict.APPEND
        self.parent: int | None = None

    def validate(self, ancestors: Any) -> bool:
        self.verdict = judge(self._history.newest_among(items(ancestors)), self._claim)
        return self.verdict is Verdict.APPEND and self._is_on_top(ancestors)

    def _is_on_top(self, ancestors: Any) -> bool:
        newest = next(items(ancestors), None)
        found = None if newest is None else int(newest.snapshotId())
        return self.parent in (None, found)

    def errorMessage(self) -> str:  # noqa: N802 (the interface's name)
        return LOST_RACE if self.verdict is Verdict.APPEND else self.verdict.name

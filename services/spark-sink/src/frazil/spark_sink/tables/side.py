"""Side branches of a table: begun for a rewind, published or dropped at a user's word (ADR 34).

Each has a tag of its own, by which whatever is left of one is known again.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from frazil.contracts.naming import side_of, side_tag
from frazil.contracts.offsets import Ending, Rewind
from frazil.runtime.logs import get_logger
from frazil.spark_sink.catalog import catalog_error, is_silent
from frazil.spark_sink.tables.history import History, Line, ancestors, move_tag, tag_of
from frazil.spark_sink.tables.lake import LOST_RACE, Lake
from frazil.worker.errors import RewindError, UnavailableError
from frazil.worker.jvm_errors import JAVA_ERRORS, java_message

log = get_logger(__name__)

_ATTEMPTS = 20


@dataclass(frozen=True)
class Sides:
    """Those of one connector in one table, whose rows go to the branch `base` otherwise."""

    lake: Lake
    table: Any
    name: str
    connector: str
    base: str
    rewind: Rewind | None

    def line(self) -> Line:
        """Choose what the connector goes on in; RewindError if it cannot."""
        rewind, home = self.rewind, Line.of(self.connector, self.base)
        if rewind is None or rewind.branch is None or rewind.ending is Ending.DROP:
            return home
        side = Line(rewind.branch, self.base, side_tag(self.connector, rewind.branch))
        is_there = self._head(side.branch) is not None
        is_ours = is_there and self._is_of(rewind, side)
        if rewind.ending is Ending.PUBLISH:
            if not is_ours:
                return home
            self._require_publishable(side)
        elif is_there and not is_ours:
            raise RewindError(
                f"Table {self.name} has a branch {side.branch} already. Drop that there and "
                "restart, or drop this rewind's branch and rewind with another name."
            )
        return side

    def _is_of(self, rewind: Rewind, side: Line) -> bool:
        newest = self._history(side).newest()
        return newest is not None and newest.rewind == rewind.number

    def _history(self, line: Line) -> History:
        return History(self.table, line, self.connector)

    def _head(self, branch: str) -> Any:
        return self.table.snapshot(branch)

    def _require_publishable(self, side: Line) -> None:
        """Refuse to leave out what others have committed beside a side branch."""
        head = self._head(side.base)
        if head is None:
            return
        below = {int(one.snapshotId()) for one in ancestors(self.table, head)}
        branch = ancestors(self.table, self._head(side.branch))
        began = next((n for one in branch if (n := int(one.snapshotId())) in below), None)
        if began != int(head.snapshotId()):
            raise RewindError(
                f"Others have committed to branch {side.base} of table {self.name} since "
                f"{side.branch} began there at snapshot {began}, and would be left out. Roll "
                f"{side.base} back to that snapshot and restart, or drop {side.branch} and rewind "
                "once more."
            )

    def end(self, line: Line, epoch: int) -> Line:
        """Publish and drop what is to be, and return what the connector goes on in.

        Whatever was done before is not done again: this is asked at every start. What newer drivers
        than this one have begun stays.
        """
        for _ in range(_ATTEMPTS):
            try:
                return self._end(line, epoch)
            except JAVA_ERRORS as error:
                message = java_message(error)
            self.lake.refresh(self.table, self.name)
            line = self.line()
            if LOST_RACE not in message and not is_silent(message):
                raise catalog_error(message, self.name)
        raise UnavailableError(f"Others were faster with {_ATTEMPTS} commits to {self.name}.")

    def _end(self, line: Line, epoch: int) -> Line:
        snapshots, publishes = self.table.manageSnapshots(), self._publishes(line)
        if publishes:
            self._publish(snapshots, line)
        after = Line.of(self.connector, self.base) if publishes else line
        left = list(self._left(after, epoch))
        for tag, branch in left:
            snapshots.removeTag(tag)
            if self._head(branch) is not None:
                snapshots.removeBranch(branch)
        if left:
            snapshots.commit()
            log.info("branches_ended", table=self.name, branches=[branch for _, branch in left],
                     published=line.branch if publishes else None)  # fmt: skip
        return after

    def _publishes(self, line: Line) -> bool:
        is_wanted = self.rewind is not None and self.rewind.ending is Ending.PUBLISH
        return is_wanted and line.branch != self.base

    def _publish(self, snapshots: Any, side: Line) -> None:
        snapshots.fastForwardBranch(self.base, side.branch)
        refs = self.table.refs()
        move_tag(snapshots, refs, tag_of(self.connector), refs[side.tag].snapshotId())

    def _left(self, line: Line, epoch: int) -> Iterator[tuple[str, str]]:
        """Name the tags and branches of ours that no rewind is about any more."""
        if self.rewind is None:
            # Nobody remembers what it was for, so nobody has said that it can go.
            return
        for tag in list(self.table.refs()):
            branch = side_of(str(tag), self.connector)
            if branch is None or branch == line.branch:
                continue
            ledger = self._history(Line(branch, self.base, str(tag))).tagged()
            if ledger is None or ledger.epoch <= epoch:
                yield str(tag), branch

"""One Iceberg table as one connector sees it: a ledger in its history, and the guarded commit."""

from collections.abc import Sequence
from typing import Any
from uuid import UUID

from frazil.contracts.ledger import Ledger
from frazil.runtime.logs import get_logger
from frazil.spark_sink.catalog import catalog_error, is_silent
from frazil.spark_sink.core.events import Published
from frazil.spark_sink.core.judge import Claim, Verdict, judge
from frazil.spark_sink.tables.history import History, LedgerGuard, Line, beginning, move_tag
from frazil.spark_sink.tables.lake import LOST_RACE, Lake
from frazil.spark_sink.tables.predecessor import TableHeritage
from frazil.worker.errors import UnavailableError
from frazil.worker.jvm_errors import JAVA_ERRORS, java_message

log = get_logger(__name__)

_ATTEMPTS = 3
_RACES = 20
_MOST_SNAPSHOTS, _LONGEST_MS = 2**31 - 1, 2**63 - 1


def transaction_on(table: Any, line: Line) -> Any:
    """Begin a transaction in which the branch is there, if there is anything for it to begin at."""
    transaction, begin = table.newTransaction(), beginning(table, line)
    if begin is not None and table.snapshot(line.branch) is None:
        snapshots = transaction.manageSnapshots()
        snapshots.createBranch(line.branch, begin.snapshotId())
        if line.is_side:
            # If one in between expired, nobody could tell whether it still follows its base.
            snapshots.setMinSnapshotsToKeep(line.branch, _MOST_SNAPSHOTS)
            snapshots.setMaxRefAgeMs(line.branch, _LONGEST_MS)
        snapshots.commit()
    return transaction


class GuardedTable:
    """A store but for its writing. `ledger_name` tells its ledgers from those of others.

    The table may be none at first: there is no ledger in it then, and nothing to commit.
    """

    def __init__(
        self,
        lake: Lake,
        table: str,
        *,
        ledger_name: str,
        control_topic: str,
        heritage: TableHeritage | None = None,
    ) -> None:
        self.name = f"table {table}"
        self._lake = lake
        self._id = table
        self._ledger_name = ledger_name
        self._control_topic = control_topic
        self._heritage = heritage
        self._table: Any = None

    def _take(self, table: Any, line: Line) -> None:
        self._table = table
        self._line = line
        self._history = History(table, line, self._ledger_name, self._heritage)

    @property
    def is_there(self) -> bool:
        return self._table is not None

    def ledger(self) -> Ledger | None:
        """Read the newest ledger of this connector in the table as it is now."""
        if self._table is None:
            return None
        self._lake.refresh(self._table, self._id)
        return self._history.newest()

    def lost(self) -> Ledger | None:
        """Return the ledger that the tag still knows, if the table's history knows it no more."""
        if self._table is None:
            return None
        tagged = self._history.tagged()
        return None if tagged is None or self._history.knows(tagged) else tagged

    def published(self) -> Published | None:
        """Return the newest commit of this connector, if it accounts for records.

        One in a side branch is not told: others would look for its rows where they are not yet.
        """
        tip = None if self._table is None or self._line.is_side else self._history.tip()
        if tip is None or not tip[1].consumed:
            return None
        snapshot_id, ledger = tip
        *namespace, name = self._id.split(".")
        return Published(
            catalog=self._lake.name,
            namespace=tuple(namespace),
            name=name,
            table_uuid=UUID(str(self._table.uuid())),
            snapshot_id=snapshot_id,
            commit_id=UUID(ledger.commit_id),
            valid_through=ledger.valid_through,
        )

    def end_sides(self, _epoch: int) -> None:
        """Have none to end: only tables of records have side branches."""

    def delete_files(self, files: list[Any]) -> None:
        for file in files:
            self._table.io().deleteFile(file.location())

    def append(self, files: list[Any], ledger: Ledger, claim: Claim) -> Verdict:
        """Commit files, ledger and tag as one, if the table's history allows it.

        What got no answer is tried again, and so is what others were faster than; the guard knows
        if it has happened all the same.
        """
        unanswered = 0
        for _ in range(_RACES):
            guard = LedgerGuard(claim, self._history)
            try:
                self._commit(files, ledger, guard)
            except JAVA_ERRORS as error:
                message = java_message(error)
            else:
                return Verdict.APPEND
            verdict = self._after_failure(message, guard, claim)
            if verdict is not None:
                return verdict
            unanswered += is_silent(message)
            if unanswered == _ATTEMPTS:
                raise UnavailableError(f"The catalog did not answer {_ATTEMPTS} commits in a row.")
            log.warning("commit_tried_again", table=self._id, why=message.partition("\n")[0])
        raise UnavailableError(f"Others were faster with {_RACES} commits to {self._id} in a row.")

    def _commit(self, files: list[Any], ledger: Ledger, guard: LedgerGuard) -> None:
        transaction, update = self._begin(files, guard)
        update.toBranch(self._line.branch)
        for key, value in ledger.to_summary(control_topic=self._control_topic).items():
            update.set(key, value)
        update.validateWith(guard)
        update.commit()
        staged, tag = transaction.table(), self._line.tag
        newest = staged.snapshot(self._line.branch).snapshotId()
        move_tag(transaction.manageSnapshots(), staged.refs(), tag, newest).commit()
        transaction.commitTransaction()

    def _begin(self, files: Sequence[Any], _guard: LedgerGuard) -> tuple[Any, Any]:
        """Begin a transaction, and in it the update that the ledger goes with."""
        transaction = transaction_on(self._table, self._line)
        append = transaction.newAppend()
        for file in files:
            append.appendFile(file)
        return transaction, append

    def _after_failure(self, message: str, guard: LedgerGuard, claim: Claim) -> Verdict | None:
        """Find out what became of a commit; None: nothing yet, and it may be tried again."""
        self._lake.refresh(self._table, self._id)
        if self._is_done(claim):
            return Verdict.ALREADY_DONE
        if guard.verdict is not Verdict.APPEND:
            return guard.verdict
        if is_silent(message) or LOST_RACE in message:
            return None
        raise catalog_error(message, self._id) from None

    def _is_done(self, claim: Claim) -> bool:
        """Look below the newest ledger too: a rival may have committed on top of this batch."""
        for ledger in self._history.ledgers():
            if judge(ledger, claim) is Verdict.ALREADY_DONE:
                return True
            if ledger == claim.after:
                return False
        return False

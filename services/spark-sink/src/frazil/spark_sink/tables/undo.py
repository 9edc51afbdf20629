"""Rows of commits taken out of their table again, by whole files that have no others (ADR 30)."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pyspark.sql import SparkSession
from pyspark.sql import functions as fn

from frazil.contracts.offsets import Offsets
from frazil.spark_sink.core.position import TopicFacts
from frazil.spark_sink.core.undoing import Rewrite, Undoing, holding, undoing, unknown
from frazil.spark_sink.tables.changes import quoted
from frazil.spark_sink.tables.guarded import GuardedTable, transaction_on
from frazil.spark_sink.tables.history import History, LedgerGuard, Line
from frazil.spark_sink.tables.lake import Lake
from frazil.spark_sink.tables.predecessor import TableHeritage
from frazil.worker.bridge import jvm


@dataclass(frozen=True)
class Remover:
    """`path` leads to the table in Spark's SQL, from the catalog on; `store` is for sentences."""

    spark: SparkSession
    store: str
    path: tuple[str, ...]
    table: Any
    line: Line
    history: History

    def plan(self, undoing: Undoing) -> frozenset[int]:
        """Return the sequence numbers of snapshots whose files go; RewindError if none can tell."""
        undone = dict(undoing.commits)
        first = undoing.commits[0][0]
        snapshots = list(self.history.since(first))[::-1]
        ours = [one for one in snapshots if int(one.snapshotId()) in undone]
        for one in ours:
            rows = int(one.summary().get("added-records") or 0)
            if not one.sequenceNumber() or rows != undone[int(one.snapshotId())].written:
                raise unknown(self.store)
        numbers = frozenset(int(one.sequenceNumber()) for one in ours)
        return holding(self.store, numbers, self._rewrites(snapshots))

    def _rewrites(self, snapshots: list[Any]) -> Iterator[Rewrite]:
        io = self.table.io()
        for one in snapshots:
            operation = str(one.operation())
            if operation not in ("replace", "overwrite"):
                continue
            took = (file.fileSequenceNumber() for file in list(one.removedDataFiles(io)))
            yield Rewrite(
                number=int(one.sequenceNumber()),
                took=frozenset(int(number or 0) for number in took),
                changes=operation == "overwrite",
                marks="added-delete-files" in one.summary(),
            )

    def begin(self, undoing: Undoing) -> tuple[Any, Any]:
        """Begin a transaction, and in it the update that takes the files away."""
        # It stands on the table as it is now; others may have put files together since the plan.
        transaction = transaction_on(self.table, self.line)
        paths = self._files(transaction, self.plan(undoing))
        if not paths:
            return transaction, transaction.newAppend()
        update = transaction.newDelete().validateFilesExist()
        text = jvm(self.spark).java.lang.StringBuilder
        for path in paths:
            # Given a String, Py4J finds a method of the same name inside, which deletes the file.
            update.deleteFile(text(path))
        return transaction, update

    def _files(self, transaction: Any, numbers: frozenset[int]) -> list[str]:
        head = int(transaction.table().snapshot(self.line.branch).snapshotId())
        entries = self.spark.read.option("versionAsOf", head).table(quoted(*self.path, "entries"))
        live = entries.where("status < 2 AND data_file.content = 0")
        found = live.where(fn.col("file_sequence_number").isin(list(numbers)))
        return [row[0] for row in found.select("data_file.file_path").collect()]


class UndoableTable(GuardedTable):
    """A table whose commits can be taken back: what is undone goes with files, like those."""

    def __init__(
        self,
        spark: SparkSession,
        lake: Lake,
        table: str,
        *,
        ledger_name: str,
        control_topic: str,
        heritage: TableHeritage | None,
    ) -> None:
        super().__init__(
            lake, table, ledger_name=ledger_name, control_topic=control_topic, heritage=heritage
        )
        self._spark = spark

    def undoing(self, wanted: Offsets, topics: Mapping[str, TopicFacts]) -> Undoing | None:
        """Choose what a rewind has to take back; RewindError before anything is touched."""
        if self._table is None:
            return None
        found = undoing(self.name, self._history.told(), wanted, topics)
        if found is not None:
            self._remover.plan(found)
        return found

    def delete_files(self, files: list[Any]) -> None:
        super().delete_files([file for file in files if not isinstance(file, Undoing)])

    def _begin(self, files: Sequence[Any], guard: LedgerGuard) -> tuple[Any, Any]:
        undoings = [file for file in files if isinstance(file, Undoing)]
        return self._remover.begin(undoings[0]) if undoings else super()._begin(files, guard)

    @property
    def _remover(self) -> Remover:
        path = (self._lake.name, *self._id.split("."))
        return Remover(
            self._spark,
            self.name,
            path=path,
            table=self._table,
            line=self._line,
            history=self._history,
        )

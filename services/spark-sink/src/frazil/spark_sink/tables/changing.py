"""A table whose rows records change, each by its key: the newest state of each key is its row."""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from pyspark.sql import DataFrame
from pyspark.sql.types import DataType, StructType

from frazil.contracts.columns import Path
from frazil.contracts.ledger import Ledger
from frazil.contracts.offsets import Offsets
from frazil.spark_sink.core.judge import Claim, Verdict
from frazil.spark_sink.records.changes import ChangeRules
from frazil.spark_sink.store import Written
from frazil.spark_sink.tables.changes import (
    merge_statement,
    newest_of,
    rows_alone,
    type_at,
)
from frazil.spark_sink.tables.deleted import Deleted
from frazil.spark_sink.tables.files import write_files
from frazil.spark_sink.tables.guarded import transaction_on
from frazil.spark_sink.tables.history import LedgerGuard
from frazil.spark_sink.tables.merge import Merge
from frazil.spark_sink.tables.part import Part
from frazil.spark_sink.tables.table import TableStore
from frazil.spark_sink.tasks.changes import CHANGE_COLUMN
from frazil.spark_sink.tasks.files.plan import FilesPlan
from frazil.spark_sink.tasks.plan import TablePlan
from frazil.spark_sink.tasks.scratch import scratch_schema
from frazil.worker.errors import BadTableError

_ANY_SCHEMA = "write.spark.accept-any-schema"


class Merged:
    """The changes of a batch and a transaction that has them; another one if it came too late."""

    def __init__(self, store: "ChangingTable", changes: DataFrame) -> None:
        self._make = partial(store.merge, changes)
        self._changes = changes
        self._merge: Merge | None = self._make()

    def take(self) -> Merge:
        merge = self._merge or self._make()
        self._merge = None
        return merge

    def discard(self) -> None:
        if self._merge is not None:
            self._merge.delete_files()
        self.forget()

    def forget(self) -> None:
        self._changes.unpersist()


class ChangingTable(TableStore):
    """Tasks put its changes into files, and MERGE takes them to the rows that are there."""

    _changes: ChangeRules

    @property
    def _shape(self) -> StructType:
        """Return the table's schema as Spark has it."""
        return self._lake.schema_of(self._table)

    def _adopt(self, table: Any) -> None:
        super()._adopt(table)
        if table.properties().get(_ANY_SCHEMA) == "true":
            raise BadTableError(
                f"{self._id} has the property {_ANY_SCHEMA}, with which Spark cannot merge "
                "changes. Remove it: the columns of a table follow its records without it."
            )
        keys = self._key_columns()
        missing = [key for key in keys if key not in self._shape.names]
        if missing or not keys:
            lacks = f"no column {', '.join(missing)}" if missing else "no identifier fields"
            raise BadTableError(
                f"Rows of {self._id} cannot be told apart: it has {lacks}. Name the columns of its "
                f"key in iceberg.table.{self._id}.id-columns."
            )
        self._changes = replace(self._keys.change_rules, keys=keys)
        self._deleted = self._remembering() if self._changes.sequence else None

    def _key_columns(self) -> tuple[str, ...]:
        return self._keys.id_columns(self._id) or self._lake.key_of(self._table)

    def _deciding(self) -> Sequence[Path]:
        return [*((key,) for key in self._key_columns()), self._keys.change_rules.sequence]

    def _remembering(self) -> Deleted | None:
        path = self._changes.sequence
        kind = type_at(self._shape, path)
        if kind is None:
            raise BadTableError(
                f"{self._id} has no column {'.'.join(path)} to order changes by. Add it, or "
                "correct frazil.tables.sequence-field."
            )
        kinds = [self._shape[key].dataType for key in self._changes.keys]
        return self._memory(kinds, kind)

    def _memory(self, kinds: Sequence[DataType], kind: DataType) -> Deleted | None:
        return Deleted(self._spark, self._lake, self._id, rules=self._changes, kinds=[*kinds, kind])

    def plan(self, written: Offsets) -> TablePlan:
        plan = super().plan(written)
        if self._table is None:
            return replace(plan, changes=self._keys.change_rules)
        conversion = self._keys.conversion(self._id, self._deciding())
        return replace(plan, changes=self._changes, conversion=conversion)

    def _files(self) -> FilesPlan | None:
        if self._table is None:
            return None
        return self._scratch(scratch_schema(self._schema, CHANGE_COLUMN))

    def _written(self, part: Part) -> Written:
        changes = self._rows(part, CHANGE_COLUMN) if part.plan.files else None
        if changes is None:
            return super()._written(part)
        return Written(self._stage(changes), part.counts(), part.letters)

    def _stage(self, made: DataFrame) -> list[Any]:
        """Make the files, or what a commit makes them of, of the changes of a batch."""
        # What is observed must be counted once, and MERGE reads its source more than once.
        changes = newest_of(made, self._shape, self._changes).persist()
        files: list[Any] = []
        try:
            if changes.count():
                files = self._files_of(changes)
        finally:
            if not _merged(files):
                changes.unpersist()
        return files

    def _files_of(self, changes: DataFrame) -> list[Any]:
        if self._deleted is not None:
            self._deleted.remember(changes)
        if self._table.currentSnapshot() is not None or self._table.snapshot(self._line.branch):
            return [Merged(self, changes)]
        rows = rows_alone(self._in_time(changes), self._shape.names)
        return write_files(self._spark, self._table, rows, self._keys.written_with)

    def merge(self, changes: DataFrame) -> Merge:
        transaction = transaction_on(self._table, self._line)
        made = Merge(self._spark, transaction, self._line.branch)
        made.run(merge_statement(self._shape, self._changes), self._in_time(changes))
        return made

    def _in_time(self, changes: DataFrame) -> DataFrame:
        return changes if self._deleted is None else self._deleted.without_late(changes)

    def append(self, files: list[Any], ledger: Ledger, claim: Claim) -> Verdict:
        try:
            return super().append(files, ledger, claim)
        finally:
            for one in _merged(files):
                one.forget()

    def delete_files(self, files: list[Any]) -> None:
        merged = _merged(files)
        for one in merged:
            one.discard()
        super().delete_files([file for file in files if file not in merged])

    def _begin(self, files: Sequence[Any], guard: LedgerGuard) -> tuple[Any, Any]:
        merged = _merged(files)
        if not merged:
            return super()._begin(files, guard)
        merge = merged[0].take()
        guard.parent = merge.head
        return merge.transaction, merge.transaction.newAppend()


def _merged(files: Sequence[Any]) -> list[Merged]:
    return [file for file in files if isinstance(file, Merged)]

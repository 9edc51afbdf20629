"""The Iceberg table, through Iceberg's own Java API: files first, then one guarded commit.

Spark writes the data files without committing them: its writer for rewritten files hands them to
`FileRewriteCoordinator`, and we take them from there. So the ledger can hold what was counted
while writing, and a batch costs one commit (ADR 4).
"""

import uuid
from collections.abc import Iterator
from typing import Any

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.types import StructType

from frazil.contracts.ledger import Ledger
from frazil.spark_sink.core.judge import Claim, Verdict, judge
from frazil.worker.bridge import java_session, jvm
from frazil.worker.errors import BadTableError, UnavailableError
from frazil.worker.jvm_errors import JAVA_ERRORS, java_message

FILES_CATALOG = "frazil_files"


class LedgerGuard:
    """Iceberg asks it inside every attempt of a commit: with this history, may it happen?"""

    class Java:
        implements = ("org.apache.iceberg.SnapshotAncestryValidator",)

    def __init__(self, claim: Claim, connector: str) -> None:
        self._claim = claim
        self._connector = connector
        self.verdict = Verdict.APPEND

    def validate(self, ancestors: Any) -> bool:
        self.verdict = judge(newest_ledger(_each(ancestors), self._connector), self._claim)
        return self.verdict is Verdict.APPEND

    def errorMessage(self) -> str:  # noqa: N802 (the interface's name)
        return self.verdict.name


class SinkTable:
    """One table as one connector sees it."""

    def __init__(self, spark: SparkSession, *, catalog: str, name: str, connector: str) -> None:
        self._spark = spark
        self._connector = connector
        self._iceberg = jvm(spark).org.apache.iceberg
        self._identifier = f"{catalog}.{name}"
        self._table = self._load(name)

    def _load(self, name: str) -> Any:
        loader = self._iceberg.spark.Spark3Util.loadIcebergTable
        try:
            return loader(java_session(self._spark), self._identifier)
        except JAVA_ERRORS as error:
            raise table_error(name, java_message(error)) from None

    @property
    def schema(self) -> StructType:
        return self._spark.table(self._identifier).schema

    def ledger(self) -> Ledger | None:
        """Read the newest ledger of this connector in the table as it is now."""
        self._table.refresh()
        return newest_ledger(self._history(), self._connector)

    def write_files(self, rows: DataFrame) -> list[Any]:
        """Write data files that no snapshot knows yet."""
        group = f"frazil-{uuid.uuid4().hex}"
        cache = self._iceberg.spark.SparkTableCache.get()
        coordinator = self._iceberg.spark.FileRewriteCoordinator.get()
        cache.add(group, self._table)
        try:
            # Rows without a value in a required column were set aside before.
            rows.writeTo(f"{FILES_CATALOG}.`{group}`").option("check-nullability", "false").append()
            return list(coordinator.fetchNewFiles(self._table, group))
        finally:
            coordinator.clearRewrite(self._table, group)
            cache.remove(group)

    def delete_files(self, files: list[Any]) -> None:
        for file in files:
            self._table.io().deleteFile(file.location())

    def append(self, files: list[Any], ledger: Ledger, claim: Claim, control_topic: str) -> Verdict:
        """Commit files and ledger as one snapshot, if the table's history allows it.

        ALREADY_DONE and APPEND both mean that the batch is in the table exactly once.
        """
        guard = LedgerGuard(claim, self._connector)
        append = self._table.newAppend()
        for file in files:
            append.appendFile(file)
        summary = ledger.to_summary(control_topic=control_topic, commit_id=str(uuid.uuid4()))
        for key, value in summary.items():
            append.set(key, value)
        append.validateWith(guard)
        try:
            append.commit()
        except JAVA_ERRORS as error:
            return self._after_failure(error, guard, claim)
        return Verdict.APPEND

    def _after_failure(self, error: Exception, guard: LedgerGuard, claim: Claim) -> Verdict:
        if guard.verdict is not Verdict.APPEND:
            return guard.verdict
        # The commit may have happened all the same; only the table knows.
        if judge(self.ledger(), claim) is Verdict.ALREADY_DONE:
            return Verdict.ALREADY_DONE
        raise UnavailableError(
            f"The commit to {self._identifier} failed.", java_message(error)
        ) from None

    def _history(self) -> Iterator[Any]:
        snapshot = self._table.currentSnapshot()
        while snapshot is not None:
            yield snapshot
            parent = snapshot.parentId()
            snapshot = None if parent is None else self._table.snapshot(parent)


def newest_ledger(snapshots: Iterator[Any], connector: str) -> Ledger | None:
    """Walk back from the head: a compaction or another writer leaves no ledger of ours."""
    for snapshot in snapshots:
        text = snapshot.summary().get(Ledger.key(connector))
        if text is not None:
            return Ledger.model_validate_json(text)
    return None


def table_error(name: str, message: str) -> BadTableError | UnavailableError:
    if "TABLE_OR_VIEW_NOT_FOUND" in message or "NoSuch" in message:
        return BadTableError(
            f"Table {name} does not exist in the catalog. Create it, or correct `iceberg.tables`.",
            message,
        )
    return UnavailableError(
        f"The catalog could not be asked for table {name}. Check the `iceberg.catalog.*` keys and "
        "that the catalog is up.",
        message,
    )


def _each(java_iterable: Any) -> Iterator[Any]:
    iterator = java_iterable.iterator()
    while iterator.hasNext():
        yield iterator.next()

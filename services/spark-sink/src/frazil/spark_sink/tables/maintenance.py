"""One table looked after: what it is like now, and Iceberg's own actions to better it (ADR 26).

It has a table object of its own, for it works on a thread beside the stream.
"""

import time
from bisect import bisect_left
from contextlib import AbstractContextManager, nullcontext
from datetime import UTC, datetime, timedelta
from statistics import median_low
from typing import Any

from pyspark.sql import SparkSession
from pyspark.sql import functions as fn

from frazil.contracts.plugins.iceberg_tables import MAIN
from frazil.contracts.worker_status import MaintenanceStatus
from frazil.runtime.logs import get_logger
from frazil.spark_sink.core.maintenance import (
    DELETED_SHARE,
    FAN_IN,
    Compaction,
    DataFile,
    Objectives,
    compaction,
    has_enough_to_expire,
    has_too_many_manifests,
)
from frazil.spark_sink.tables.changes import quoted
from frazil.spark_sink.tables.lake import Lake
from frazil.worker.bridge import java_session, jvm
from frazil.worker.errors import BadTableError

log = get_logger(__name__)

# A partition rests when no record has come to it for so long; it is also how often a table is
# read to see that.
_REST = timedelta(minutes=10)
_LOOK_AGAIN = 60
_LOOK_FOR_ORPHANS = timedelta(days=1)
_FIRST_LOOK_FOR_ORPHANS = timedelta(hours=1)
# The driver has a list of them while it decides.
_MOST_FILES = 100_000
# Of one step, so that a step is soon over: the budget cannot interrupt one.
_FILES_OF_A_STEP = 100
_STEP = "frazil.maintenance"


class TableMaintenance:
    """`stream` is held by whoever writes: what the stream would be in the way of has to hold it."""

    def __init__(
        self,
        spark: SparkSession,
        lake: Lake,
        table: str,
        *,
        branch: str,
        changes: bool,
        objectives: Objectives,
        stream: AbstractContextManager[object],
    ) -> None:
        """`changes` tells that the stream changes rows, in the very files to be put together."""
        self.status = MaintenanceStatus()
        self._spark = spark
        self._lake = lake
        self._id = table
        self._branch = branch
        self._objectives = objectives
        self._stream = stream
        self._rows = stream if changes else nullcontext()
        self._table: Any = None
        self._seen: tuple[int, float] | None = None
        self._read: tuple[float, int, int] | None = None
        self._kept_snapshots = 0
        self._orphans_due = datetime.now(UTC) + _FIRST_LOOK_FOR_ORPHANS

    def turn(self) -> bool:
        """Do what the table needs most, if it needs anything."""
        if self._table is None:
            self._table = self._lake.load(self._id)
        else:
            self._lake.refresh(self._table, self._id)
        if self._table is None or self._head() is None or self._is_as_it_was():
            return False
        did = self._expire() or self._tidy_manifests() or self._compact() or self._clean()
        if did:
            self._seen = None
        return did

    def _head(self) -> Any:
        return self._table.snapshot(self._branch)

    def _snapshots(self) -> Any:
        return self._table.operations().current().snapshots()

    def _is_as_it_was(self) -> bool:
        """Tell whether there is nothing to see, and it is not so long that time has a say."""
        head, now = int(self._head().snapshotId()), time.monotonic()
        if self._seen is not None and self._seen[0] == head and now - self._seen[1] < _LOOK_AGAIN:
            return True
        self._seen = (head, now)
        return False

    def _expire(self) -> bool:
        snapshots = self._snapshots()
        count = snapshots.size()
        self._tell(snapshots=count)
        before = self._oldest_kept_ms(snapshots)
        expirable = _older(snapshots, before)
        if not has_enough_to_expire(expirable - self._kept_snapshots, count):
            return False
        expire = self._table.expireSnapshots().expireOlderThan(before)
        expire.cleanExpiredMetadata(True).commit()
        left = self._snapshots()
        # What tags and branches hold stays, and must not be tried again in every turn.
        self._kept_snapshots = _older(left, before)
        expired = count - left.size()
        self._tell(snapshots=left.size(), expired_snapshots=self.status.expired_snapshots + expired)
        self._log("expire", snapshots=expired)
        return True

    def _oldest_kept_ms(self, snapshots: Any) -> int:
        history, most = self._objectives.history, self._objectives.snapshots
        oldest = 0
        if history is not None:
            oldest = int((datetime.now(UTC) - history).timestamp() * 1000)
        if most is not None and snapshots.size() > most:
            oldest = max(oldest, int(snapshots.get(snapshots.size() - most).timestampMillis()))
        return oldest

    def _tidy_manifests(self) -> bool:
        manifests = self._head().allManifests(self._table.io())
        self._tell(manifests=manifests.size())
        is_due = has_too_many_manifests([int(one.length()) for one in manifests])
        # Iceberg's action knows the main branch only.
        if self._branch != MAIN or not is_due:
            return False
        with self._stream:
            self._lake.refresh(self._table, self._id)
            action = self._actions().rewriteManifests(self._table)
            action.snapshotProperty(_STEP, "manifests")
            action.execute()
        self._log("manifests", before=manifests.size())
        return True

    def _compact(self) -> bool:
        summary = self._head().summary()
        files, deletes = (_number(summary, f"total-{kind}-files") for kind in ("data", "delete"))
        if not self._is_worth_reading(files, deletes):
            return False
        self._read = (time.monotonic(), files, deletes)
        found = self._files(files)
        sizes = [one.size for one in found]
        self._tell(files=len(found), median_file_bytes=median_low(sizes) if sizes else None)
        deleted, rows = (_number(summary, f"total-{of}") for of in ("position-deletes", "records"))
        step = compaction(found, deleted / max(1, rows), self._objectives.file_bytes)
        return step is not None and self._put_together(step, deletes)

    def _is_worth_reading(self, files: int, deletes: int) -> bool:
        """Tell whether the table has changed enough since it was read; or rests, it may be."""
        if self._read is None:
            return files > 0
        at, files_then, deletes_then = self._read
        grown = max(abs(files - files_then), deletes - deletes_then)
        return grown >= FAN_IN or time.monotonic() - at > _REST.total_seconds()

    def _files(self, count: int) -> list[DataFile]:
        if count > _MOST_FILES:
            raise BadTableError(
                f"{self._id} has {count} files, more than the {_MOST_FILES} that a worker can look "
                "after. Put them together once, with Iceberg's rewrite_data_files; from then on "
                "there are fewer."
            )
        name = quoted(self._lake.name, *self._id.split("."), "entries")
        at = {} if self._branch == MAIN else {"branch": self._branch}
        entries = self._spark.read.options(**at).table(name)
        live = entries.where("status < 2 AND data_file.content = 0")
        fields = entries.schema["data_file"].dataType.fieldNames()  # type: ignore[attr-defined]
        parts = [fn.col(f"data_file.{one}") for one in ("spec_id", "partition") if one in fields]
        is_new = fn.col("snapshot_id").isin(self._recent_snapshots())
        rows = live.select(fn.xxhash64(*parts), "data_file.file_size_in_bytes", is_new).collect()
        return [DataFile(*row) for row in rows]

    def _recent_snapshots(self) -> list[int]:
        """List the snapshots that brought records lately."""
        snapshots = self._snapshots()
        oldest = int((datetime.now(UTC) - _REST).timestamp() * 1000)
        found = []
        for number in reversed(range(snapshots.size())):
            snapshot = snapshots.get(number)
            if snapshot.timestampMillis() < oldest:
                break
            if snapshot.operation() != "replace":
                found.append(int(snapshot.snapshotId()))
        return found

    def _put_together(self, step: Compaction, deletes: int) -> bool:
        with self._rows:
            self._lake.refresh(self._table, self._id)
            action = self._actions().rewriteDataFiles(self._table).binPack()
            for name, value in self._options(step, deletes).items():
                action.option(name, value)
            action.snapshotProperty(_STEP, "compaction")
            if self._branch != MAIN:
                action.toBranch(self._branch)
            result = action.execute()
        rewritten = int(result.rewrittenDataFilesCount())
        self._tell(
            merged_files=self.status.merged_files + rewritten,
            merged_bytes=self.status.merged_bytes + int(result.rewrittenBytesCount()),
        )
        self._log("compaction", files=rewritten, into=int(result.addedDataFilesCount()))
        if rewritten:
            # There may be more of it, and the next turn has to see.
            self._read = None
        return rewritten > 0

    def _options(self, step: Compaction, deletes: int) -> dict[str, str]:
        wanted = self._objectives.file_bytes
        return {
            "target-file-size-bytes": str(wanted),
            "min-file-size-bytes": str(step.below),
            "max-file-size-bytes": str(4 * wanted),
            "min-input-files": str(step.at_least),
            "max-file-group-size-bytes": str(2 * wanted),
            "max-files-to-rewrite": str(_FILES_OF_A_STEP),
            # One group, and so about one task at a time: the stream has the other cores.
            "max-concurrent-file-group-rewrites": "1",
            # The same as for the table: if that has it, some file of it does.
            "delete-ratio-threshold": str(DELETED_SHARE),
            "delete-file-threshold": str(FAN_IN),
            "remove-dangling-deletes": str(deletes > 0).lower(),
        }

    def _clean(self) -> bool:
        age, now = self._objectives.orphan_age, datetime.now(UTC)
        if age is None or now < self._orphans_due:
            return False
        self._orphans_due = now + _LOOK_FOR_ORPHANS
        listing = jvm(self._spark).java.lang.Class.forName(
            "org.apache.iceberg.io.SupportsPrefixOperations"
        )
        action = self._actions().deleteOrphanFiles(self._table)
        action.olderThan(int((now - age).timestamp() * 1000))
        action.usePrefixListing(listing.isInstance(self._table.io()))
        found = sum(1 for _ in action.execute().orphanFileLocations())
        self._tell(deleted_orphans=self.status.deleted_orphans + found)
        self._log("orphans", files=found)
        return True

    def _actions(self) -> Any:
        actions = jvm(self._spark).org.apache.iceberg.spark.actions.SparkActions
        return actions.get(java_session(self._spark))

    def _tell(self, **figures: object) -> None:
        self.status = self.status.model_copy(update=figures)

    def _log(self, step: str, **figures: int) -> None:
        log.info("maintained", table=self._id, step=step, **figures)


def _number(summary: Any, key: str) -> int:
    return int(summary.get(key) or 0)


def _older(snapshots: Any, moment_ms: int) -> int:
    """Count the snapshots that are older, but for the newest, which stays whatever its age."""
    numbers = range(snapshots.size() - 1)
    return bisect_left(numbers, moment_ms, key=lambda at: int(snapshots.get(at).timestampMillis()))

"""One Iceberg table as one connector sees it: fitted, written, committed with a ledger."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as fn
from pyspark.sql.types import DataType, StructField, StructType

from frazil.contracts.ledger import Ledger
from frazil.runtime.logs import get_logger
from frazil.spark_sink.catalog import catalog_error, is_silent
from frazil.spark_sink.core.judge import Claim, Verdict, judge
from frazil.spark_sink.counts import counts_of, observed
from frazil.spark_sink.records.reader import Reader, Records
from frazil.spark_sink.store import Written
from frazil.spark_sink.tables.evolution import changes, storable_struct
from frazil.spark_sink.tables.files import write_files
from frazil.spark_sink.tables.history import History, LedgerGuard, tag_of
from frazil.spark_sink.tables.lake import LOST_RACE, Lake
from frazil.spark_sink.tables.rows import rows_of, wanted
from frazil.spark_sink.tables.settings import TableKeys
from frazil.worker.errors import BadTableError, NoTableError, UnavailableError
from frazil.worker.jvm_errors import JAVA_ERRORS, java_message

log = get_logger(__name__)

_ATTEMPTS = 3
_RACES = 20


class TableStore:
    """A store. A table that is not there is created by the first records, if that is asked for."""

    def __init__(
        self, spark: SparkSession, lake: Lake, table: str, *, keys: TableKeys, reader: Reader
    ) -> None:
        self._spark = spark
        self._lake = lake
        self._id = table
        self._keys = keys
        self._reader = reader
        self.name = f"table {table}"
        found = lake.load(table)
        if found is None and not keys.creates:
            raise NoTableError(
                f"Table {table} does not exist in the catalog. Create it, correct "
                "`iceberg.tables`, or set iceberg.tables.auto-create-enabled=true."
            )
        self._table: Any = None
        if found is not None:
            self._take(found)

    def _take(self, table: Any) -> None:
        self._table = table
        self._branch = self._keys.branch(self._id)
        self._history = History(table, self._branch, self._keys.connector)
        self._schema = self._lake.schema_of(table)

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
        return None if tagged == self._history.newest() else tagged

    def write(self, part: DataFrame, partitions: Sequence[tuple[str, int]]) -> Written:
        records = self._read(part)
        if self._table is None:
            return self._nothing_known(records, partitions)
        again = self._parses_as_wanted
        rows = rows_of(records, self._schema, ignore_case=self._keys.ignores_case, again=again)
        seen, observation = observed(rows.frame, rows.fault, partitions)
        good = seen.where(~fn.col("dropped") & rows.fault.isNull()).select(*rows.columns)
        files = write_files(self._spark, self._table, good, self._keys.written_with)
        return Written(files, counts_of(observation))

    def _read(self, part: DataFrame) -> Records:
        """Read records as the table wants them; where it follows them, all are looked at first."""
        if self._table is None or self._keys.evolves:
            records = self._reader.read(part)
            self._fit(records.value_type)
            if self._table is None or not self._parses_as_wanted:
                return records
        return self._reader.read(part, wanted(self._schema) if self._parses_as_wanted else None)

    @property
    def _parses_as_wanted(self) -> bool:
        # Spark's parser knows fields by their exact names only.
        keys = self._keys
        return keys.plain_json and self._reader.keeps_shape and not keys.ignores_case

    def _fit(self, shape: DataType) -> None:
        """Create the table, or add what it lacks: once a batch, before anything is written."""
        if not isinstance(shape, StructType):
            return
        if self._table is None:
            self._create(storable_struct(shape))
        if self._table is None or not self._keys.evolves:
            return
        rules = {"ignore_case": self._keys.ignores_case, "declared": not self._keys.plain_json}
        for _ in range(_ATTEMPTS):
            todo = changes(shape, self._schema, **rules)
            if not todo:
                return
            log.info("schema_changes", table=self._id, changes=[str(one) for one in todo])
            self._lake.change(self._table, self._id, todo)
            self._schema = self._lake.schema_of(self._table)
        raise UnavailableError(f"The columns of {self._id} were changed by others again and again.")

    def _create(self, schema: StructType) -> None:
        if not schema.fields:
            return
        keys = self._keys
        if keys.all_optional:
            schema = StructType([StructField(f.name, f.dataType) for f in schema.fields])
        table = self._lake.create(
            self._id,
            schema,
            ids=keys.id_columns(self._id),
            partitioning=keys.partitioning(self._id),
            properties=keys.created_with,
        )
        log.info("table_created", table=self._id, columns=len(schema.fields))
        self._take(table)

    def _nothing_known(self, records: Records, partitions: Sequence[tuple[str, int]]) -> Written:
        """Count records that cannot make a table: there is nowhere to note more of them."""
        fault = fn.when(~fn.col("dropped"), fn.col("fault").getField("text"))
        seen, observation = observed(records.frame, fault, partitions)
        seen.select("offset").write.format("noop").mode("overwrite").save()
        counts = counts_of(observation)
        if counts.written:
            raise BadTableError(
                f"Table {self._id} cannot be created: {counts.written} record(s) have no field "
                "with a value to make a column of. Create the table first."
            )
        return Written([], replace(counts, consumed=0))

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
        transaction = self._table.newTransaction()
        append = transaction.newAppend().toBranch(self._branch)
        for file in files:
            append.appendFile(file)
        for key, value in ledger.to_summary(control_topic=self._keys.control_topic).items():
            append.set(key, value)
        append.validateWith(guard)
        append.commit()
        staged, tag = transaction.table(), tag_of(self._keys.connector)
        snapshots = transaction.manageSnapshots()
        move = snapshots.replaceTag if tag in staged.refs() else snapshots.createTag
        move(tag, staged.snapshot(self._branch).snapshotId()).commit()
        transaction.commitTransaction()

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

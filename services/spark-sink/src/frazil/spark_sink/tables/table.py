"""A table for records: fitted to them, or they to it, and written."""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as fn
from pyspark.sql.types import DataType, StructField, StructType

from frazil.runtime.logs import get_logger
from frazil.spark_sink.counts import counts_of, observed
from frazil.spark_sink.raw import letters_of
from frazil.spark_sink.records.reader import Reader, Records
from frazil.spark_sink.store import Written
from frazil.spark_sink.tables.evolution import changes, storable_struct
from frazil.spark_sink.tables.files import write_files
from frazil.spark_sink.tables.guarded import GuardedTable
from frazil.spark_sink.tables.lake import Lake
from frazil.spark_sink.tables.rows import MISFIT, rows_of, wanted
from frazil.spark_sink.tables.settings import TableKeys
from frazil.worker.errors import BadTableError, NoTableError, UnavailableError

log = get_logger(__name__)

_ATTEMPTS = 3


class TableStore(GuardedTable):
    """A table that is not there is created by the first records, if that is asked for."""

    def __init__(
        self, spark: SparkSession, lake: Lake, table: str, *, keys: TableKeys, reader: Reader
    ) -> None:
        super().__init__(lake, table, ledger_name=keys.connector, control_topic=keys.control_topic)
        self._spark = spark
        self._keys = keys
        self._reader = reader
        self._has_misfits = False
        found = lake.load(table)
        if found is None and not keys.creates:
            raise NoTableError(
                f"Table {table} does not exist in the catalog. Create it, correct "
                "`iceberg.tables`, or set iceberg.tables.auto-create-enabled=true."
            )
        if found is not None:
            self._adopt(found)

    def _adopt(self, table: Any) -> None:
        self._take(table, self._keys.branch(self._id))
        self._schema = self._lake.schema_of(table)

    def write(self, part: DataFrame, partitions: Sequence[tuple[str, int]]) -> Written:
        records = self._read(part)
        if self._table is None:
            return self._nothing_known(records, partitions)
        draft = self._draft(records, partitions, again=self._has_misfits)
        misfits = draft.counts.misfits if self._parses_as_wanted else 0
        if misfits and not self._has_misfits:
            # To be ready for them in every batch would cost each record twice the code.
            self.delete_files(draft.files)
            draft = self._draft(records, partitions, again=True)
        self._has_misfits = misfits > 0
        return draft

    def _draft(
        self, records: Records, partitions: Sequence[tuple[str, int]], *, again: bool
    ) -> Written:
        rows = rows_of(records, self._schema, ignore_case=self._keys.ignores_case, again=again)
        misfit = fn.when(fn.col(MISFIT), 1)
        seen, observation = observed(rows.made, fn.col("fault"), partitions, misfit=misfit)
        files = write_files(self._spark, self._table, rows.good(seen), self._keys.written_with)
        return Written(files, counts_of(observation), rows.letters)

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
        self._adopt(table)

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
        letters = partial(letters_of, records.frame, fn.col("fault").getField("class"), fault)
        return Written([], replace(counts, consumed=0), letters)

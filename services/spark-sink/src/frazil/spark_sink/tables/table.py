"""A table for records: fitted to them, or they to it, and written."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as fn
from pyspark.sql.types import DataType, StructField, StructType

from frazil.contracts.offsets import Offsets
from frazil.runtime.logs import get_logger
from frazil.spark_sink.core.position import TopicFacts
from frazil.spark_sink.core.undoing import Undoing, not_listed, undoing
from frazil.spark_sink.counts import counts_of, observed
from frazil.spark_sink.raw import letters_of
from frazil.spark_sink.records.apart import TopicReaders, together
from frazil.spark_sink.records.reader import Records
from frazil.spark_sink.records.shapes import merged_all
from frazil.spark_sink.store import Written
from frazil.spark_sink.tables.changes import ChangeRules
from frazil.spark_sink.tables.evolution import changes, storable_struct
from frazil.spark_sink.tables.files import write_files
from frazil.spark_sink.tables.guarded import GuardedTable
from frazil.spark_sink.tables.history import LedgerGuard
from frazil.spark_sink.tables.lake import Lake
from frazil.spark_sink.tables.rows import MISFIT, good, letters, rows_of, wanted
from frazil.spark_sink.tables.settings import TableKeys
from frazil.spark_sink.tables.undo import Remover
from frazil.worker.errors import BadTableError, NoTableError, UnavailableError

log = get_logger(__name__)

_ATTEMPTS = 3


class TableStore(GuardedTable):
    """A table that is not there is created by the first records, if that is asked for."""

    _changes: ChangeRules | None = None

    def __init__(
        self, spark: SparkSession, lake: Lake, table: str, *, keys: TableKeys, reader: TopicReaders
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
        self._remover = Remover(
            self._spark,
            self.name,
            path=(self._lake.name, *self._id.split(".")),
            table=table,
            branch=self._branch,
            history=self._history,
        )

    def undoing(self, wanted: Offsets, topics: Mapping[str, TopicFacts]) -> Undoing | None:
        if self._table is None:
            return None
        found = undoing(self.name, self._history.told(), wanted, topics)
        if found is not None and not self._keys.listed:
            raise not_listed(self.name)
        if found is not None:
            # If it has to be refused, then before anything is touched.
            self._remover.plan(found)
        return found

    def _begin(self, files: Sequence[Any], guard: LedgerGuard) -> tuple[Any, Any]:
        undoings = [file for file in files if isinstance(file, Undoing)]
        return self._remover.begin(undoings[0]) if undoings else super()._begin(files, guard)

    def delete_files(self, files: list[Any]) -> None:
        super().delete_files([file for file in files if not isinstance(file, Undoing)])

    def write(self, part: DataFrame, partitions: Sequence[tuple[str, int]]) -> Written:
        records = self._read(part)
        if self._table is None:
            return self._nothing_known(records, partitions)
        draft = self._draft(records, partitions, again=self._has_misfits)
        misfits = draft.counts.misfits
        if misfits and not self._has_misfits:
            # To be ready for them in every batch would cost each record twice the code.
            self.delete_files(draft.files)
            draft = self._draft(records, partitions, again=True)
        self._has_misfits = misfits > 0
        return draft

    def _draft(
        self, records: Iterable[Records], partitions: Sequence[tuple[str, int]], *, again: bool
    ) -> Written:
        rules = {"ignore_case": self._keys.ignores_case, "again": again}
        rows = [rows_of(one, self._schema, changes=self._changes, **rules) for one in records]
        made = together(one.made for one in rows)
        misfit = fn.when(fn.col(MISFIT), 1)
        seen, observation = observed(made, fn.col("fault"), partitions, misfit=misfit)
        files = self._put(seen)
        return Written(files, counts_of(observation), partial(letters, rows))

    def _put(self, seen: DataFrame) -> list[Any]:
        rows = good(seen, self._schema)
        return write_files(self._spark, self._table, rows, self._keys.written_with)

    def _read(self, part: DataFrame) -> list[Records]:
        """Read records as the table wants them; where it follows them, all are looked at first."""
        portions = self._reader.portions(part)
        found = {}
        if self._table is None or self._keys.evolves(self._id):
            found = {portion: portion.read() for portion in portions}
            self._fit([one.value_type for one in found.values()])
            if self._table is None:
                return list(found.values())
        # Spark's parser knows fields by their exact names only.
        plain = self._keys.plain_json and not self._keys.ignores_case
        shape = wanted(self._schema, self._keys.change_rules.operation) if plain else None
        return [
            portion.read(shape)
            if shape is not None and portion.keeps_shape
            else found.get(portion) or portion.read()
            for portion in portions
        ]

    def _fit(self, types: Iterable[DataType]) -> None:
        """Create the table, or add what it lacks: once a batch, before anything is written."""
        shapes = [one for one in types if isinstance(one, StructType)]
        whole = merged_all([*shapes])
        if self._table is None and isinstance(whole, StructType):
            self._create(storable_struct(whole))
        if self._table is not None and self._keys.evolves(self._id):
            for shape in shapes:
                self._follow(shape)

    def _follow(self, shape: StructType) -> None:
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

    def _nothing_known(
        self, records: Iterable[Records], partitions: Sequence[tuple[str, int]]
    ) -> Written:
        """Count records that cannot make a table: there is nowhere to note more of them."""
        fault = fn.when(~fn.col("dropped"), fn.col("fault").getField("text"))
        # What their values are does not matter here, and has several types.
        frame = together(one.frame.drop("key", "value") for one in records)
        seen, observation = observed(frame, fault, partitions)
        seen.select("offset").write.format("noop").mode("overwrite").save()
        counts = counts_of(observation)
        if counts.written:
            raise BadTableError(
                f"Table {self._id} cannot be created: {counts.written} record(s) have no field "
                "with a value to make a column of. Create the table first."
            )
        lost = partial(letters_of, frame, fn.col("fault").getField("class"), fault)
        return Written([], replace(counts, consumed=0), lost)

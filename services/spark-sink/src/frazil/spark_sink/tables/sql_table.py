"""A table for records that Spark SQL transforms: fitted to them, or they to it, and written."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as fn
from pyspark.sql.types import DataType, StructField, StructType

from frazil.contracts.columns import Path
from frazil.runtime.logs import get_logger
from frazil.spark_sink.counts import counts_of, observed
from frazil.spark_sink.expressions.apart import TopicReaders, together
from frazil.spark_sink.expressions.reader import Records
from frazil.spark_sink.expressions.shapes import merged_all
from frazil.spark_sink.raw import letters_of
from frazil.spark_sink.records.changes import ChangeRules
from frazil.spark_sink.store import Written
from frazil.spark_sink.tables.columns import shaped
from frazil.spark_sink.tables.conflicts import measures
from frazil.spark_sink.tables.evolution import Change, changes, storable_struct
from frazil.spark_sink.tables.files import write_files
from frazil.spark_sink.tables.following import ATTEMPTS, FollowingTable
from frazil.spark_sink.tables.gate import creation, in_data
from frazil.spark_sink.tables.lake import Lake
from frazil.spark_sink.tables.naming import without_twins
from frazil.spark_sink.tables.predecessor import TableHeritage
from frazil.spark_sink.tables.reading import wanted
from frazil.spark_sink.tables.rows import MISFIT, good, letters, rows_of
from frazil.spark_sink.tables.settings import TableKeys
from frazil.worker.errors import BadTableError, UnavailableError

log = get_logger(__name__)


class SqlTable(FollowingTable):
    """A table whose records go through Spark SQL."""

    _changes: ChangeRules | None = None

    def __init__(
        self,
        spark: SparkSession,
        lake: Lake,
        table: str,
        *,
        keys: TableKeys,
        reader: TopicReaders,
        heritage: TableHeritage | None = None,
    ) -> None:
        self._reader = reader
        self._columns = keys.columns(table)
        self._has_misfits = False
        super().__init__(spark, lake, table, keys=keys, heritage=heritage)

    def _adopt(self, table: Any) -> None:
        super()._adopt(table)
        self._schema = self._lake.schema_of(table)
        self._columns = self._keys.columns(self._id).casting(self._deciding())

    def _deciding(self) -> Sequence[Path]:
        """Return the columns without whose values a record is none for this table."""
        return ()

    def write(self, part: DataFrame, partitions: Sequence[tuple[str, int]]) -> Written:
        records = self._read(part)
        if self._table is None:
            return self._nothing_known(records, partitions)
        if self._partitioning:
            self._repartition()
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
        rows = [
            rows_of(
                one,
                self._schema,
                ignore_case=self._keys.ignores_case,
                again=again,
                changes=self._changes,
                columns=self._columns,
            )
            for one in records
        ]
        made = together(one.made for one in rows)
        misfit, more = fn.when(fn.col(MISFIT), 1), measures(one.told for one in rows)
        seen, observation = observed(made, fn.col("fault"), partitions, misfit=misfit, more=more)
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
        operation = self._changes.operation if self._changes else ()
        shape = wanted(self._schema, operation, self._columns) if plain else None
        return [
            portion.read(shape)
            if shape is not None and portion.keeps_shape
            else found.get(portion) or portion.read()
            for portion in portions
        ]

    def _fit(self, types: Iterable[DataType]) -> None:
        """Create the table, or add what it lacks: once a batch, before anything is written."""
        found = [one for one in types if isinstance(one, StructType)]
        if self._keys.ignores_case:
            found = [without_twins(one) for one in found]
        shapes = [shaped(self._gate.without_refused(one), self._columns) for one in found]
        whole = merged_all([*shapes])
        if self._table is None and isinstance(whole, StructType):
            self._create(storable_struct(whole))
        if self._table is not None and self._keys.evolves(self._id):
            if self._gate.asks:
                todo = [change for shape in shapes for change in self._lacking(shape)]
                self._gate.require(self._id, map(in_data, todo))
            for shape in shapes:
                self._follow(shape)

    def _lacking(self, shape: StructType) -> list[Change]:
        rules = {"ignore_case": self._keys.ignores_case, "declared": not self._keys.plain_json}
        return changes(shape, self._schema, **rules)

    def _follow(self, shape: StructType) -> None:
        self._change_columns(lambda: self._lacking(shape))

    def _change_columns(self, lacks: Callable[[], list[Change]]) -> None:
        for _ in range(ATTEMPTS):
            todo = lacks()
            if not todo:
                return
            self._gate.require(self._id, map(in_data, todo))
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
        self._gate.require(self._id, creation(schema))
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

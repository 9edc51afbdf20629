"""A table that tasks write: it tells them what it is like, and follows what records ask for."""

import json
from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any

from pyspark.sql import DataFrame
from pyspark.sql.types import StructField, StructType

from frazil.contracts.offsets import Offsets
from frazil.runtime.logs import get_logger
from frazil.spark_sink.records.schema.applied import applied
from frazil.spark_sink.records.schema.changes import SchemaChange
from frazil.spark_sink.records.schema.merge import merge
from frazil.spark_sink.records.schema.types import Column, Struct
from frazil.spark_sink.sql.types import spark_type
from frazil.spark_sink.store import Written
from frazil.spark_sink.tables.files import write_files
from frazil.spark_sink.tables.following import ATTEMPTS, FollowingTable
from frazil.spark_sink.tables.gate import creation_of, described
from frazil.spark_sink.tables.part import Part
from frazil.spark_sink.tables.schemas import java_files
from frazil.spark_sink.tasks.errors import UnsupportedTableError
from frazil.spark_sink.tasks.files.data_file import data_file_json
from frazil.spark_sink.tasks.files.plan import FilesPlan, check_plan
from frazil.spark_sink.tasks.partitions import PartitionSpec, parse_spec
from frazil.spark_sink.tasks.plan import TablePlan
from frazil.spark_sink.tasks.result import added_by
from frazil.spark_sink.tasks.scratch import scratch_schema
from frazil.worker.errors import BadTableError, UnavailableError
from frazil.worker.settings import WorkerSettings

log = get_logger(__name__)

_NOTHING = Struct(())


class TableStore(FollowingTable):
    """A table that is not there is created by the first records, if that is asked for."""

    _schema = _NOTHING
    _is_through_spark = False

    def _adopt(self, table: Any) -> None:
        super()._adopt(table)
        self._schema = self._lake.columns_of(table)
        rescued = self._keys.conversion(self._id).rescued
        if rescued and not self._schema.column(rescued) and not self._keys.evolves(self._id):
            raise BadTableError(
                f"Table {self._id} has no column {rescued} for what other columns cannot hold. Add "
                f"it (`ALTER TABLE ... ADD COLUMN {rescued} string`), or have it added with "
                "iceberg.tables.evolve-schema-enabled=true; then restart."
            )

    def plan(self, written: Offsets) -> TablePlan:
        """Describe the table for tasks; what is before these offsets is in it already."""
        if self._table is not None:
            if self._partitioning:
                self._repartition()
            # Others may have added columns, by which it may be partitioned now.
            self._schema = self._lake.columns_of(self._table)
        return TablePlan(
            self._id,
            self._schema,
            conversion=self._keys.conversion(self._id),
            evolution=self._keys.evolution(self._id, creating=self._table is None),
            files=self._files(),
            written=written,
            refused=frozenset(self._gate.rules.refused),
        )

    def _files(self) -> FilesPlan | None:
        if self._table is None:
            return None
        table, iceberg = self._table, self._lake.iceberg
        spec = json.loads(iceberg.PartitionSpecParser.toJson(table.spec()))
        plan = FilesPlan(
            schema=self._schema,
            schema_id=int(table.schema().schemaId()),
            spec=parse_spec(spec, self._schema),
            location=str(table.location()),
            properties={**self._lake.properties_of(table), **self._keys.written_with},
            storage=self._storage(),
            sorted_columns=self._lake.sorted_columns(table),
        )
        try:
            check_plan(plan)
        except UnsupportedTableError as error:
            if not self._is_through_spark:
                log.warning("written_by_spark", table=self._id, why=str(error))
            self._is_through_spark = True
            return self._scratch(scratch_schema(self._schema))
        self._is_through_spark = False
        return plan

    def _scratch(self, schema: Struct) -> FilesPlan:
        """Plan files from which Spark takes the rows at once; they are deleted with the batch."""
        return FilesPlan(
            schema=schema,
            schema_id=0,
            spec=PartitionSpec(),
            location=self._lake.scratch(self._table),
            storage=self._storage(),
        )

    def _storage(self) -> dict[str, str]:
        """Return the properties by which tasks reach the files, as Java's client would do it."""
        return {**self._of_the_machine, **self._lake.properties_of(self._table.io())}

    @cached_property
    def _of_the_machine(self) -> dict[str, str]:
        endpoint = WorkerSettings().aws_endpoint
        return {"s3.endpoint": endpoint} if endpoint else {}

    def _rows(self, part: Part, *more: Column) -> DataFrame | None:
        """Read what tasks have put into such files."""
        paths = [file.path for file in part.files]
        if not paths:
            return None
        beside = [StructField(one.name, spark_type(one.type)) for one in more]
        shape = StructType([*self._lake.schema_of(self._table).fields, *beside])
        return self._spark.read.schema(shape).parquet(*paths)

    def write(self, part: Part, _partitions: Sequence[tuple[str, int]]) -> Written:
        """Add what records ask for, have those pieces done again, and take over the files."""
        for _ in range(ATTEMPTS):
            if part.failure is not None:
                raise part.failure
            asked = part.asked
            if not asked:
                return self._written(part)
            is_new = self._table is None
            self._follow(merge(self._schema, asked, ignore_case=self._keys.ignores_case))
            plan, added = self.plan(part.plan.written), (*part.plan.added, *added_by(asked))
            part.run_again(replace(plan, added=tuple(sorted(added)), is_new=is_new))
        raise UnavailableError(f"The columns of {self._id} were changed by others again and again.")

    def _written(self, part: Part) -> Written:
        plan = part.plan.files
        files: list[Any] = []
        if plan is not None and self._is_through_spark:
            rows = self._rows(part)
            if rows is not None:
                files = write_files(self._spark, self._table, rows, self._keys.written_with)
        elif plan is not None:
            documents = [data_file_json(file, plan.spec) for file in part.files]
            spec = self._table.specs().get(plan.spec.id)
            files = java_files(self._lake.iceberg, documents, spec)
            part.take_files()
        counts = part.counts()
        if self._table is None:
            # There is nowhere to note that these records were consumed.
            counts = replace(counts, consumed=0)
        return Written(files, counts, part.letters)

    def _follow(self, changes: list[SchemaChange]) -> None:
        """Create the table, or change its columns, as far as a person lets that happen."""
        if self._table is None:
            self._create(applied(_NOTHING, changes))
            return
        self._gate.require(self._id, map(described, changes))
        log.info("schema_changes", table=self._id, changes=[str(one) for one in changes])
        self._lake.change_columns(self._table, self._id, changes)
        self._schema = self._lake.columns_of(self._table)

    def _create(self, schema: Struct) -> None:
        keys = self._keys
        self._gate.require(self._id, creation_of(schema))
        table = self._lake.create_table(
            self._id,
            schema,
            keys=keys.id_columns(self._id),
            partitioning=keys.partitioning(self._id),
            properties=keys.created_with,
        )
        log.info("table_created", table=self._id, columns=len(schema.columns))
        self._adopt(table)

"""Tables as records would make them: in transactions that nobody commits, and in memory.

All else is the sink's own code, so that a preview cannot differ from what happens.
"""

from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any, cast

from pyspark.sql import SparkSession
from pyspark.sql.types import DataType

from frazil.contracts.partitioning import PartitionPart
from frazil.contracts.plugins.iceberg_tables import is_changing
from frazil.contracts.preview import CreatedTable, TablePreview
from frazil.contracts.schema_change import SchemaChange
from frazil.spark_sink.counts import BatchCounts
from frazil.spark_sink.records.schema import changes as asked
from frazil.spark_sink.records.schema.types import Struct
from frazil.spark_sink.tables.changing import ChangingTable
from frazil.spark_sink.tables.gate import Gate, creation_of, described, partition, spelled
from frazil.spark_sink.tables.lake import Lake
from frazil.spark_sink.tables.stores import TableStores
from frazil.spark_sink.tables.table import TableStore


class DryLake(Lake):
    """A catalog that stays as it is; what would be done to its tables is noted."""

    def __init__(self, spark: SparkSession, catalog: str) -> None:
        super().__init__(spark, catalog)
        self._memory = self.iceberg.inmemory.InMemoryCatalog()
        self._memory.initialize("preview", {})
        self.created: dict[str, CreatedTable] = {}
        self.changes: dict[str, list[SchemaChange]] = {}

    def load(self, name: str) -> Any | None:
        table = super().load(name)
        return None if table is None else table.newTransaction().table()

    def create_table(
        self,
        name: str,
        schema: Struct,
        *,
        keys: Sequence[str],
        partitioning: Sequence[PartitionPart],
        properties: dict[str, str],
    ) -> Any:
        table = super().create_table(
            name, schema, keys=keys, partitioning=partitioning, properties=properties
        )
        self.created[name] = CreatedTable(
            columns={one.name: spelled(one.type) for one in self.columns_of(table).columns},
            partitions=tuple(map(str, partitioning)),
        )
        self.changes[name] = creation_of(schema)
        return table

    def change_columns(self, table: Any, name: str, changes: Sequence[asked.SchemaChange]) -> None:
        super().change_columns(table, name, changes)
        self.changes.setdefault(name, []).extend(map(described, changes))

    def partition(self, table: Any, name: str, parts: Sequence[PartitionPart]) -> None:
        super().partition(table, name, parts)
        self.changes.setdefault(name, []).append(partition(parts))

    def _maker(self) -> Any:
        return self._memory


class PreviewTable(TableStore):
    """Does what a table does with records, but for the files, and without asking."""

    exists = False

    @property
    def gate(self) -> Gate:
        return self._keys.gate(self._id)

    @cached_property
    def _gate(self) -> Gate:
        return replace(self.gate, asks=False)

    def _go_back(self, table: Any) -> None:
        # Only a table that was there before can have anything to go back from.
        self.exists = True
        super()._go_back(table)

    def _files(self) -> None:
        """Have nothing written."""


class PreviewChangingTable(PreviewTable, ChangingTable):
    """A table of which nothing is changed."""

    def _memory(self, _kinds: Sequence[DataType], _kind: DataType) -> None:
        """Remember no deletions: that would take a table."""


class PreviewStores(TableStores):
    _lake: DryLake

    def told(self, store: PreviewTable, name: str, counts: BatchCounts) -> TablePreview:
        """Say what became of a table and its records."""
        changes = tuple(self._lake.changes.get(name, ()))
        return TablePreview(
            table=name,
            exists=store.exists,
            create=self._lake.created.get(name),
            changes=changes,
            waits_for=store.gate.unseen(changes),
            rows=counts.written,
            dead=counts.dead,
        )

    def open(self, name: str) -> PreviewTable:
        return cast("PreviewTable", super().open(name))

    @property
    def _kind(self) -> type[PreviewTable]:
        changes = is_changing(self._keys.config)
        return PreviewChangingTable if changes else PreviewTable

    def _open_lake(self) -> DryLake:
        return DryLake(self._spark, self._keys.catalog)

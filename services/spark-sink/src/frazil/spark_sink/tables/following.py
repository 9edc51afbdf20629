"""A table that is there, or is created by the first records: what tells it from others."""

from collections.abc import Mapping
from functools import cached_property
from typing import Any

from pyspark.sql import SparkSession

from frazil.contracts.offsets import Offsets
from frazil.runtime.logs import get_logger
from frazil.spark_sink.core.position import TopicFacts
from frazil.spark_sink.core.undoing import Undoing, not_listed
from frazil.spark_sink.tables.gate import Gate, partition, require_creation
from frazil.spark_sink.tables.lake import Lake
from frazil.spark_sink.tables.predecessor import TableHeritage
from frazil.spark_sink.tables.settings import TableKeys
from frazil.spark_sink.tables.side import Sides
from frazil.spark_sink.tables.undo import UndoableTable
from frazil.worker.errors import UnavailableError

log = get_logger(__name__)

ATTEMPTS = 3


class FollowingTable(UndoableTable):
    """A table that is not there is created by the first records, if that is asked for."""

    def __init__(
        self,
        spark: SparkSession,
        lake: Lake,
        table: str,
        *,
        keys: TableKeys,
        heritage: TableHeritage | None = None,
    ) -> None:
        super().__init__(
            spark,
            lake,
            table,
            ledger_name=keys.connector,
            control_topic=keys.control_topic,
            heritage=heritage,
        )
        self._keys = keys
        self._partitioning = keys.followed_partitioning(table)
        self._load()

    def _load(self) -> None:
        """Load the table, or make sure that records may create it."""
        loaded = self._lake.load(self._id)
        if loaded is None:
            may = {"creates": self._keys.creates, "taken_over": self._heritage is not None}
            require_creation(self._id, self._gate, **may)
        else:
            self._go_back(loaded)
            self._adopt(loaded)

    @cached_property
    def _gate(self) -> Gate:
        return self._keys.gate(self._id)

    def _go_back(self, table: Any) -> None:
        """Undo changes of the schema, if somebody wants that and it was not done yet."""
        order = self._gate.rules.undo
        for _ in range(ATTEMPTS):
            if order is None or table.schema().schemaId() != order.before:
                return
            log.info("schema_undone", table=self._id, before=order.before, after=order.after)
            self._lake.use_schema(table, self._id, order.after)
        raise UnavailableError(f"{self._id} was changed by others again and again.")

    def _adopt(self, table: Any) -> None:
        self._sides = Sides(
            self._lake,
            table,
            self._id,
            connector=self._keys.connector,
            base=self._keys.base(self._id),
            rewind=self._keys.rewind,
        )
        self._take(table, self._sides.line())

    def end_sides(self, epoch: int) -> None:
        if self._table is not None:
            self._take(self._table, self._sides.end(self._line, epoch))

    def undoing(self, wanted: Offsets, topics: Mapping[str, TopicFacts]) -> Undoing | None:
        found = super().undoing(wanted, topics)
        if found is not None and not self._keys.listed:
            raise not_listed(self.name)
        return found

    def _repartition(self) -> None:
        """Have the table partitioned as the keys say, once its columns are there."""
        wanted = self._partitioning
        if not self._lake.has_columns_for(self._table, wanted):
            return
        for _ in range(ATTEMPTS):
            if self._gate.refuses_table or self._lake.partitioning_of(self._table) == {*wanted}:
                self._partitioning = ()
                return
            self._gate.require(self._id, [partition(wanted)])
            log.info("partitions_change", table=self._id, by=[str(part) for part in wanted])
            self._lake.partition(self._table, self._id, wanted)
        raise UnavailableError(f"{self._id} was partitioned anew by others again and again.")

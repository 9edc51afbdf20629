"""Keys whose rows were deleted, remembered in a table of their own: what comes late is older."""

from collections.abc import Sequence

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as fn
from pyspark.sql.types import DataType, StructField, StructType, TimestampType

from frazil.contracts.partitioning import parse_partitioning
from frazil.spark_sink.records.changes import ChangeRules
from frazil.spark_sink.tables.changes import column, quoted
from frazil.spark_sink.tables.lake import Lake
from frazil.spark_sink.tasks.changes import CHANGE, DELETES
from frazil.worker.errors import BadTableError

_SEQUENCE = "frazil_sequence"
_WHEN = "frazil_deleted_at"
_DAYS = 7


class Deleted:
    """It may hold a deletion that the table does not have yet, and hold it twice: both are well."""

    def __init__(
        self,
        spark: SparkSession,
        lake: Lake,
        table: str,
        *,
        rules: ChangeRules,
        kinds: Sequence[DataType],
    ) -> None:
        """`kinds` are the types of the keys and of the sequence."""
        self._spark = spark
        self._rules = rules
        name = f"{table}__deleted"
        self._name = quoted(lake.name, *name.split("."))
        found = lake.load(name)
        if found is None:
            names = [*rules.keys, _SEQUENCE, _WHEN]
            fields = map(StructField, names, [*kinds, TimestampType()])
            parts = parse_partitioning(f"day({_WHEN})")
            schema = StructType([*fields])
            found = lake.create(name, schema, partitioning=parts)
        _require_keys(name, lake.schema_of(found), rules)
        self._spark.sql(
            f"DELETE FROM {self._name} "  # noqa: S608 (the name is quoted)
            f"WHERE {_WHEN} < current_date() - INTERVAL {_DAYS} DAYS"
        )

    def without_late(self, changes: DataFrame) -> DataFrame:
        """Leave out what is older than the deletion of its row."""
        known, found = self._spark.table(self._name).alias("d"), changes.alias("c")
        same = [
            fn.col(f"c.{quoted(key)}").eqNullSafe(fn.col(f"d.{quoted(key)}"))
            for key in self._rules.keys
        ]
        late = fn.col(f"c.{quoted(*self._rules.sequence)}") < fn.col(f"d.{_SEQUENCE}")
        return found.join(known, [*same, late], "left_anti")

    def remember(self, changes: DataFrame) -> None:
        """Note deletions, before they are committed: a driver that dies between does them again."""
        deletions = changes.where(fn.col(CHANGE).getField(DELETES))
        if deletions.isEmpty():
            return
        keys = [column(key) for key in self._rules.keys]
        sequence = column(*self._rules.sequence).alias(_SEQUENCE)
        noted = deletions.select(*keys, sequence, fn.current_timestamp().alias(_WHEN))
        noted.writeTo(self._name).append()


def _require_keys(name: str, schema: StructType, rules: ChangeRules) -> None:
    """Refuse a table whose columns do not have the names that the key has by now."""
    missing = [key for key in rules.keys if key not in schema.names]
    if missing:
        raise BadTableError(
            f"Table {name} has no column {', '.join(missing)}. Rename those that it has for the "
            "key (`ALTER TABLE ... RENAME COLUMN ...`), then restart."
        )

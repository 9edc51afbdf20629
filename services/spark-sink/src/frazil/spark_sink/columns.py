"""Records to rows as column expressions: parse once in the JVM, no row ever visits Python."""

from dataclasses import dataclass

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as fn
from pyspark.sql.types import StringType, StructField, StructType

TOMBSTONE = "tombstone"
_RECORD = "record"
_CORRUPT = "__frazil_corrupt"


@dataclass(frozen=True)
class RowPlan:
    """How the records of a topic become rows of one table."""

    schema: StructType

    def read(self, source: DataFrame) -> DataFrame:
        """Parse the values, and keep beside them only where each record came from."""
        json_schema = StructType([*self.schema.fields, StructField(_CORRUPT, StringType())])
        record = fn.from_json(
            fn.col("value").cast("string"), json_schema, {"columnNameOfCorruptRecord": _CORRUPT}
        )
        tombstone = fn.col("value").isNull()
        return source.select(
            "topic",
            "partition",
            "offset",
            "timestamp",
            tombstone.alias(TOMBSTONE),
            record.alias(_RECORD),
        )

    @property
    def fault(self) -> Column:
        """Why a record cannot become a row; null when it can, and for tombstones.

        An expression and not a column, for each further column copies the whole record once more.
        """
        record = fn.col(_RECORD)
        corrupt = record.getField(_CORRUPT).isNotNull()
        fault = fn.when(fn.col(TOMBSTONE), None).when(
            record.isNull() | corrupt, fn.lit("it is not JSON of the table's shape")
        )
        for field in self.schema.fields:
            if not field.nullable:
                missing = record.getField(field.name).isNull()
                fault = fault.when(missing, fn.lit(f"required column {field.name} has no value"))
        return fault

    def rows(self, parsed: DataFrame) -> DataFrame:
        """Keep what belongs in the table, as the table's own columns."""
        good = parsed.where(~fn.col(TOMBSTONE) & self.fault.isNull())
        return good.select(
            *(fn.col(_RECORD).getField(name).alias(name) for name in self.schema.names)
        )

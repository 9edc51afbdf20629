"""Records to rows as column expressions: parse once in the JVM, no row ever visits Python."""

from dataclasses import dataclass

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as fn
from pyspark.sql.types import StringType, StructField, StructType

_CORRUPT = "__frazil_corrupt"
_RECORD = "record"
REASON = "reason"


@dataclass(frozen=True)
class RowPlan:
    """How the records of a topic become rows of one table."""

    schema: StructType

    def read(self, source: DataFrame) -> DataFrame:
        """Parse the value; `reason` tells why a record cannot become a row, null when it can."""
        json_schema = StructType([*self.schema.fields, StructField(_CORRUPT, StringType())])
        parsed = fn.from_json(
            fn.col("value").cast("string"), json_schema, {"columnNameOfCorruptRecord": _CORRUPT}
        )
        return source.select(
            "topic", "partition", "offset", "timestamp", "value", parsed.alias(_RECORD)
        ).withColumn(REASON, self._reason())

    def rows(self, parsed: DataFrame) -> DataFrame:
        """Keep what belongs in the table, as the table's own columns."""
        good = parsed.where(fn.col("value").isNotNull() & fn.col(REASON).isNull())
        return good.select(
            *(fn.col(_RECORD).getField(name).alias(name) for name in self.schema.names)
        )

    def _reason(self) -> Column:
        record = fn.col(_RECORD)
        corrupt = record.getField(_CORRUPT).isNotNull()
        reason = fn.when(fn.col("value").isNull(), None).when(
            record.isNull() | corrupt, fn.lit("it is not JSON of the table's shape")
        )
        for field in self.schema.fields:
            if not field.nullable:
                missing = record.getField(field.name).isNull()
                reason = reason.when(missing, fn.lit(f"required column {field.name} has no value"))
        return reason

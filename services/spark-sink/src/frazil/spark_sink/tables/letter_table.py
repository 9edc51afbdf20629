"""The table of dead letters: one for all tables of a connector, or of many connectors."""

from collections.abc import Sequence

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as fn
from pyspark.sql.types import (
    ArrayType,
    BinaryType,
    IntegerType,
    LongType,
    StringType,
    StructField,
    StructType,
    TimestampType,
)

from frazil.contracts.naming import letter_ledger
from frazil.contracts.plugins.iceberg_tables import MAIN
from frazil.spark_sink.counts import DROPPED, counts_of, observed
from frazil.spark_sink.store import Written
from frazil.spark_sink.tables.files import write_files
from frazil.spark_sink.tables.guarded import GuardedTable
from frazil.spark_sink.tables.history import Line
from frazil.spark_sink.tables.lake import Lake
from frazil.spark_sink.tables.settings import TableKeys
from frazil.worker.errors import BadTableError

_HEADER = StructType([StructField("key", StringType()), StructField("value", BinaryType())])
SCHEMA = StructType(
    [
        StructField("connector", StringType()),
        StructField("table", StringType()),
        StructField("topic", StringType()),
        StructField("partition", IntegerType()),
        StructField("offset", LongType()),
        StructField("timestamp", TimestampType()),
        StructField("key", BinaryType()),
        StructField("value", BinaryType()),
        StructField("headers", ArrayType(_HEADER)),
        StructField("reason", StringType()),
        StructField("message", StringType()),
        StructField("failed_at", TimestampType()),
    ]
)


class LetterTable(GuardedTable):
    """The letters of what one table refused, or of records too broken to name their table."""

    def __init__(self, spark: SparkSession, lake: Lake, refusing: str, keys: TableKeys) -> None:
        super().__init__(
            lake,
            keys.dead_letters,
            ledger_name=letter_ledger(keys.connector, refusing),
            control_topic=keys.control_topic,
        )
        self._spark = spark
        self._connector = keys.connector
        self._refusing = refusing
        found = lake.load(self._id) or lake.create(self._id, SCHEMA)
        missing = [name for name in SCHEMA.names if name not in lake.schema_of(found).names]
        if missing:
            raise BadTableError(
                f"Table {self._id} cannot hold dead letters: it has no {', '.join(missing)}. Name "
                "another one in frazil.dead.letters.table; one that is missing is made."
            )
        self._take(found, Line.of(self._ledger_name, MAIN))

    def undoing(self, *_: object) -> None:
        """Undo no commit: letters say of which offsets they are, and are deleted by that."""

    def write(self, part: DataFrame, partitions: Sequence[tuple[str, int]]) -> Written:
        rows, observation = observed(
            part.select("*", fn.lit(False).alias(DROPPED)),
            fn.lit(None).cast("string"),
            partitions,
        )
        own = {
            "connector": fn.lit(self._connector),
            "table": fn.lit(self._refusing or None),
            "failed_at": fn.col("failed_at")
            if "failed_at" in part.columns
            else fn.current_timestamp(),
        }
        columns = [own.get(name, fn.col(name)).alias(name) for name in SCHEMA.names]
        files = write_files(self._spark, self._table, rows.select(*columns), {})
        return Written(files, counts_of(observation))

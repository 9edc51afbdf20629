"""Records as they were in Kafka, kept beside what is made of them: a dead letter is one again."""

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as fn

from frazil.spark_sink.tasks.chunks import KAFKA_COLUMNS

_PLACE = ("topic", "partition", "offset")
HEADERS = "array<struct<key: string, value: binary>>"


def raw_columns() -> list[Column]:
    """Return what a frame of records has to begin with. It costs nothing where nobody reads it."""
    return [
        *(fn.col(name) for name in ("topic", "partition", "offset", "timestamp")),
        fn.col("key").alias("raw_key"),
        fn.col("value").alias("raw_value"),
        fn.col("headers").alias("raw_headers"),
    ]


def records_of(batch: DataFrame) -> DataFrame:
    """Take out of a frame what records of Kafka have."""
    return batch.select(*KAFKA_COLUMNS)


def in_order(records: DataFrame) -> DataFrame:
    """Have each task take records in the order of their places: so they change a schema."""
    return records.sortWithinPartitions(*_PLACE)


def letters_of(frame: DataFrame, message: Column) -> DataFrame:
    """Take the records out of a frame whose values have a message saying what is wrong."""
    return frame.where(message.isNotNull()).select(
        *("topic", "partition", "offset", "timestamp"),
        fn.col("raw_key").alias("key"),
        fn.col("raw_value").alias("value"),
        fn.col("raw_headers").alias("headers"),
        fn.lit("converter").alias("reason"),
        message.alias("message"),
        fn.lit("VALUE_CONVERTER").alias("stage"),
        fn.lit(None).cast("string").alias("class"),
    )

"""Records as they were in Kafka, kept beside what is made of them: a dead letter is one again."""

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as fn

# A record as Kafka's source gives it.
RECORD = ("topic", "partition", "offset", "timestamp", "key", "value", "headers")
# The reason of a letter whose record is a row all the same, without one of its values.
NULLED = "nulled"
HEADERS = "array<struct<key: string, value: binary>>"


def headers_of(batch: DataFrame) -> Column:
    return fn.col("headers") if "headers" in batch.columns else fn.lit(None).cast(HEADERS)


def raw_columns(batch: DataFrame) -> list[Column]:
    """Return what a frame of records has to begin with. It costs nothing where nobody reads it."""
    return [
        *(fn.col(name) for name in ("topic", "partition", "offset", "timestamp")),
        fn.col("key").alias("raw_key"),
        fn.col("value").alias("raw_value"),
        headers_of(batch).alias("raw_headers"),
    ]


def records_of(batch: DataFrame) -> DataFrame:
    """Take out of a frame what records of Kafka have.

    A task takes them in the order of their places, for in that order they change a schema.
    """
    place = "topic", "partition", "offset"
    records = batch.select(*place, "timestamp", "key", "value", headers_of(batch).alias("headers"))
    return records.sortWithinPartitions(*place)


def letters_of(frame: DataFrame, reason: Column, message: Column) -> DataFrame:
    """Take the records out of a frame that have a message saying why they are no rows."""
    return frame.where(message.isNotNull()).select(
        *("topic", "partition", "offset", "timestamp"),
        fn.col("raw_key").alias("key"),
        fn.col("raw_value").alias("value"),
        fn.col("raw_headers").alias("headers"),
        reason.alias("reason"),
        message.alias("message"),
        fn.when(reason == "converter", "VALUE_CONVERTER")
        .when(reason == "transform", "TRANSFORMATION")
        .otherwise("TASK_PUT")
        .alias("stage"),
        fn.lit(None).cast("string").alias("class"),
    )


def packed(batch: DataFrame) -> DataFrame:
    """Give a batch that many tables are written from no more parts than there are cores.

    Each table looks through all parts: with one for each of many Kafka partitions most of the time
    would go into tasks that find nothing.
    """
    return batch.coalesce(batch.sparkSession.sparkContext.defaultParallelism)

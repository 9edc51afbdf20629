"""Spark's Python workers, started before the first batch needs them."""

import threading
from collections.abc import Iterable
from contextlib import suppress

from pyspark.sql import SparkSession
from pyspark.util import inheritable_thread_target


def start_workers(spark: SparkSession, count: int) -> None:
    """Have Spark start so many workers, while others look for tables.

    If it cannot, the first batch tells why.
    """

    def start() -> None:
        with suppress(Exception):
            spark.sparkContext.parallelize(range(count), count).mapPartitions(_nothing).collect()

    run = inheritable_thread_target(spark)(start)
    threading.Thread(target=run, name="python-workers", daemon=True).start()


def _nothing(numbers: Iterable[int]) -> Iterable[int]:
    return numbers

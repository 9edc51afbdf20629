"""Data files that no snapshot knows yet, written by Spark (ADR 4)."""

import uuid
from collections.abc import Mapping
from typing import Any

from pyspark.sql import DataFrame, SparkSession

from frazil.spark_sink.catalog import FILES_CATALOG
from frazil.worker.bridge import call_static, jvm

_FANOUT = "write.spark.fanout.enabled"


def write_files(
    spark: SparkSession, table: Any, rows: DataFrame, properties: Mapping[str, str]
) -> list[Any]:
    """Write rows by the table's layout; `properties` win over the table's own.

    Spark's writer for rewritten files knows a table by a key in a cache of the JVM, and hands the
    files to a coordinator; we take them from there.
    """
    iceberg = jvm(spark).org.apache.iceberg
    group = f"frazil-{uuid.uuid4().hex}"
    cache = call_static(spark, "org.apache.iceberg.spark.SparkTableCache", "get")
    coordinator = iceberg.spark.FileRewriteCoordinator.get()
    cache.add(group, _with(iceberg, table, properties))
    # Rows without a value in a required column were set aside before.
    options = {"check-nullability": "false", **_one_file_at_a_time(table, properties)}
    try:
        rows.writeTo(f"{FILES_CATALOG}.`{group}`").options(**options).append()
        return list(coordinator.fetchNewFiles(table, group))
    finally:
        coordinator.clearRewrite(table, group)
        cache.remove(group)


def _one_file_at_a_time(table: Any, properties: Mapping[str, str]) -> dict[str, str]:
    """Have rows sorted by partition, unless somebody wants it otherwise.

    Iceberg would keep a file open for each partition of a batch: a megabyte and more each, so that
    the heap is full with a few hundred, and three times slower with eight of 32 columns.
    """
    is_chosen = _FANOUT in properties or _FANOUT in table.properties()
    return {} if is_chosen else {"fanout-enabled": "false"}


def _with(iceberg: Any, table: Any, properties: Mapping[str, str]) -> Any:
    """Return a table that has these properties for a writer, and for nobody else."""
    if not properties:
        return table
    metadata = table.operations().current()
    changed = metadata.replaceProperties({**metadata.properties(), **properties})
    operations = iceberg.StaticTableOperations(changed, table.io(), table.locationProvider())
    return iceberg.BaseTable(operations, table.name())

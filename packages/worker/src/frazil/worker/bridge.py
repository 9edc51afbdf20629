"""The doors from Python to the JVM that PySpark keeps private, each named once."""

# ruff: noqa: SLF001
from typing import Any

from pyspark.java_gateway import ensure_callback_server_started
from pyspark.sql import SparkSession


def jvm(spark: SparkSession) -> Any:
    return spark._jvm


def java_session(spark: SparkSession) -> Any:
    return spark._jsparkSession


def allow_callbacks(spark: SparkSession) -> None:
    """Let Java objects call Python objects that implement a Java interface."""
    ensure_callback_server_started(spark.sparkContext._gateway)  # type: ignore[no-untyped-call]

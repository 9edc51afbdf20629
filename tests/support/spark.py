"""A Spark session as workers have it, for tests without a cluster."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from py4j.clientserver import ClientServer
from pyspark import SparkContext
from pyspark.sql import SparkSession

from frazil.runtime.hiding import Hiding
from frazil.worker.jvm import running_jvm
from frazil.worker.session import open_session
from frazil.worker.settings import WorkerSettings

# PySpark leaves the sockets that rows came through to the garbage collector.
LEAVES_SOCKETS = pytest.mark.filterwarnings(
    "ignore::ResourceWarning", "ignore::pytest.PytestUnraisableExceptionWarning"
)


@contextmanager
def own_jvm(hiding: Hiding, memory: str = "512m") -> Iterator[ClientServer]:
    """Start a JVM in the tests' process, where others have been and others will be."""
    try:
        with (
            TemporaryDirectory() as folder,
            running_jvm(WorkerSettings(), Path(folder), memory, hiding=hiding) as jvm,
            jvm.explained(),
        ):
            yield jvm.gateway
    finally:
        # PySpark would go on with a JVM that is gone.
        SparkContext._gateway = SparkContext._jvm = None


@contextmanager
def spark_session(more: Mapping[str, str] | None = None) -> Iterator[SparkSession]:
    conf = {
        "spark.app.name": "test",
        "spark.master": "local[2]",
        "spark.sql.shuffle.partitions": "1",
        "spark.sql.caseSensitive": "true",
        # Plans of one row each are not worth the compiler.
        "spark.sql.codegen.wholeStage": "false",
        "spark.sql.codegen.factoryMode": "NO_CODEGEN",
        **(more or {}),
    }
    with own_jvm(Hiding()) as gateway, open_session(gateway, conf) as session:
        yield session

"""The Spark session of a worker: the same lean settings for every job, its own on top."""

import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from urllib.parse import quote

from py4j.clientserver import ClientServer
from pyspark import SparkConf, SparkContext
from pyspark.logger import PySparkLogger
from pyspark.sql import SparkSession

from frazil.contracts.plugins.group_keys import SESSION_PREFIX
from frazil.worker.bridge import enter_session
from frazil.worker.errors import BadConfigError, WorkerError
from frazil.worker.jvm_errors import JAVA_ERRORS, JVM_GONE, java_errors_as, java_message

# A driver that streams small batches on one machine wants no UI, no Hive, and no re-planning of
# a query while it runs: each costs start time or milliseconds in every batch.
_LEAN = {
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.sql.adaptive.enabled": "false",
    "spark.sql.catalogImplementation": "in-memory",
    "spark.sql.session.timeZone": "UTC",
    "spark.sql.streaming.noDataMicroBatches.enabled": "false",
    "spark.sql.streaming.metricsEnabled": "false",
    "spark.sql.ui.retainedExecutions": "1",
    "spark.python.daemon.module": "frazil.worker.python_daemon",
    # Arrow gives memory back at once, and not when it allocates again: with the next batch.
    "spark.executorEnv.MIMALLOC_PURGE_DELAY": "0",
    # Files of a checkpoint without others for their checksums: Hadoop starts a program for each.
    "spark.hadoop.fs.AbstractFileSystem.file.impl": "org.apache.hadoop.fs.local.RawLocalFs",
}

# No connector may change these: other users of the machine reach the ports of a driver, and a
# statement must not name a file.
_SAFETY = {
    "spark.authenticate": "true",
    "spark.network.crypto.enabled": "true",
    "spark.network.crypto.cipher": "AES/GCM/NoPadding",
    "spark.network.crypto.saslFallback": "false",
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.driver.host": "127.0.0.1",
    "spark.sql.runSQLOnFiles": "false",
}

# It logs the stack of each error of an analysis, beside raising it.
PySparkLogger.getLogger("SQLQueryContextLogger").disabled = True

_UNREADABLE = ("IllegalArgumentException", "NumberFormatException", "Could not parse Master URL")


@contextmanager
def open_session(gateway: ClientServer, conf: Mapping[str, str]) -> Iterator[SparkSession]:
    """Start Spark in the JVM, and end it with the block."""
    # Defaults come from us alone, not from what a user's SPARK_CONF_DIR may hold.
    spark_conf = SparkConf(loadDefaults=False, _jvm=gateway.jvm)
    spark_conf.setAll(list({**_LEAN, **conf, **_SAFETY}.items()))
    with java_errors_as(_start_error):
        spark = SparkSession(SparkContext(conf=spark_conf, gateway=gateway))
    # Tasks in Python have the packages that we have; Spark would take the `python3` of the PATH.
    spark.sparkContext.pythonExec = sys.executable
    try:
        yield spark
    finally:
        with suppress(*JVM_GONE):
            spark.stop()


def _start_error(message: str) -> WorkerError:
    """Tell settings that Spark cannot read from everything else that may keep it from starting."""
    first = message.partition("\n")[0]
    if any(sign in message for sign in _UNREADABLE):
        return BadConfigError(f"Spark cannot start with the `spark.*` keys as they are: {first}")
    return WorkerError(f"Spark does not start: {first}", message)


@contextmanager
def join_session(spark: SparkSession, name: str, conf: Mapping[str, str]) -> Iterator[SparkSession]:
    """Give a session of its own to the thread at hand, in a driver that others use too.

    Settings of the whole driver are left out: it has been started with others. What its threads
    begin takes turns with the others' work, and ends with the block.
    """
    own = spark.newSession()
    with _static_refused():
        for key, value in conf.items():
            if key.startswith(SESSION_PREFIX) and key not in _SAFETY:
                own.conf.set(key, value)
    enter_session(own)
    context = own.sparkContext
    context.setLocalProperty("spark.scheduler.pool", name)
    context.addJobTag(job_tag(name))
    try:
        yield own
    finally:
        with suppress(*JVM_GONE):
            context.cancelJobsWithTag(job_tag(name))


def job_tag(name: str) -> str:
    """Mark Spark's jobs of one connector; commas would divide it."""
    return f"frazil-{quote(name, safe='')}"


@contextmanager
def _static_refused() -> Iterator[None]:
    try:
        yield
    except JAVA_ERRORS as error:
        raise BadConfigError(
            "A setting of Spark is of the whole driver, which the connectors of a group share: "
            "leave it out, or leave the group (`frazil.worker.group`).",
            java_message(error),
        ) from None

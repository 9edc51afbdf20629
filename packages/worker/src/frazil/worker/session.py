"""The Spark session of a worker: the same lean settings for every job, its own on top."""

from collections.abc import Mapping

from py4j.clientserver import ClientServer
from pyspark import SparkConf, SparkContext
from pyspark.sql import SparkSession

# A driver that streams small batches on one machine wants no UI, no Hive, and no re-planning of
# a query while it runs: each costs start time or milliseconds in every batch.
_LEAN = {
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.driver.host": "127.0.0.1",
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.sql.adaptive.enabled": "false",
    "spark.sql.catalogImplementation": "in-memory",
    "spark.sql.session.timeZone": "UTC",
    "spark.sql.streaming.noDataMicroBatches.enabled": "false",
    "spark.sql.streaming.metricsEnabled": "false",
    "spark.sql.ui.retainedExecutions": "1",
}


def open_session(gateway: ClientServer, conf: Mapping[str, str]) -> SparkSession:
    # Defaults come from us alone, not from what a user's SPARK_CONF_DIR may hold.
    spark_conf = SparkConf(loadDefaults=False, _jvm=gateway.jvm)
    spark_conf.setAll(list({**_LEAN, **conf}.items()))
    return SparkSession(SparkContext(conf=spark_conf, gateway=gateway))

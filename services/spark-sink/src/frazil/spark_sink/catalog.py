"""The Iceberg catalog of a connector as Spark's settings."""

from frazil.spark_sink.config import SinkConfig
from frazil.spark_sink.table import FILES_CATALOG

_PREFIX = "spark.sql.catalog."


def catalog_conf(config: SinkConfig) -> dict[str, str]:
    """Pass the connector's `iceberg.catalog.*` keys on; caching would hide others' commits."""
    own = _PREFIX + config.catalog
    return {
        own: "org.apache.iceberg.spark.SparkCatalog",
        f"{own}.cache-enabled": "false",
        **{f"{own}.{key}": value for key, value in config.catalog_properties.items()},
        _PREFIX + FILES_CATALOG: "org.apache.iceberg.spark.SparkRewriteTableCatalog",
    }

"""A Spark of its own process, whose tables are in a catalog: statements in, their rows out.

Takes JSON on its standard input, `{"catalogs": {name: {...}}, "jars": [...], "statements": [...]}`,
and prints the rows of each statement as one line of JSON; one that fails gives a text instead.
"""

import json
import sys
from typing import Any

from py4j.protocol import Py4JJavaError
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession


def main() -> None:
    asked = json.load(sys.stdin)
    session = _session(asked["catalogs"], asked["jars"])
    for statement in asked["statements"]:
        print(json.dumps(_rows(session, statement), default=str), flush=True)  # noqa: T201
    session.stop()


def _session(catalogs: dict[str, dict[str, str]], jars: list[str]) -> SparkSession:
    config = {
        "spark.jars": ",".join(jars),
        "spark.ui.enabled": "false",
        "spark.driver.host": "127.0.0.1",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.sql.shuffle.partitions": "1",
        "spark.sql.session.timeZone": "UTC",
        "spark.sql.extensions": (
            "org.apache.iceberg.spark.extensions.IcebergSparkSessionExtensions"
        ),
    }
    for catalog, properties in catalogs.items():
        config[f"spark.sql.catalog.{catalog}"] = "org.apache.iceberg.spark.SparkCatalog"
        for name, value in properties.items():
            config[f"spark.sql.catalog.{catalog}.{name}"] = value
    builder = SparkSession.builder.master("local[1]")
    for name, value in config.items():
        builder = builder.config(name, value)
    session: SparkSession = builder.getOrCreate()
    session.sparkContext.setLogLevel("ERROR")
    return session


def _rows(session: SparkSession, statement: str) -> Any:
    try:
        return [list(row) for row in session.sql(statement).collect()]
    except (PySparkException, Py4JJavaError) as error:
        text = str(error)
        causes = (line for line in text.splitlines() if line.startswith("Caused by: "))
        return "\n".join((text[:1000], *causes))


if __name__ == "__main__":
    main()

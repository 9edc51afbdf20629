"""From an assignment to what the job needs, and to the options of Spark's Kafka source."""

import json

import pytest

from frazil.contracts.assignment import Assignment
from frazil.spark_sink.catalog import catalog_conf
from frazil.spark_sink.config import SinkConfig, sink_config
from frazil.spark_sink.kafka import source_options
from frazil.worker.connector import read_config
from frazil.worker.errors import BadConfigError

CONFIG = {
    "name": "logs",
    "connector.class": "org.apache.iceberg.connect.IcebergSinkConnector",
    "topics": "a,b",
    "iceberg.tables": "ns.t",
    "iceberg.catalog.type": "rest",
    "iceberg.catalog.uri": "http://catalog",
    "value.converter.schemas.enable": "false",
}


BROKER = {"bootstrap.servers": "k:9092"}


def config(keys: dict[str, str] | None = None, kafka: dict[str, str] = BROKER) -> SinkConfig:
    assignment = Assignment(
        connector="logs",
        epoch=1,
        generation=1,
        worker_id="w",
        config=CONFIG | (keys or {}),
        kafka=kafka,
    )
    return sink_config(assignment, read_config(assignment), commit_interval_ms=500)


def test_defaults_are_connects() -> None:
    made = config()
    assert (made.topics, made.group) == (("a", "b"), "connect-logs")
    assert (made.cores, made.offset_reset) == (1, "earliest")
    assert not made.tolerate_errors


def test_a_configuration_that_validate_refuses_ends_the_worker_with_its_words() -> None:
    with pytest.raises(BadConfigError, match="Not a number of type INT"):
        config({"tasks.max": "many"})


def test_a_worker_without_a_broker_says_so() -> None:
    with pytest.raises(BadConfigError, match=r"bootstrap\.servers"):
        config(kafka={})


def test_a_connectors_own_client_settings_win_over_the_workers() -> None:
    made = config({"consumer.override.bootstrap.servers": "other:9092"})
    assert made.bootstrap_servers == "other:9092"


def test_the_source_begins_exactly_at_the_given_offsets() -> None:
    options = source_options(config(), {"a": {0: 5}, "b": {0: 7}})
    assert json.loads(options["startingOffsets"]) == {"a": {"0": 5}, "b": {"0": 7}}
    assert (options["subscribe"], options["failOnDataLoss"]) == ("a,b", "true")


def test_security_reaches_the_consumer_and_what_spark_refuses_does_not() -> None:
    options = source_options(
        config(
            {
                "consumer.override.security.protocol": "SASL_SSL",
                "consumer.override.group.id": "mine",
                "consumer.override.auto.offset.reset": "latest",
            }
        ),
        {},
    )
    assert options["kafka.security.protocol"] == "SASL_SSL"
    assert "kafka.group.id" not in options
    assert "kafka.auto.offset.reset" not in options


def test_catalog_keys_are_passed_on_under_the_catalogs_name() -> None:
    conf = catalog_conf("lake", {"type": "rest", "uri": "http://catalog"})
    assert conf["spark.sql.catalog.lake.uri"] == "http://catalog"
    assert conf["spark.sql.catalog.lake.cache-enabled"] == "false"


def test_spark_keys_reach_spark() -> None:
    assert config({"spark.sql.parquet.x": "1"}).spark == {"spark.sql.parquet.x": "1"}

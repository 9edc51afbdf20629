"""From an assignment to what the job needs, and to the options of Spark's Kafka source."""

import json

import pytest

from frazil.contracts.assignment import Assignment
from frazil.contracts.offsets import Ending, Mode, Rewind
from frazil.contracts.plugins import find_plugin
from frazil.spark_sink.catalog import catalog_conf
from frazil.spark_sink.config import SinkConfig, sink_config
from frazil.spark_sink.kafka import source_options
from frazil.spark_sink.tables.settings import TableKeys
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


def config(
    keys: dict[str, str] | None = None,
    kafka: dict[str, str] = BROKER,
    rewind: Rewind | None = None,
) -> SinkConfig:
    assignment = Assignment(
        connector="logs",
        epoch=1,
        generation=1,
        worker_id="w",
        config=CONFIG | (keys or {}),
        kafka=kafka,
        rewind=rewind,
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
    options = source_options(config(), {"a": {0: 5}, "b": {0: 7}}, most=9)
    assert json.loads(options["startingOffsets"]) == {"a": {"0": 5}, "b": {"0": 7}}
    assert (options["subscribe"], options["failOnDataLoss"]) == ("a,b", "true")
    assert options["maxOffsetsPerTrigger"] == "9"


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
        most=9,
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


ASIDE = Rewind(number=7, offsets={"a": {0: 1}}, mode=Mode.BRANCH, branch="side")
PUBLISHED = ASIDE.model_copy(update={"ending": Ending.PUBLISH, "ended": 9})
DROPPED = ASIDE.model_copy(update={"ending": Ending.DROP, "ended": 9})
UPSERT = {"iceberg.tables.upsert-mode-enabled": "true"}


def test_in_a_side_branch_commits_are_undone_as_in_the_table() -> None:
    for keys, mode in (({}, Mode.ONCE), (UPSERT, Mode.AGAIN)):
        made = config(keys, rewind=ASIDE)
        assert made.rewind == ASIDE.model_copy(update={"mode": mode})
        assert made.side == "side"


def test_a_branch_that_was_dropped_has_never_been_but_for_its_end() -> None:
    made = config(rewind=DROPPED)
    assert made.rewind is not None
    assert (made.rewind.number, made.rewind.offsets, made.rewind.newest) == (0, {}, 9)
    assert (made.side, config(rewind=PUBLISHED).side) == (None, None)


def test_a_table_is_written_in_the_branch_until_that_ends() -> None:
    keys = {"iceberg.tables.default-commit-branch": "dev"}
    parsed = find_plugin(CONFIG["connector.class"]).parse(CONFIG | keys)
    for rewind, branch in ((None, "dev"), (ASIDE, "side"), (PUBLISHED, "dev"), (DROPPED, "dev")):
        made = TableKeys.of("logs", parsed, {}, rewind)
        assert (made.branch("ns.t"), made.base("ns.t")) == (branch, "dev")


def test_a_configuration_that_leaves_no_room_for_the_branch_is_refused_while_it_is_open() -> None:
    letters = {"errors.tolerance": "all", "frazil.dead.letters.table": "ns.dead"}
    with pytest.raises(BadConfigError, match="Rows go to branch side until it is published"):
        config(letters, rewind=ASIDE)
    assert config(letters, rewind=PUBLISHED).rewind is not None

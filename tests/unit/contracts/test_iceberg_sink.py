"""The Iceberg sink's rules: what is valid together, and what is not done yet."""

import pytest
from tests.support.sink_configs import PLUGIN, VALID, changed, complaints

from frazil.contracts.plugins import InvalidConfigError, Plugin
from frazil.contracts.plugins.converters import converting
from frazil.contracts.plugins.iceberg_sink import ICEBERG_SINKS

JSON = "org.apache.kafka.connect.json.JsonConverter"
_NO_TOPICS = "Must configure one of topics or topics.regex"
_TWO_TOPICS = "topics and topics.regex are mutually exclusive options, but both are set."

# As people run it against Kafka Connect today.
REST_CATALOG = {
    "name": "iceberg-sink-apilogs",
    "connector.class": "io.tabular.iceberg.connect.IcebergSinkConnector",
    "tasks.max": "2",
    "topics": "apilogs",
    "iceberg.tables": "streaming.apilogs",
    "iceberg.tables.auto-create-enabled": "false",
    "iceberg.tables.evolve-schema-enabled": "true",
    "iceberg.catalog.type": "rest",
    "iceberg.catalog.uri": "http://catalog:9000/_iceberg",
    "iceberg.catalog.rest.sigv4-enabled": "true",
    "iceberg.control.topic": "control-iceberg",
    "iceberg.control.commit.interval-ms": "10000",
    "iceberg.control.commit.timeout-ms": "60000",
}
CONVERTERS = {
    "key.converter": "org.apache.kafka.connect.storage.StringConverter",
    "value.converter": JSON,
    "value.converter.schemas.enable": "false",
}


@pytest.mark.parametrize("plugin", ICEBERG_SINKS, ids=lambda plugin: plugin.class_name)
@pytest.mark.parametrize("extra", [{}, CONVERTERS], ids=["worker's converters", "own converters"])
def test_a_configuration_of_kafka_connect_is_taken_as_it_is(
    plugin: Plugin, extra: dict[str, str]
) -> None:
    config = plugin.parse(REST_CATALOG | extra)
    assert config["topics"] == ("apilogs",)
    assert config["tasks.max"] == 2
    assert config["iceberg.control.commit.interval-ms"] == 10_000
    assert config["iceberg.tables.evolve-schema-enabled"] is True
    assert config.prefixed("iceberg.catalog.") == {
        "type": "rest",
        "uri": "http://catalog:9000/_iceberg",
        "rest.sigv4-enabled": "true",
    }


def test_defaults_are_applied() -> None:
    config = PLUGIN.parse(VALID)
    assert config["tasks.max"] == 1
    assert config["iceberg.catalog"] == "iceberg"
    assert config["iceberg.control.commit.interval-ms"] == 300_000
    assert config["value.converter"] == JSON
    assert config["frazil.on.data.loss"] == "fail"
    assert config["frazil.max.records.per.commit"] is None
    assert config["frazil.driver.memory"] == "512m"
    assert not config.is_set("frazil.driver.memory")


@pytest.mark.parametrize(
    "extra",
    [
        {"iceberg.tables.write-props.write.format.default": "parquet"},
        {"iceberg.table.write-props.write.format.default": "parquet"},
        {"iceberg.table.streaming.apilogs.id-columns": "id"},
        {"iceberg.table.apilogs.id-columns": "id"},
        {"iceberg.table.apilogs.partition-by": "day(time)"},
        {"iceberg.table.apilogs.commit-branch": "main"},
        {"iceberg.tables.default-commit-branch": "main"},
        {"iceberg.tables.default-commit-branch": ""},
        {"iceberg.tables.dynamic-enabled": "false", "iceberg.tables.upsert-mode-enabled": "false"},
        {"iceberg.coordinator.transactional.prefix": "a", "iceberg.control.group-id": "b"},
        {"spark.sql.shuffle.partitions": "2", "consumer.override.auto.offset.reset": "latest"},
        {"key.converter": "ByteArrayConverter", "header.converter": "String"},
        {"value.converter": "Json", "value.converter.schemas.enable": "FALSE"},
        {"value.converter.schemas.enable": "false", "value.converter.schemas.cache.size": "10"},
        {"connector.plugin.version": "0.1.0"},
        {"connector.plugin.version": "[0.1.0,0.1.0]"},
        {"transforms": "", "predicates": "", "errors.deadletterqueue.topic.name": ""},
        {"frazil.driver.memory": "2g", "frazil.on.data.loss": "latest"},
    ],
    ids=" ".join,
)
def test_these_are_accepted(extra: dict[str, str | None]) -> None:
    assert complaints(changed(extra)) == {}


@pytest.mark.parametrize(
    ("config", "expected"),
    [
        pytest.param(
            changed({}, without="topics"),
            {"topics": [_NO_TOPICS], "topics.regex": [_NO_TOPICS]},
            id="no topics, said twice",
        ),
        pytest.param(
            changed({"topics": "  "}),
            {"topics": [_NO_TOPICS], "topics.regex": [_NO_TOPICS]},
            id="blank topics",
        ),
        pytest.param(
            changed({"topics": "a,b,a"}),
            {"topics": ["Configuration 'topics' values must not be duplicated."]},
            id="a topic twice",
        ),
        pytest.param(
            changed({}, without="iceberg.catalog.type"),
            {
                "iceberg.catalog": [
                    "No catalog is configured: set iceberg.catalog.type or "
                    "iceberg.catalog.catalog-impl, and what the catalog needs, such as "
                    "iceberg.catalog.uri."
                ]
            },
            id="no catalog",
        ),
        pytest.param(
            changed({}, without="iceberg.tables"),
            {"iceberg.tables": ["No table is configured: set iceberg.tables."]},
            id="no table",
        ),
        pytest.param(
            changed({"key.converter": "Nope"}),
            {
                "key.converter": [
                    "Invalid value Nope for configuration key.converter: "
                    "Class Nope could not be found."
                ]
            },
            id="unknown key converter",
        ),
        pytest.param(
            changed({"value.converter": "Nope"}),
            {
                "value.converter": [
                    "Invalid value Nope for configuration value.converter: "
                    "Class Nope could not be found."
                ]
            },
            id="unknown value converter",
        ),
        pytest.param(
            changed({"value.converter": "io.confluent.connect.protobuf.ProtobufConverter"}),
            {
                "value.converter": [
                    "ProtobufConverter is not supported. Write the topic as JSON or Avro."
                ]
            },
            id="Protobuf",
        ),
        pytest.param(
            changed({"value.converter": "io.confluent.connect.avro.AvroConverter"}),
            {
                "value.converter": [
                    "value.converter.schema.registry.url is not set: AvroConverter asks a "
                    "registry for schemas."
                ]
            },
            id="Avro without a registry",
        ),
    ],
)
def test_these_are_refused(config: dict[str, str | None], expected: dict[str, list[str]]) -> None:
    assert complaints(config) == expected


@pytest.mark.parametrize("memory", ["512", "512k", "m", "0m", "1.5g", "-1g"])
def test_memory_is_a_number_of_mega_or_gigabytes(memory: str) -> None:
    assert complaints(changed({"frazil.driver.memory": memory})) == {
        "frazil.driver.memory": [
            f"Invalid value {memory} for configuration frazil.driver.memory: "
            "A number and m or g, such as 512m or 2g"
        ]
    }


_SCHEMAS = "value.converter.schemas.enable"


@pytest.mark.parametrize(
    ("given", "word", "schemas"),
    [
        ({}, "json", False),
        ({_SCHEMAS: "true"}, "json", True),
        ({"value.converter": JSON}, "json", True),
        ({"value.converter": "Json", _SCHEMAS: "false"}, "json", False),
        ({"value.converter": "ByteArrayConverter"}, "bytes", True),
        (
            {"value.converter": "AvroConverter", "value.converter.schema.registry.url": "http://r"},
            "avro",
            True,
        ),
    ],
)
def test_a_converter_is_read_with_connects_rule_about_its_settings(
    given: dict[str, str | None], word: str, schemas: bool
) -> None:
    found = converting(PLUGIN.parse(changed(given)), "value")
    assert (found.word, found.schemas) == (word, schemas)


def test_topics_and_a_pattern_exclude_each_other_and_both_are_told() -> None:
    found = complaints(changed({"topics.regex": "api.*"}))
    assert found["topics"] == [_TWO_TOPICS]
    assert _TWO_TOPICS in found["topics.regex"]


def test_a_dead_letter_topic_must_not_be_read_by_the_same_sink() -> None:
    config = changed({"topics": "b, t, b", "errors.deadletterqueue.topic.name": " t "})
    assert complaints(config)["topics"] == [
        "Configuration 'topics' values must not be duplicated.",
        "The DLQ topic 't' may not be included in the list of topics ('topics=[b, t]') "
        "consumed by the connector",
    ]


def test_a_pattern_of_topics_has_to_be_one() -> None:
    assert complaints(changed({"topics.regex": "log.*"}, without="topics")) == {}
    found = complaints(changed({"topics.regex": "log(.*"}, without="topics"))
    assert found["topics.regex"][0].startswith(
        "Invalid value log(.* for configuration topics.regex: Not a regular expression: missing )"
    )


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ("dead", "frazil.dead.letters.table: dead has no namespace; say namespace.table."),
        (
            "streaming.apilogs",
            "frazil.dead.letters.table: streaming.apilogs is in iceberg.tables; give it a table of "
            "its own.",
        ),
        ("streaming.dead", None),
    ],
)
def test_dead_letters_need_a_table_of_their_own(table: str, message: str | None) -> None:
    config = changed({"frazil.dead.letters.table": table, "errors.tolerance": "all"})
    assert complaints(config) == ({"frazil.dead.letters.table": [message]} if message else {})


@pytest.mark.parametrize("name", ["frazil.dead.letters.table", "frazil.max.dead.per.commit"])
def test_what_is_done_with_bad_records_has_no_effect_where_the_first_one_fails(name: str) -> None:
    value = "streaming.dead" if name.endswith("table") else "5"
    assert complaints(changed({name: value})) == {
        name: [
            f"Key {name} has no effect: the first bad record fails the task. Set "
            "errors.tolerance=all, remove it, or set frazil.unknown.keys=warn."
        ]
    }
    assert complaints(changed({name: value, "errors.tolerance": "all"})) == {}


@pytest.mark.parametrize("version", ["9.9.9", "[9.9.9,9.9.9]"])
def test_another_version_of_the_class_is_refused_on_both_keys(version: str) -> None:
    expected = [
        f"Plugin {PLUGIN.class_name} not found that matches the version range [9.9.9,9.9.9], "
        "available versions: [0.1.0]"
    ]
    found = complaints(changed({"connector.plugin.version": version}))
    assert found == {"connector.class": expected, "connector.plugin.version": expected}


def test_a_sequence_of_what_are_no_changes_is_refused() -> None:
    found = complaints(changed({"frazil.tables.sequence-field": "n"}))
    (message,) = found["frazil.tables.sequence-field"]
    assert "iceberg.tables.cdc-field" in message


def test_properties_of_writing_have_no_effect_on_changes() -> None:
    props: dict[str, str | None] = {"iceberg.tables.write-props.write.format.default": "orc"}
    assert not complaints(changed(props))
    found = complaints(changed(props | {"iceberg.tables.cdc-field": "op"}))
    assert "properties of the table" in str(found)


@pytest.mark.parametrize(
    "key", [{"iceberg.tables.cdc-field": "op"}, {"iceberg.tables.upsert-mode-enabled": "true"}]
)
def test_changes_may_have_a_sequence(key: dict[str, str | None]) -> None:
    assert not complaints(changed(key | {"frazil.tables.sequence-field": "n"}))


@pytest.mark.parametrize(
    ("name", "nearest"),
    [
        ("iceberg.tabels", "iceberg.tables"),
        ("iceberg.catlog.uri", "iceberg.catalog.*"),
        ("iceberg.control.commit.interval.ms", "iceberg.control.commit.interval-ms"),
        ("iceberg.table.streaming.apilogs.id-colums", "iceberg.table.<table>.id-columns"),
        ("frazil.driver.memroy", "frazil.driver.memory"),
    ],
)
def test_a_misspelt_key_is_met_with_the_nearest_name(name: str, nearest: str) -> None:
    assert complaints(changed({name: "x"})) == {
        name: [
            f"Unknown key {name}. Did you mean {nearest}? "
            "Correct or remove it, or set frazil.unknown.keys=warn."
        ]
    }


def test_a_key_like_no_other_is_refused_without_a_guess() -> None:
    assert complaints(changed({"iceberg.qqq": "x"}))["iceberg.qqq"] == [
        "Unknown key iceberg.qqq. Correct or remove it, or set frazil.unknown.keys=warn."
    ]


def test_unknown_keys_are_only_a_warning_if_asked_for() -> None:
    config = PLUGIN.parse(changed({"iceberg.tabels": "x", "frazil.unknown.keys": "warn"}))
    assert len(config.warnings) == 1
    assert config.warnings[0].startswith("Unknown key iceberg.tabels.")


def test_a_parsed_configuration_never_prints_its_values() -> None:
    config = PLUGIN.parse(changed({"iceberg.catalog.token": "geheim"}))
    assert config["iceberg.catalog.token"] == "geheim"
    assert "geheim" not in repr(config)
    assert "apilogs" not in repr(config)


def test_an_invalid_configuration_is_refused_in_the_form_that_clients_take_apart() -> None:
    with pytest.raises(InvalidConfigError) as caught:
        PLUGIN.parse(changed({}, without="topics"))
    assert caught.value.messages == (_NO_TOPICS, _NO_TOPICS)
    assert str(caught.value) == (
        "Connector configuration is invalid and contains the following 2 error(s):\n"
        f"{_NO_TOPICS}\n"
        f"{_NO_TOPICS}\n"
        "You can also find the above list of errors at the endpoint "
        "`/connector-plugins/{connectorType}/config/validate`"
    )

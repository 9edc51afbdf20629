"""The FileStream connectors: Kafka's own keys, and what is refused before a worker starts."""

from typing import Any

import pytest

from frazil.contracts.plugins import InvalidOffsetError, find_plugin

SOURCE = find_plugin("FileStreamSource")
SINK = find_plugin("FileStreamSink")
SOURCE_CONFIG = {"name": "in", "connector.class": "FileStreamSource", "topic": "t", "file": "f"}
SINK_CONFIG = {"name": "out", "connector.class": "FileStreamSink", "topics": "t", "file": "f"}
STRING = "org.apache.kafka.connect.storage.StringConverter"
BYTES = "org.apache.kafka.connect.converters.ByteArrayConverter"


def complaints(**changes: str | None) -> dict[str, list[str]]:
    config = SOURCE_CONFIG | {key.replace("_", "."): text for key, text in changes.items()}
    infos = SOURCE.validate({key: text for key, text in config.items() if text != "absent"})
    return {info.value.name: info.value.errors for info in infos.configs if info.value.errors}


@pytest.mark.parametrize(
    ("plugin", "name", "rest"),
    [
        (SINK, "file", ("STRING", False, None, "HIGH", None, -1, "NONE", "file")),
        (SOURCE, "file", ("STRING", False, None, "HIGH", None, -1, "NONE", "file")),
        (SOURCE, "topic", ("STRING", True, None, "HIGH", None, -1, "NONE", "topic")),
        (SOURCE, "batch.size", ("INT", False, "2000", "LOW", None, -1, "NONE", "batch.size")),
        (
            SOURCE,
            "exactly.once.support",
            ("STRING", False, "requested", "MEDIUM", "Exactly Once Support", 2, "SHORT"),
        ),
        (
            SOURCE,
            "transaction.boundary.interval.ms",
            ("LONG", False, None, "LOW", "Exactly Once Support", 4, "SHORT"),
        ),
        (SOURCE, "topic.creation.groups", ("LIST", False, "", "LOW", "Topic Creation", 1, "LONG")),
        (SOURCE, "offsets.storage.topic", ("STRING", False, None, "LOW", "offsets.topic", 1)),
    ],
)
def test_keys_are_described_as_kafka_does(plugin: Any, name: str, rest: tuple[object, ...]) -> None:
    found = next(each for each in plugin.definitions() if each.name == name)
    fields = (
        *(found.type, found.required, found.default_value, found.importance),
        *(found.group, found.order_in_group, found.width, found.display_name),
    )
    assert fields[: len(rest)] == rest


def test_groups_of_a_source_come_in_connects_order() -> None:
    groups = SOURCE.validate(SOURCE_CONFIG).groups
    assert groups[:7] == [
        "Common",
        "Transforms",
        "Predicates",
        "Error Handling",
        "Topic Creation",
        "Exactly Once Support",
        "offsets.topic",
    ]


@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"file": "absent"},
        {"exactly_once_support": "required", "transaction_boundary": "interval"},
        {"value_converter": STRING, "batch_size": "1"},
        {"topic_creation_default_partitions": "3"},
    ],
    ids=str,
)
def test_these_are_accepted(changes: dict[str, str | None]) -> None:
    assert complaints(**changes) == {}


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"topic": "absent"}, 'Missing required configuration "topic" which has no default value.'),
        ({"topic": ""}, "Invalid value  for configuration topic: String must be non-empty"),
        (
            {"batch_size": "x"},
            "Invalid value x for configuration batch.size: Not a number of type INT",
        ),
        (
            {"batch_size": "0"},
            "Invalid value 0 for configuration batch.size: Value must be at least 1",
        ),
        (
            {"exactly_once_support": "maybe"},
            "Invalid value maybe for configuration exactly.once.support: String must be one of "
            "(case insensitive): REQUIRED, REQUESTED",
        ),
        (
            {"transaction_boundary": "connector"},
            "The connector does not support connector-defined transaction boundaries with the "
            "given configuration. Please reconfigure it to use a different transaction boundary "
            "definition.",
        ),
        (
            {"value_converter": BYTES},
            "ByteArrayConverter does not take text. Use StringConverter or JsonConverter.",
        ),
        (
            {"value_converter": "Avro"},
            "Invalid value Avro for configuration value.converter: Class Avro could not be found.",
        ),
        (
            {"transforms": "a"},
            "Invalid value [a] for configuration transforms: This connector does not support a "
            "transform yet; remove the key.",
        ),
    ],
)
def test_these_are_refused_once(changes: dict[str, str | None], sentence: str) -> None:
    assert list(complaints(**changes).values()) == [[sentence]]


def test_the_least_that_a_sink_needs_is_topics() -> None:
    assert SINK.validate({k: v for k, v in SINK_CONFIG.items() if k != "file"}).error_count == 0
    assert SINK.validate({k: v for k, v in SINK_CONFIG.items() if k != "topics"}).error_count == 2


@pytest.mark.parametrize("position", [0, 7, None])
def test_a_position_in_a_file_is_accepted(position: int | None) -> None:
    offset = None if position is None else {"position": position}
    SOURCE.check_source_offset({"filename": "f"}, offset)


def test_a_tombstone_may_clear_up_anything() -> None:
    SOURCE.check_source_offset({"rubbish": 1}, None)


@pytest.mark.parametrize(
    ("partition", "offset", "sentence"),
    [
        ({"filename": "f"}, {}, "either be null or contain the key 'position'"),
        ({"filename": "f"}, {"position": "7"}, "expected to be a Long value"),
        ({"filename": "f"}, {"position": True}, "expected to be a Long value"),
        ({"filename": "f"}, {"position": None}, "expected to be a Long value"),
        ({"filename": "f"}, {"position": -1}, "should be a non-negative value"),
        ({"file": "f"}, {"position": 1}, "should contain the key 'filename'"),
        ({"filename": 1}, {"position": 1}, "should contain the key 'filename'"),
    ],
)
def test_another_offset_is_refused_in_connects_words(
    partition: dict[str, object], offset: dict[str, object], sentence: str
) -> None:
    with pytest.raises(InvalidOffsetError, match=sentence):
        SOURCE.check_source_offset(partition, offset)

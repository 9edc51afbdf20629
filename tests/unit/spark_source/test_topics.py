"""What a topic that is missing shall be like."""

import pytest

from frazil.spark_source.core.topics import new_topic, offsets_topic
from frazil.worker.errors import BadConfigError
from frazil.worker.new_topic import NewTopic

DEFAULT = {"default.partitions": "3", "default.replication.factor": "-1"}
LOGS = {"groups": "logs, rest", "logs.include": "log.*,audit", "logs.exclude": ".*raw"}


def topic(name: str, **config: str) -> NewTopic:
    return new_topic(name, {f"topic.creation.{key}": text for key, text in config.items()})


@pytest.mark.parametrize(("brokers", "replicas"), [(1, 1), (2, 2), (5, 3)])
def test_offsets_are_kept_by_as_many_brokers_as_there_are_up_to_three(
    brokers: int, replicas: int
) -> None:
    made = offsets_topic("offsets", brokers)
    assert (made.partitions, made.replicas) == (25, replicas)
    assert made.settings == {"cleanup.policy": "compact"}


def test_without_a_key_the_broker_decides() -> None:
    assert topic("t") == NewTopic("t", partitions=-1, replicas=-1)


def test_the_default_group_decides_and_passes_other_settings_on() -> None:
    made = topic("t", **DEFAULT, **{"default.cleanup.policy": "compact"})
    assert made == NewTopic("t", partitions=3, replicas=-1, settings={"cleanup.policy": "compact"})


@pytest.mark.parametrize(
    ("name", "partitions"), [("log1", 7), ("audit", 7), ("log.raw", 3), ("other", 3), ("xlog", 3)]
)
def test_the_first_group_that_includes_the_topic_wins(name: str, partitions: int) -> None:
    made = topic(name, **DEFAULT, **LOGS, **{"logs.partitions": "7"})
    assert (made.partitions, made.replicas) == (partitions, -1)


@pytest.mark.parametrize(
    ("config", "sentence"),
    [
        ({"default.partitions": "1"}, "default.replication.factor.* which has no default value"),
        ({"groups": "a"}, 'Missing required configuration "topic.creation.default.partitions"'),
        (DEFAULT | {"default.partitions": "x"}, "have to be numbers"),
        (DEFAULT | {"default.partitions": "0"}, "-1 or at least 1"),
    ],
)
def test_half_a_plan_is_refused(config: dict[str, str], sentence: str) -> None:
    with pytest.raises(BadConfigError, match=sentence):
        topic("t", **config)

"""Single keys of a configuration, read as the worker reads them."""

import pytest

from frazil.contracts.plugins import PLUGINS, Plugin
from frazil.contracts.plugins.reading import commit_interval_seconds, read_key, task_count

SINK = {"connector.class": "IcebergSink"}


@pytest.mark.parametrize(
    ("name", "text", "value"),
    [
        ("tasks.max", " 2 ", 2),
        ("tasks.max", "x", 1),
        ("tasks.max", "${env:TASKS}", 1),
        ("topics", "a , b", ("a", "b")),
        ("errors.log.enable", "TRUE", True),
        ("frazil.worker.group", " lake ", "lake"),
        ("nothing.like.it", "x", None),
    ],
)
def test_a_key_has_its_type_and_what_cannot_be_read_its_default(
    name: str, text: str, value: object
) -> None:
    assert read_key(SINK | {name: text}, name) == value


@pytest.mark.parametrize("plugin", PLUGINS, ids=lambda plugin: plugin.class_name)
def test_one_key_is_read_as_the_whole_configuration_is(plugin: Plugin) -> None:
    config = {"connector.class": plugin.class_name, "name": "x", "topics": "a", "tasks.max": "3"}
    parsed = plugin.read(config)
    for key in plugin.keys + plugin.common_keys:
        assert plugin.value(config, key.name) == parsed[key.name], key.name


def test_a_class_that_is_gone_has_no_keys() -> None:
    gone = {"connector.class": "Gone", "tasks.max": "2"}
    assert read_key(gone, "tasks.max") is None
    assert task_count(gone) == 1
    assert commit_interval_seconds(gone) == 0


@pytest.mark.parametrize(
    ("class_name", "tasks"), [("IcebergSink", 4), ("FileStreamSink", 4), ("FileStreamSource", 1)]
)
def test_a_sink_has_the_tasks_that_it_may_have_and_a_source_one(
    class_name: str, tasks: int
) -> None:
    assert task_count({"connector.class": class_name, "tasks.max": "4"}) == tasks


@pytest.mark.parametrize(
    ("config", "seconds"),
    [
        ({}, 300),
        ({"iceberg.control.commit.interval-ms": "1500"}, 1.5),
        ({"frazil.freshness.ms": "2000"}, 2),
        ({"frazil.freshness.ms": "2000", "iceberg.control.commit.interval-ms": "1500"}, 2),
        ({"connector.class": "FileStreamSink"}, 0),
    ],
)
def test_the_pause_between_commits_is_the_sinks_own(config: dict[str, str], seconds: float) -> None:
    assert commit_interval_seconds(SINK | config) == seconds

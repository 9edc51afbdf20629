"""What connectors that share a driver cannot have of their own is refused by name."""

import pytest
from tests.support.control_api import SINK_CLASS, sink_config

from frazil.contracts.plugins import PLUGINS, Plugin, enabled_plugins, find_plugin
from frazil.contracts.plugins.group_keys import WORKER_GROUP


def complaints(among: tuple[Plugin, ...] = PLUGINS, /, **keys: str) -> dict[str, list[str]]:
    found = find_plugin(SINK_CLASS, among).validate(sink_config(name="c") | keys)
    return {info.value.name: info.value.errors for info in found.configs if info.value.errors}


def test_settings_of_a_session_are_a_member_s_own_and_those_of_the_driver_are_not() -> None:
    keys = {"spark.sql.ansi.enabled": "true", "spark.memory.fraction": "0.5"}
    assert complaints(**keys) == {}
    refused = complaints(**keys, **{WORKER_GROUP: "small"})
    assert list(refused) == ["spark.memory.fraction"]
    (sentence,) = refused["spark.memory.fraction"]
    assert "the connectors of group small share" in sentence
    assert f"Leave it out, or leave out {WORKER_GROUP}." in sentence


@pytest.mark.parametrize("name", ["-a", "a b", "a/b", "x" * 61])
def test_a_group_s_name_is_one_that_containers_may_have(name: str) -> None:
    assert list(complaints(**{WORKER_GROUP: name})) == [WORKER_GROUP]


@pytest.mark.parametrize("name", ["", "small", "Team-1_a.b"])
def test_names_of_groups_that_are_good(name: str) -> None:
    assert complaints(**{WORKER_GROUP: name}) == {}


@pytest.mark.parametrize("allowed", [(), ("other", "team-*")])
def test_a_group_that_the_operator_does_not_list_is_joined_by_nobody(
    allowed: tuple[str, ...],
) -> None:
    plugins = enabled_plugins(files=False, groups=allowed)
    (sentence,) = complaints(plugins, **{WORKER_GROUP: "small"})[WORKER_GROUP]
    assert sentence.startswith("Group small may not be joined")
    assert "FRAZIL_WORKER_GROUPS of the control API" in sentence
    assert complaints(plugins) == {}


@pytest.mark.parametrize("allowed", ["small", "sm*", "*"])
def test_a_group_that_the_operator_lists_may_be_joined(allowed: str) -> None:
    plugins = enabled_plugins(files=False, groups=["other", allowed])
    assert complaints(plugins, **{WORKER_GROUP: "small"}) == {}

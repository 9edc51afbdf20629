"""Validation with references: they are looked behind, and nothing of it is shown."""

import pytest
from tests.support.control_api import SINK_CLASS, sink_config
from tests.support.secrets import FakeSecrets

from frazil.contracts.config_infos import ConfigInfos, ConfigValue
from frazil.contracts.plugins import find_plugin
from frazil.control_api.core.judgement import judge
from frazil.control_api.core.references import UnseenSecrets

PLUGIN = find_plugin(SINK_CLASS)
PLANTED = "tr0ub4dor&3"
SECRETS = FakeSecrets(
    {"${env:TWO}": "2", "${env:ZERO}": "0", "${env:PASSWORD}": PLANTED, "${env:T}": "hidden-topic"}
)


def judged(**config: str) -> ConfigInfos:
    return judge(PLUGIN, {"name": "logs"} | sink_config(**config), SECRETS)


def entry(infos: ConfigInfos, name: str) -> ConfigValue:
    return next(info.value for info in infos.configs if info.value.name == name)


def test_without_references_it_is_the_classes_own_judgement() -> None:
    config = {"name": "logs"} | sink_config(**{"tasks.max": "x"})
    assert judge(PLUGIN, config, SECRETS) == PLUGIN.validate(config)


def test_a_number_may_stand_behind_a_reference() -> None:
    infos = judged(**{"tasks.max": "${env:TWO}"})
    assert infos.error_count == 0
    assert entry(infos, "tasks.max").value == "${env:TWO}"


@pytest.mark.parametrize("reference", ["${env:PASSWORD}", "${env:ZERO}"])
def test_a_value_that_does_not_do_is_one_sentence_without_it(reference: str) -> None:
    infos = judged(**{"tasks.max": reference})
    assert infos.error_count == 1
    assert entry(infos, "tasks.max").errors == [
        f"Invalid value for configuration tasks.max: what {reference} stands for is no valid INT"
    ]


def test_nothing_of_a_value_is_anywhere_in_the_answer() -> None:
    infos = judged(
        **{
            "tasks.max": "${env:PASSWORD}",
            "errors.tolerance": "a${env:PASSWORD}",
            "iceberg.catalog.token": "${env:PASSWORD}",
            "something.else": "${env:PASSWORD}",
            "topics": "${env:PASSWORD},${env:PASSWORD}",
        }
    )
    assert infos.error_count == 3
    assert PLANTED not in infos.model_dump_json()


def test_text_around_a_reference_in_a_password_is_not_shown_either() -> None:
    infos = judged(**{"iceberg.catalog.token": "half-${env:PASSWORD}"})
    assert entry(infos, "iceberg.catalog.token").value == "[hidden]"


def test_a_password_beside_a_reference_in_a_value_is_not_shown() -> None:
    infos = judged(**{"iceberg.catalog.uri": "jdbc:x?password=tr0ub&user=${env:PASSWORD}"})
    shown = entry(infos, "iceberg.catalog.uri").value
    assert shown == "jdbc:x?password=[hidden]&user=${env:PASSWORD}"


@pytest.mark.parametrize("guess", ["hidden-topic", "another"])
def test_who_may_not_see_a_value_cannot_test_guesses_at_it(guess: str) -> None:
    guessing = {
        "topics": f"${{env:T}},{guess}",
        "tasks.max": "${env:PASSWORD}",
        "errors.tolerance": "${env:NOWHERE}",
    }
    infos = judge(PLUGIN, {"name": "logs"} | sink_config(**guessing), UnseenSecrets())
    assert entry(infos, "tasks.max").errors == []
    assert entry(infos, "errors.tolerance").errors == []
    assert infos.error_count == 0


def test_a_rule_that_a_value_breaks_at_another_key_is_told_without_it() -> None:
    infos = judged(**{"topics": "hidden-topic", "errors.deadletterqueue.topic.name": "${env:T}"})
    assert entry(infos, "topics").errors == [
        "topics does not go together with what ${env:T} stands for"
    ]


def test_complaints_that_have_nothing_to_do_with_references_stay_as_they_are() -> None:
    infos = judged(**{"topics": "", "tasks.max": "${env:TWO}"})
    assert entry(infos, "topics").errors == ["Must configure one of topics or topics.regex"]


def test_what_is_not_there_yet_is_not_held_against_anybody() -> None:
    infos = judged(**{"tasks.max": "${env:LATER}", "iceberg.catalog.token": "${env:LATER}"})
    assert infos.error_count == 0


@pytest.mark.parametrize("key", ["iceberg.catalog.token", "tasks.max", "something.else"])
def test_what_is_refused_is_a_complaint_beside_its_key_known_or_not(key: str) -> None:
    infos = judged(**{key: "${vault:a:b}"})
    assert infos.error_count == 1
    assert entry(infos, key).errors == [f"{key}: ${{vault:a:b}} is not allowed."]

"""The answer of validate: its shape, and what is never in it."""

import json

from hypothesis import given
from hypothesis import strategies as st
from tests.support.sink_configs import PLUGIN, VALID, changed, complaints

from frazil.contracts.plugins import InvalidConfigError

_NULL = "Null value can not be supplied as the configuration value."


def test_a_valid_configuration_has_no_complaint() -> None:
    infos = PLUGIN.validate(VALID)
    assert infos.error_count == 0
    assert infos.name == "IcebergSink"


def test_groups_begin_as_in_connect_and_are_named_once() -> None:
    groups = PLUGIN.validate(VALID).groups
    assert groups[:4] == ["Common", "Transforms", "Predicates", "Error Handling"]
    assert len(groups) == len(set(groups))


def test_common_keys_come_before_those_of_the_class() -> None:
    names = [info.value.name for info in PLUGIN.validate(VALID).configs]
    assert names[:2] == ["name", "connector.class"]
    assert names.index("topics") < names.index("iceberg.tables") < names.index("iceberg.catalog")


def test_an_entry_has_connects_fields_in_connects_order() -> None:
    entry = PLUGIN.validate(VALID).model_dump(mode="json")["configs"][0]
    assert list(entry) == ["definition", "value"]
    assert list(entry["value"].items()) == [
        ("name", "name"),
        ("value", "logs"),
        ("recommended_values", []),
        ("errors", []),
        ("visible", True),
    ]


def test_values_are_texts_as_connect_spells_them() -> None:
    config = changed({"topics": "a , b", "errors.log.enable": "TRUE", "tasks.max": " 2 "})
    values = {info.value.name: info.value.value for info in PLUGIN.validate(config).configs}
    assert values["topics"] == "a,b"
    assert values["errors.log.enable"] == "true"
    assert values["tasks.max"] == "2"
    assert values["errors.tolerance"] == "none"
    assert values["iceberg.tables.route-field"] is None


def test_an_unreadable_value_is_null_and_counts_twice() -> None:
    infos = PLUGIN.validate(changed({"tasks.max": "abc"}))
    entry = next(info for info in infos.configs if info.value.name == "tasks.max")
    assert entry.value.value is None
    assert infos.error_count == 2


def test_an_empty_configuration_is_judged_like_any_other() -> None:
    found = complaints({})
    assert found["name"] == ['Missing required configuration "name" which has no default value.']
    assert found["topics"] == found["topics.regex"]


def test_keys_of_others_are_neither_listed_nor_complained_of() -> None:
    infos = PLUGIN.validate(changed({"something.else": "x"}))
    assert infos.error_count == 0
    assert "something.else" not in {info.value.name for info in infos.configs}


def test_a_null_is_refused_for_common_and_for_unknown_keys() -> None:
    refused = ("errors.log.enable", "key.converter.plugin.version", "something.else")
    found = complaints(changed(dict.fromkeys(refused)))
    assert found == {name: [_NULL] for name in refused}


def test_a_null_for_a_key_of_the_class_passes_as_not_given() -> None:
    config = changed({"iceberg.catalog": None, "iceberg.catalog.uri": None})
    assert complaints(config) == {}
    assert PLUGIN.parse(config)["iceberg.catalog"] == "iceberg"


def test_secrets_are_hidden_wherever_they_are() -> None:
    secret = "geheim"  # noqa: S105 (none, but it must be treated as one)
    config = changed(
        {
            "iceberg.catalog.jdbc.password": secret,
            "iceberg.catalog.credential": secret,
            "iceberg.catalog.s3.secret-access-key": secret,
            "iceberg.kafka.sasl.jaas.config": secret,
            "consumer.override.ssl.key.password": secret,
            "iceberg.catlog.token": secret,
        }
    )
    infos = PLUGIN.validate(config)
    assert infos.error_count == 1
    assert secret not in infos.model_dump_json()
    assert [info.value.value for info in infos.configs].count("[hidden]") == 6


def test_a_reference_is_shown_as_it_was_submitted() -> None:
    infos = PLUGIN.validate(changed({"iceberg.catalog.uri": "${env:CATALOG}"}))
    shown = {info.value.name: info.value.value for info in infos.configs}
    assert shown["iceberg.catalog.uri"] == "${env:CATALOG}"


def test_no_definition_is_null_even_for_keys_that_nobody_defined() -> None:
    entries = json.loads(PLUGIN.validate({"iceberg.nope": "1", "x": None}).model_dump_json())
    assert {"iceberg.nope", "x"} <= {entry["definition"]["name"] for entry in entries["configs"]}


_NAMES = st.sampled_from([key.name for key in PLUGIN.keys + PLUGIN.common_keys]) | st.text()
_TEXTS = st.none() | st.text() | st.sampled_from(["true", "all", "1", "a,a", "JsonConverter"])


@given(config=st.dictionaries(_NAMES, _TEXTS), base=st.sampled_from([{}, VALID]))
def test_parse_and_validate_agree_on_any_configuration(
    config: dict[str, str | None], base: dict[str, str]
) -> None:
    submitted = {**base, **config}
    infos = PLUGIN.validate(submitted)
    said = [message for info in infos.configs for message in info.value.errors]
    assert infos.error_count == len(said)
    assert _refusals(submitted) == said


def _refusals(config: dict[str, str | None]) -> list[str]:
    try:
        PLUGIN.parse(config)
    except InvalidConfigError as error:
        return list(error.messages)
    return []

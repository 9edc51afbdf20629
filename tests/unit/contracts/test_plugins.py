"""Finding a connector class, and the definitions of its keys."""

import pytest

from frazil.contracts.plugins import (
    PLUGINS,
    Plugin,
    UnknownPluginError,
    enabled_plugins,
    find_plugin,
)

APACHE = "org.apache.iceberg.connect.IcebergSinkConnector"
TABULAR = "io.tabular.iceberg.connect.IcebergSinkConnector"
FILE_SINK = "org.apache.kafka.connect.file.FileStreamSinkConnector"
FILE_SOURCE = "org.apache.kafka.connect.file.FileStreamSourceConnector"

every_plugin = pytest.mark.parametrize("plugin", PLUGINS, ids=lambda plugin: plugin.class_name)


@pytest.mark.parametrize(
    ("name", "class_name"),
    [
        pytest.param(APACHE, APACHE, id="full name, Apache"),
        pytest.param(TABULAR, TABULAR, id="full name, Tabular"),
        pytest.param("IcebergSinkConnector", APACHE, id="simple name is Apache's"),
        pytest.param("IcebergSink", APACHE, id="so is the alias"),
        pytest.param("FileStreamSource", FILE_SOURCE, id="alias of a source"),
    ],
)
def test_a_plugin_is_found_by_any_of_its_names(name: str, class_name: str) -> None:
    assert find_plugin(name).class_name == class_name


@pytest.mark.parametrize("name", ["Nope", "", "icebergsink", "iceberg.connect.IcebergSink"])
def test_an_unknown_class_is_refused_in_connects_words(name: str) -> None:
    with pytest.raises(UnknownPluginError) as caught:
        find_plugin(name)
    assert str(caught.value) == (
        "Failed to find any class that implements Connector and which name matches "
        f"{name}, available connectors are: {APACHE}, {TABULAR}, {FILE_SINK}, {FILE_SOURCE}"
    )
    assert caught.value.name == name


def test_classes_that_touch_files_are_there_only_if_enabled() -> None:
    assert enabled_plugins(files=True) == PLUGINS
    assert {plugin.class_name for plugin in enabled_plugins(files=False)} == {APACHE, TABULAR}


def test_a_class_that_is_off_is_not_found_and_it_is_said_how_to_enable_it() -> None:
    with pytest.raises(UnknownPluginError) as caught:
        find_plugin("FileStreamSink", enabled_plugins(files=False))
    assert str(caught.value) == (
        "Failed to find any class that implements Connector and which name matches "
        f"FileStreamSink, available connectors are: {APACHE}, {TABULAR}. This class is off, for it "
        "reads or writes files of the worker: set FRAZIL_FILES_FOLDER of the control API to "
        "enable it"
    )


@every_plugin
def test_no_key_is_defined_twice(plugin: Plugin) -> None:
    names = [definition.name for definition in plugin.definitions()]
    assert len(names) == len(set(names))


@every_plugin
def test_every_key_has_words_for_people(plugin: Plugin) -> None:
    for definition in plugin.definitions():
        assert definition.documentation.endswith(".")
        assert definition.display_name


@every_plugin
def test_every_default_is_valid(plugin: Plugin) -> None:
    for key in plugin.keys + plugin.common_keys:
        if key.validator and not key.is_required:
            assert key.validator(key.name, key.default) is None  # type: ignore[arg-type]


def test_own_keys_are_described_before_common_ones() -> None:
    names = [definition.name for definition in PLUGINS[0].definitions()]
    assert names.index("frazil.driver.memory") < names.index("name")


@pytest.mark.parametrize(
    ("name", "group", "order"),
    [
        ("name", "Common", 1),
        ("connector.class", "Common", 2),
        ("connector.plugin.version", "Common", 3),
        ("tasks.max", "Common", 4),
        ("tasks.max.enforce", "Common", 5),
        ("key.converter", "Common", 6),
        ("key.converter.plugin.version", "Common", 7),
        ("value.converter", "Common", 8),
        ("value.converter.plugin.version", "Common", 9),
        ("header.converter", "Common", 10),
        ("header.converter.plugin.version", "Common", 11),
        ("transforms", "Transforms", 12),
        ("predicates", "Predicates", 13),
        ("config.action.reload", "Common", 14),
        ("topics", "Common", 4),
        ("topics.regex", "Common", 4),
        ("errors.retry.timeout", "Error Handling", 1),
        ("errors.log.include.messages", "Error Handling", 5),
        ("errors.deadletterqueue.topic.name", "Error Handling", 6),
        ("errors.deadletterqueue.context.headers.enable", "Error Handling", 8),
    ],
)
def test_common_keys_stand_where_connect_has_them(name: str, group: str, order: int) -> None:
    found = next(each for each in PLUGINS[0].definitions() if each.name == name)
    assert (found.group, found.order_in_group, found.order) == (group, order, order)


def test_a_definition_has_connects_fields_in_connects_order() -> None:
    found = next(each for each in PLUGINS[0].definitions() if each.name == "tasks.max")
    assert list(found.model_dump(mode="json").items()) == [
        ("name", "tasks.max"),
        ("type", "INT"),
        ("required", False),
        ("default_value", "1"),
        ("importance", "HIGH"),
        ("documentation", found.documentation),
        ("group", "Common"),
        ("order_in_group", 4),
        ("width", "SHORT"),
        ("display_name", "Tasks max"),
        ("dependents", []),
        ("order", 4),
    ]


@pytest.mark.parametrize(
    ("name", "default"),
    [
        pytest.param("name", None, id="required keys have none"),
        pytest.param("transforms", "", id="an empty list is an empty text"),
        pytest.param("tasks.max.enforce", "true", id="booleans in lower case"),
        pytest.param("iceberg.tables.route-field", None, id="not set is null"),
        pytest.param("tasks.max", "1", id="numbers are texts"),
    ],
)
def test_defaults_are_texts_or_null(name: str, default: str | None) -> None:
    found = next(each for each in PLUGINS[0].definitions() if each.name == name)
    assert found.default_value == default
    assert found.required == (name == "name")


@pytest.mark.parametrize("plugin", PLUGINS, ids=lambda plugin: plugin.class_name)
def test_a_form_has_each_key_once(plugin: Plugin) -> None:
    json = {"value.converter": "JsonConverter", "value.converter.schemas.enable": "true"}
    described = [one.name for one in plugin.definitions()]
    validated = [one.value.name for one in plugin.validate({"name": "x"} | json).configs]
    for names in (described, validated):
        assert len(names) == len(set(names))
        assert "value.converter.schemas.enable" in names


def test_what_a_key_is_does_not_depend_on_the_class() -> None:
    keys = [key for plugin in PLUGINS for key in plugin.keys if "schemas.enable" in key.name]
    assert len(keys) == len(PLUGINS)
    assert len({key.documentation for key in keys}) == 1

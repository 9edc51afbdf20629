import pickle
from typing import Any

import pytest

from frazil.contracts.plugins import PLUGINS
from frazil.contracts.plugins.converter_keys import CONVERTERS
from frazil.contracts.plugins.converters import (
    CONVERTER_NAMES,
    HEADER_CONVERTER_NAMES,
    converting,
)

_PACKAGE = "org.apache.kafka.connect.converters"
SINK = next(plugin for plugin in PLUGINS if plugin.class_name.endswith("IcebergSinkConnector"))
CONFIG = {
    "name": "logs",
    "connector.class": SINK.class_name,
    "topics": "apilogs",
    "iceberg.tables": "logs.apilogs",
    "iceberg.catalog.type": "rest",
    "iceberg.catalog.uri": "http://catalog:8181",
}


def errors(extra: dict[str, str]) -> dict[str, list[str]]:
    infos = SINK.validate(CONFIG | extra)
    return {info.value.name: info.value.errors for info in infos.configs if info.value.errors}


def read(extra: dict[str, str], part: str) -> Any:
    return converting(SINK.parse(CONFIG | extra), part)


@pytest.mark.parametrize("part", ["key", "value", "header"])
@pytest.mark.parametrize("word", ["Short", "Integer", "Long", "Float", "Double", "Boolean"])
@pytest.mark.parametrize("form", [f"{_PACKAGE}.{{}}Converter", "{}Converter", "{}"])
def test_converters_of_numbers_are_taken_by_all_their_names(
    part: str, word: str, form: str
) -> None:
    extra = {f"{part}.converter": form.format(word)}
    assert errors(extra) == {}
    assert read(extra, part).word == word.lower()


@pytest.mark.parametrize(
    ("given", "word"),
    [
        ({}, "simple"),
        ({"header.converter": "SimpleHeader"}, "simple"),
        ({"header.converter": "StringConverter"}, "string"),
        ({"header.converter": "Json"}, "json"),
        ({"header.converter": "org.apache.kafka.connect.converters.ByteArrayConverter"}, "bytes"),
    ],
)
def test_headers_have_a_converter_of_their_own(given: dict[str, str], word: str) -> None:
    assert read(given, "header").word == word


@pytest.mark.parametrize(
    ("part", "name"),
    [("header", "AvroConverter"), ("key", "SimpleHeaderConverter"), ("header", "Nope")],
)
def test_a_converter_of_the_wrong_kind_is_refused(part: str, name: str) -> None:
    key = f"{part}.converter"
    assert errors({key: name, f"{key}.schema.registry.url": "http://r"})[key] == [
        f"Invalid value {name} for configuration {key}: Class {name} could not be found."
    ]


@pytest.mark.parametrize(
    ("converter", "key", "text", "why"),
    [
        (
            "Json",
            "decimal.format",
            "HEX",
            "String must be one of (case insensitive): BASE64, NUMERIC",
        ),
        ("Json", "schemas.cache.size", "many", "Not a number of type INT"),
        ("Json", "schemas.cache.size", "-1", "Not a number of type INT"),
        ("Json", "schema.content", "{", "It is not a schema of Connect as JSON"),
        ("Json", "schema.content", "[]", "It is not a schema of Connect as JSON"),
        ("String", "converter.encoding", "utf-9", "It is not an encoding of text"),
        ("String", "converter.encoding", "base64", "It is not an encoding of text"),
    ],
)
@pytest.mark.parametrize("part", ["key", "value", "header"])
def test_settings_that_the_converter_cannot_use_are_refused(
    part: str, converter: str, key: str, text: str, why: str
) -> None:
    name = f"{part}.converter.{key}"
    assert errors({f"{part}.converter": converter, name: text}) == {
        name: [f"Invalid value {text} for configuration {name}: {why}"]
    }


@pytest.mark.parametrize(
    ("converter", "key", "text"),
    [
        ("Json", "decimal.format", "numeric"),
        ("Json", "schemas.cache.size", "10"),
        ("Json", "schema.content", '{"type": "string"}'),
        ("Json", "schema.content", ""),
        ("String", "converter.encoding", "ISO-8859-1"),
        ("String", "converter.encoding", "UTF-16"),
        ("ByteArray", "converter.encoding", "utf-9"),
    ],
)
def test_these_settings_are_accepted(converter: str, key: str, text: str) -> None:
    given = {"value.converter": converter, f"value.converter.{key}": text}
    assert errors(given) == {}
    assert read(given, "value").options[key] == text


def test_a_converter_travels_to_the_executors() -> None:
    config = read({"value.converter": "Json", "value.converter.schema.content": "{}"}, "value")
    assert pickle.loads(pickle.dumps(config)) == config  # noqa: S301 (our own bytes)


def test_each_converter_that_is_listed_can_be_configured() -> None:
    listed = {"converter": CONVERTER_NAMES, "header_converter": HEADER_CONVERTER_NAMES}
    for kind, names in listed.items():
        described = [converter.names for converter in CONVERTERS if kind in converter.types]
        assert frozenset().union(*described) == names

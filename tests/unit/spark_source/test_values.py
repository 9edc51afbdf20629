"""Values as Kafka Connect's converters write them."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from frazil.contracts.plugins import find_plugin
from frazil.spark_source.core.values import converter

JSON = "org.apache.kafka.connect.json.JsonConverter"
SCHEMAS = "value.converter.schemas.enable"


def convert(text: str, **keys: str) -> str:
    base = {"name": "in", "connector.class": "FileStreamSource", "topic": "t"}
    return converter(find_plugin("FileStreamSource").parse(base | keys))(text)


@pytest.mark.parametrize(
    ("keys", "value"),
    [
        pytest.param({}, '"say \\"ü\\""', id="the worker's: plain JSON"),
        pytest.param({"value.converter": "StringConverter"}, 'say "ü"', id="text"),
        pytest.param({"value.converter": JSON, SCHEMAS: "false"}, '"say \\"ü\\""', id="plain JSON"),
        pytest.param(
            {"value.converter": JSON},
            '{"schema":{"type":"string","optional":false},"payload":"say \\"ü\\""}',
            id="Connect's default beside the key",
        ),
    ],
)
def test_a_line_becomes_a_value(keys: dict[str, str], value: str) -> None:
    assert convert('say "ü"', **keys) == value


@given(st.text(st.characters(codec="utf-8")))
def test_json_brings_any_line_back_and_never_breaks_a_line(text: str) -> None:
    value = convert(text, **{"value.converter": JSON})
    assert json.loads(value)["payload"] == text
    assert "\n" not in value
    assert "\r" not in value

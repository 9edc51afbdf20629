"""JSON as Jackson writes it."""

from typing import Any

import pytest

from frazil.spark_sink.records.jackson import json_text


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, "null"),
        (True, "true"),
        (2**70, "1180591620717411303424"),
        (1e10, "1.0E10"),
        (100.0, "100.0"),
        ("ä/\x7f", '"ä/\x7f"'),
        ('"\\', '"\\"\\\\"'),
        ("\n\x1f\\", '"\\n\\u001F\\\\"'),
        ({"a b": [1, {}, []], "ü": None}, '{"a b":[1,{},[]],"ü":null}'),
    ],
)
def test_a_value_is_written_as_by_jackson(value: Any, text: str) -> None:
    assert json_text(value) == text

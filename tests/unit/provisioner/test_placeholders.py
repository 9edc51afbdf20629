"""What is filled, what is left alone, and what is missed."""

from hypothesis import given
from hypothesis import strategies as st

from frazil.provisioner.placeholders import fill, missing

names = st.from_regex(r"[A-Za-z_][A-Za-z0-9_]{0,8}", fullmatch=True)


def test_values_are_filled_at_any_depth_and_keys_are_not() -> None:
    document = {"${A}": [{"b": "x-${A}-${B}"}], "n": 3, "t": True, "none": None}
    assert fill(document, {"A": "1", "B": "2"}) == {
        "${A}": [{"b": "x-1-2"}],
        "n": 3,
        "t": True,
        "none": None,
    }


def test_a_default_is_taken_only_without_a_value() -> None:
    assert fill("${A:-10}", {}) == "10"
    assert fill("${A:-10}", {"A": "5"}) == "5"
    assert fill("${A:-}", {}) == ""


def test_an_empty_value_is_a_value() -> None:
    assert missing("${A}", {"A": ""}) == []
    assert fill("<${A}>", {"A": ""}) == "<>"


def test_what_kafka_connect_fills_is_left_alone() -> None:
    text = "${file:/etc/secrets:key} ${env:HOME} $A {A} $${"
    assert missing(text, {}) == []
    assert fill(text, {}) == text


def test_what_trino_fills_is_left_alone() -> None:
    assert missing("${ENV:TRINO_SECRET}", {}) == []
    assert fill("${ENV:TRINO_SECRET}", {"ENV": "no", "TRINO_SECRET": "no"}) == "${ENV:TRINO_SECRET}"


def test_missing_names_come_once_and_in_order() -> None:
    document = {"a": "${B} ${A}", "b": ["${B}", "${C:-c}", {"d": "${D}"}]}
    assert missing(document, {"A": "1"}) == ["B", "D"]


def test_a_value_with_a_placeholder_in_it_is_not_filled_again() -> None:
    assert fill("${A}", {"A": "${B}", "B": "no"}) == "${B}"


@given(values=st.dictionaries(names, st.text(max_size=10), min_size=1))
def test_with_all_values_nothing_is_missing_and_each_arrives(values: dict[str, str]) -> None:
    document = [f"<${{{name}}}>" for name in values]
    assert missing(document, values) == []
    assert fill(document, values) == [f"<{value}>" for value in values.values()]
    assert missing(document, {}) == list(values)

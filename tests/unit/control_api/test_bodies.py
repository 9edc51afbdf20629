"""Request bodies: literal values, plain sentences for what is wrong."""

import pytest

from frazil.contracts.states import Target
from frazil.control_api.api.bodies import parse_config, parse_object, submission
from frazil.control_api.core.errors import BadRequestError


def test_scalars_become_strings_with_their_text_kept() -> None:
    body = b'{"a": 1.50, "b": 1e5, "c": -0, "d": true, "e": false, "f": " x ", "g": null}'
    assert parse_config(parse_object(body)) == {
        "a": "1.50",
        "b": "1e5",
        "c": "-0",
        "d": "true",
        "e": "false",
        "f": " x ",
        "g": None,
    }


def test_the_last_of_equal_keys_wins_and_order_is_kept() -> None:
    assert list(parse_config(parse_object(b'{"b":"1","a":"2","b":"3"}')).items()) == [
        ("b", "3"),
        ("a", "2"),
    ]


@pytest.mark.parametrize(
    ("body", "sentence"),
    [
        (b"", "which is empty"),
        (b"  ", "which is empty"),
        (b"[]", "must be a JSON object"),
        (b"null", "must be a JSON object"),
        (b'{"a":', "is not valid JSON"),
        (b"\xff\xfe", "is not valid JSON"),
        (b'{"a":"\\ud800"}', "is not valid JSON"),
        (b"[" * 100_000, "is not valid JSON"),
    ],
)
def test_what_is_no_object_is_refused_with_a_sentence(body: bytes, sentence: str) -> None:
    with pytest.raises(BadRequestError, match=sentence):
        parse_object(body)


@pytest.mark.parametrize("value", [{}, [], {"a": "b"}])
def test_nested_values_are_refused_by_the_name_of_their_key(value: object) -> None:
    with pytest.raises(BadRequestError, match='The value of "transforms" must be a string'):
        parse_config({"transforms": value})


def test_a_submission_may_name_its_first_state_in_any_case() -> None:
    made = submission({"name": "a", "config": {"x": "1"}, "initial_state": "paused"})
    assert (made.name, made.config, made.target) == ("a", {"x": "1"}, Target.PAUSED)


def test_a_missing_name_is_an_empty_one() -> None:
    assert submission({"config": {}}).name == submission({"name": None, "config": {}}).name == ""


@pytest.mark.parametrize(
    ("body", "sentence"),
    [
        ({"name": "a"}, '"config" must be a JSON object'),
        ({"name": "a", "config": None}, '"config" must be a JSON object'),
        ({"name": [], "config": {}}, 'The value of "name" must be a string'),
        ({"name": "a", "config": {}, "foo": "1"}, 'Unrecognized field "foo"'),
        ({"config": {}, "initial_state": "DELETED"}, "one of RUNNING, PAUSED, STOPPED"),
        ({"config": {}, "initial_state": ["PAUSED"]}, "one of RUNNING, PAUSED, STOPPED"),
    ],
)
def test_a_submission_with_a_fault_is_refused_with_a_sentence(
    body: dict[str, object], sentence: str
) -> None:
    with pytest.raises(BadRequestError, match=sentence):
        submission(body)

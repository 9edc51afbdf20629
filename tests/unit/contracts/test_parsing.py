"""One key's text to its value, in Connect's words."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from frazil.contracts.config import NO_DEFAULT, Key, KeyType
from frazil.contracts.parsing import Checked, check
from frazil.contracts.validators import (
    AtLeast,
    Between,
    KnownClass,
    Matches,
    OffOrAtLeast,
    OneOf,
    Validator,
    Value,
    distinct,
    non_empty_without_control_chars,
    unique_aliases,
)

_ANY_TEXT = st.text() | st.from_regex(r"\s*[+-]?[0-9]+\s*", fullmatch=True)


def a_key(
    type_: KeyType, validator: Validator | None = None, *, default: object = None, name: str = "k"
) -> Key:
    return Key(name, type_, default=default, documentation="", display_name="", validator=validator)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("type_", "text", "value"),
    [
        pytest.param(KeyType.STRING, "  a b\t\n", "a b", id="strings are trimmed"),
        pytest.param(KeyType.STRING, "\u00a0a", "\u00a0a", id="of what Java calls blank only"),
        pytest.param(KeyType.BOOLEAN, " TRUE ", True, id="booleans in any case"),
        pytest.param(KeyType.BOOLEAN, "False", False, id="false too"),
        pytest.param(KeyType.INT, " +7 ", 7, id="a sign is allowed"),
        pytest.param(KeyType.INT, "-2147483648", -(2**31), id="the least int"),
        pytest.param(KeyType.SHORT, "32767", 32767, id="the greatest short"),
        pytest.param(KeyType.LONG, "9223372036854775807", 2**63 - 1, id="the greatest long"),
        pytest.param(KeyType.DOUBLE, " 1.5 ", 1.5, id="a fraction of a double"),
        pytest.param(KeyType.DOUBLE, "-1e3", -1000.0, id="an exponent"),
        pytest.param(KeyType.LIST, " a , b,c ", ("a", "b", "c"), id="lists lose their blanks"),
        pytest.param(KeyType.LIST, "  ", (), id="a blank list is empty"),
        pytest.param(KeyType.LIST, "a,", ("a", ""), id="but a comma has two sides"),
        pytest.param(KeyType.CLASS, " a.B ", "a.B", id="classes are names"),
        pytest.param(KeyType.PASSWORD, " x ", "x", id="passwords are in clear inside"),
    ],
)
def test_a_text_becomes_a_value_of_its_type(type_: KeyType, text: str, value: Value) -> None:
    assert check(a_key(type_), {"k": text}) == Checked(value, ())


@pytest.mark.parametrize(
    ("type_", "text"),
    [
        pytest.param(KeyType.INT, "abc", id="no digits"),
        pytest.param(KeyType.INT, "", id="empty"),
        pytest.param(KeyType.INT, "1_000", id="Python's underscore"),
        pytest.param(KeyType.INT, "1.0", id="a fraction"),
        pytest.param(KeyType.INT, "2147483648", id="one above the greatest int"),
        pytest.param(KeyType.SHORT, "32768", id="one above the greatest short"),
        pytest.param(KeyType.DOUBLE, "1_0.5", id="an underscore in a double"),
        pytest.param(KeyType.DOUBLE, "", id="an empty double"),
        pytest.param(KeyType.LONG, "-9223372036854775809", id="one below the least long"),
        pytest.param(KeyType.LONG, "9" * 5000, id="more digits than Python converts"),
    ],
)
def test_what_is_no_number_of_the_type_is_refused(type_: KeyType, text: str) -> None:
    expected = f"Invalid value {text} for configuration k: Not a number of type {type_}"
    assert check(a_key(type_), {"k": text}) == Checked(None, (expected,))


def test_what_is_no_boolean_is_refused() -> None:
    expected = "Invalid value yes for configuration k: Expected value to be either true or false"
    assert check(a_key(KeyType.BOOLEAN), {"k": "yes"}) == Checked(None, (expected,))


def test_a_default_stands_in_for_a_key_that_is_not_given() -> None:
    assert check(a_key(KeyType.INT, default=5), {}) == Checked(5, ())


def test_a_missing_required_key_is_named() -> None:
    expected = 'Missing required configuration "topic" which has no default value.'
    key = a_key(KeyType.STRING, default=NO_DEFAULT, name="topic")
    assert check(key, {}) == Checked(None, (expected,))


def test_an_unreadable_number_earns_two_complaints_as_in_connect() -> None:
    assert check(a_key(KeyType.INT, AtLeast(1)), {"k": "abc"}).errors == (
        "Invalid value abc for configuration k: Not a number of type INT",
        "Invalid value null for configuration k: Value must be non-null",
    )


@pytest.mark.parametrize(
    ("type_", "validator", "text", "why"),
    [
        (KeyType.INT, AtLeast(1), "0", "Invalid value 0 for configuration k: "
         "Value must be at least 1"),
        (KeyType.INT, Between(1, 9), "0", "Invalid value 0 for configuration k: "
         "Value must be at least 1"),
        (KeyType.INT, Between(1, 9), "10", "Invalid value 10 for configuration k: "
         "Value must be no more than 9"),
        (KeyType.LONG, OffOrAtLeast(5), "0", "Invalid value 0 for configuration k: "
         "Value must be -1, or at least 5"),
        (KeyType.STRING, OneOf(("none", "all")), "maybe", "Invalid value maybe for "
         "configuration k: String must be one of: none, all"),
        (KeyType.STRING, Matches("[0-9]+m", "A number and m"), "5g", "Invalid value 5g for "
         "configuration k: A number and m"),
        (KeyType.CLASS, KnownClass(frozenset({"A"})), "Nope", "Invalid value Nope for "
         "configuration k: Class Nope could not be found."),
        (KeyType.LIST, unique_aliases, "a, a", "Invalid value [a, a] for configuration k: "
         "Duplicate alias provided."),
        (KeyType.LIST, distinct, "a,a", "Configuration 'k' values must not be duplicated."),
        (KeyType.LIST, distinct, "a,,b", "Configuration 'k' values must not be empty."),
        (KeyType.STRING, non_empty_without_control_chars, " ", "Invalid value  for "
         "configuration k: String may not be empty"),
        (KeyType.STRING, non_empty_without_control_chars, "a\x07b\x9f", "Invalid value "
         "a\x07b\x9f for configuration k: String may not contain control sequences but had the "
         "following ASCII chars: 7, 159"),
    ],
    ids=[
        "range", "too little", "too much", "neither off nor enough", "enumeration", "form",
        "class", "aliases", "topics", "empty topic", "empty name",
        "control characters",
    ],
)  # fmt: skip
def test_a_validator_complains_in_connects_words(
    type_: KeyType, validator: Validator, text: str, why: str
) -> None:
    assert check(a_key(type_, validator), {"k": text}).errors == (why,)


@pytest.mark.parametrize(
    ("type_", "validator", "text"),
    [
        (KeyType.INT, AtLeast(1), "1"),
        (KeyType.INT, Between(1, 9), "9"),
        (KeyType.LONG, OffOrAtLeast(5), "-1"),
        (KeyType.LONG, OffOrAtLeast(5), "5"),
        (KeyType.STRING, OneOf(("none", "all")), "all"),
        (KeyType.STRING, Matches("[0-9]+m", ""), "5m"),
        (KeyType.CLASS, KnownClass(frozenset({"A"})), "A"),
        (KeyType.LIST, unique_aliases, "a,b"),
        (KeyType.LIST, distinct, ""),
        (KeyType.STRING, non_empty_without_control_chars, "ünï > 1"),
    ],
    ids=[
        "range",
        "two ends",
        "off",
        "enough",
        "enumeration",
        "form",
        "class",
        "aliases",
        "topics",
        "name",
    ],
)
def test_a_validator_has_nothing_to_say_of_a_good_value(
    type_: KeyType, validator: Validator, text: str
) -> None:
    assert check(a_key(type_, validator), {"k": text}).errors == ()


@given(type_=st.sampled_from(KeyType), text=_ANY_TEXT)
def test_any_text_gives_a_value_or_a_complaint(type_: KeyType, text: str) -> None:
    found = check(a_key(type_), {"k": text})
    assert (found.value is None) == bool(found.errors)


@given(number=st.integers(-(2**31), 2**31 - 1))
def test_every_int_is_read_back(number: int) -> None:
    assert check(a_key(KeyType.INT), {"k": str(number)}).value == number

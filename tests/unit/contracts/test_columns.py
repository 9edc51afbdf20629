"""Types and policies of columns, by the paths that lead to them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from frazil.contracts.columns import (
    BadPathError,
    BadTypeError,
    ColumnRules,
    ColumnType,
    Policy,
    parse_path,
    parse_type,
)

PATHS = st.lists(st.sampled_from("abc"), min_size=1, max_size=3).map(tuple)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("long", ColumnType("long")),
        (" TimestampTZ ", ColumnType("timestamptz")),
        ("decimal(10,2)", ColumnType("decimal", 10, 2)),
        ("decimal( 38 , 38 )", ColumnType("decimal", 38, 38)),
    ],
)
def test_a_type_is_read(text: str, expected: ColumnType) -> None:
    assert parse_type(text) == expected


@pytest.mark.parametrize(
    "text",
    ["", "bigint", "list<int>", "decimal", "decimal(0,0)", "decimal(39,1)", "decimal(5,6)"],
)
def test_what_is_no_type_is_refused_with_those_that_there_are(text: str) -> None:
    with pytest.raises(BadTypeError, match=r"give boolean, int, long.*or decimal\(p,s\)"):
        parse_type(text)


def test_a_path_has_names_between_its_dots() -> None:
    assert parse_path("who.element.age") == ("who", "element", "age")
    for text in ("", "a..b", ".a", "a."):
        with pytest.raises(BadPathError):
            parse_path(text)


def test_a_policy_holds_inside_until_another_one_is_said() -> None:
    rules = ColumnRules(Policy.RESCUE, {("a",): Policy.NULL, ("a", "b", "c"): Policy.FAIL})
    found = [rules.policy(path) for path in ((), ("x",), ("a",), ("a", "b"), ("a", "b", "c", "d"))]
    assert found == [Policy.RESCUE, Policy.RESCUE, Policy.NULL, Policy.NULL, Policy.FAIL]


def test_names_are_found_whatever_their_case_if_asked_for() -> None:
    rules = ColumnRules(
        policies={("Who", "Age"): Policy.NULL},
        types={("Id",): ColumnType("long")},
        rescued="Others",
    )
    ignoring = rules.ignoring_case()
    assert rules.policy(("who", "age")) is Policy.CAST
    assert ignoring.policy(("WHO", "age")) is Policy.NULL
    assert ignoring.type(("ID",)) == ColumnType("long")
    assert ignoring.rescued == "Others"


@given(
    st.sampled_from(Policy),
    st.dictionaries(PATHS, st.sampled_from(Policy)),
    st.lists(PATHS),
    PATHS,
)
def test_what_decides_is_cast_and_nothing_else_changes(
    default: Policy,
    policies: dict[tuple[str, ...], Policy],
    fixed: list[tuple[str, ...]],
    path: tuple[str, ...],
) -> None:
    rules = ColumnRules(default, policies)
    is_fixed = any(path[: len(one)] == one for one in fixed)
    expected = Policy.CAST if is_fixed else rules.policy(path)
    assert rules.casting(fixed).policy(path) is expected


def test_rules_that_only_name_types_judge_nothing() -> None:
    assert not ColumnRules(types={("a",): ColumnType("long")}).judges
    assert not ColumnRules(policies={("a",): Policy.CAST}).judges
    assert ColumnRules(policies={("a",): Policy.RESCUE}).judges

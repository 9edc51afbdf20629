"""What becomes of a value that its column cannot hold: each policy, at any depth."""

import json
import pickle
from typing import Any

import pytest

from frazil.contracts.columns import ColumnRules, Path, Policy
from frazil.spark_sink.records.conversion import ConversionRules, NulledRow, row_converter
from frazil.spark_sink.records.errors import MisfitError, StoppingMisfitError
from frazil.spark_sink.records.schema.types import (
    Column,
    List,
    Map,
    Primitive,
    Struct,
    Type,
    parse_type,
)

INT, LONG, TEXT = Primitive("int"), Primitive("long"), Primitive("string")
WHO = Struct((Column("age", INT), Column("name", TEXT)))
TABLE = Struct((Column("age", INT), Column("who", WHO), Column("tags", List(INT))))
RESCUED = "_rescued_data"
WITH_RESCUED = Struct((*TABLE.columns, Column(RESCUED, TEXT)))


def policies(default: Policy = Policy.CAST, **by_path: Policy) -> ColumnRules:
    paths: dict[Path, Policy] = {tuple(name.split("__")): one for name, one in by_path.items()}
    return ColumnRules(default, paths)


def row(value: Any, columns: ColumnRules, table: Struct = TABLE, **rules: Any) -> tuple[Any, ...]:
    return row_converter(table, ConversionRules(columns=columns, **rules))(value, None)


NULLED: list[tuple[dict[str, Any], tuple[Any, ...], list[str]]] = [
    ({"age": 1}, (1, None, None), []),
    ({"age": "2"}, (2, None, None), []),
    ({"age": "x"}, (None, None, None), ["age"]),
    ({"age": [1]}, (None, None, None), ["age"]),
    ({"who": {"age": 1, "name": "a"}}, (None, (1, "a"), None), []),
    ({"who": {"age": "x", "name": "b"}}, (None, (None, "b"), None), ["who.age"]),
    ({"who": "nobody"}, (None, None, None), ["who"]),
    ({"tags": [1, "2"]}, (None, None, [1, 2]), []),
    ({"tags": [1, "x", "y"]}, (None, None, [1, None, None]), ["tags.element", "tags.element"]),
    ({"tags": {"a": 1}}, (None, None, None), ["tags"]),
    ({"age": "x", "who": {"age": "y"}}, (None, (None, None), None), ["age", "who.age"]),
]


@pytest.mark.parametrize(("value", "expected", "paths"), NULLED)
def test_null_writes_the_row_without_the_value_and_reports_it(
    value: dict[str, Any], expected: tuple[Any, ...], paths: list[str]
) -> None:
    converted = row(value, policies(Policy.NULL))
    assert converted == expected
    nulled = converted.nulled if isinstance(converted, NulledRow) else ()
    assert [".".join(one.path) for one in nulled] == paths


def test_a_nulled_value_says_why() -> None:
    converted = row({"who": {"age": "x"}}, policies(Policy.NULL))
    assert isinstance(converted, NulledRow)
    assert [str(one) for one in converted.nulled] == [
        "column who.age of type int cannot hold text that is not a number"
    ]


def test_rows_and_misfits_are_picklable() -> None:
    converted = row({"who": {"age": "x"}}, policies(Policy.NULL))
    assert isinstance(converted, NulledRow)
    copy = pickle.loads(pickle.dumps(converted))  # noqa: S301
    assert copy == converted
    assert [str(misfit) for misfit in copy.nulled] == [str(misfit) for misfit in converted.nulled]
    stopping = pickle.loads(pickle.dumps(StoppingMisfitError(("a", "b"), "is x")))  # noqa: S301
    assert (type(stopping), stopping.path) == (StoppingMisfitError, ("a", "b"))


def test_a_row_in_which_all_fits_is_a_plain_tuple() -> None:
    convert = row_converter(TABLE, ConversionRules(columns=policies(Policy.NULL)))
    assert type(convert({"age": "x"}, None)) is NulledRow
    assert type(convert({"age": 1}, None)) is tuple


def test_what_was_nulled_before_a_misfit_is_not_reported_with_the_next_row() -> None:
    columns = policies(age=Policy.NULL)
    convert = row_converter(TABLE, ConversionRules(columns=columns))
    with pytest.raises(MisfitError, match=r"who\.age"):
        convert({"age": "x", "who": {"age": "y"}}, None)
    assert type(convert({"age": 1}, None)) is tuple


@pytest.mark.parametrize(
    ("columns", "value", "path"),
    [
        (policies(Policy.NULL, who__age=Policy.CAST), {"who": {"age": "x"}}, ("who", "age")),
        (policies(Policy.CAST, who=Policy.NULL), {"age": "x"}, ("age",)),
        (policies(Policy.NULL, tags=Policy.CAST), {"tags": ["x"]}, ("tags", "element")),
    ],
)
def test_the_policy_of_the_innermost_path_counts(
    columns: ColumnRules, value: Any, path: Path
) -> None:
    with pytest.raises(MisfitError) as error:
        row(value, columns)
    assert error.value.path == path


@pytest.mark.parametrize(
    ("kind", "value", "path"),
    [
        (INT, "x", ("c",)),
        (Struct((Column("n", INT, required=True),)), {"n": "x"}, ("c", "n")),
        (List(INT, required=True), ["x"], ("c", "element")),
        (Map(TEXT, INT, required=True), {"k": "x"}, ("c", "value")),
        (Map(INT, INT), {"k": 1}, ("c", "key")),
    ],
)
def test_a_required_column_takes_no_null_for_a_value(kind: Type, value: Any, path: Path) -> None:
    required = Struct((Column("c", kind, required=True),))
    with pytest.raises(MisfitError) as error:
        row({"c": value}, policies(Policy.NULL), required)
    assert error.value.path == path


WRONG: list[tuple[str, Any]] = [
    ("int", "2"),
    ("int", 1.0),
    ("int", 2**40),
    ("int", True),
    ("double", "1.5"),
    ("double", 2**60 + 1),
    ("boolean", "true"),
    ("boolean", 1),
    ("string", 5),
    ("string", {"a": 1}),
    ("decimal(5, 2)", 1.005),
    ("decimal(5, 2)", "1.5"),
    ("timestamptz", 1_795_003_200_500),
    ("timestamptz", "noon"),
    ("date", 20_775),
    ("time", 5),
    ("uuid", "x"),
]
RIGHT: list[tuple[str, Any]] = [
    ("int", 2),
    ("double", 3),
    ("double", 0.1),
    ("float", 0.1),
    ("boolean", True),
    ("string", "5"),
    ("decimal(5, 2)", 1.5),
    ("decimal(5, 2)", 0.1),
    ("timestamptz", "2026-11-18T12:00:00.5Z"),
    ("date", "2026-11-18"),
    ("time", "10:15"),
    ("binary", "aGk="),
    ("variant", {"a": 1}),
]


@pytest.mark.parametrize(("kind", "value"), WRONG)
def test_fail_stops_at_what_is_of_another_type_even_if_it_could_be_converted(
    kind: str, value: Any
) -> None:
    table = Struct((Column("c", parse_type(kind)),))
    with pytest.raises(StoppingMisfitError, match="column c"):
        row({"c": value}, policies(Policy.FAIL), table)


@pytest.mark.parametrize(("kind", "value"), RIGHT)
def test_fail_lets_through_what_is_of_the_type_or_narrower(kind: str, value: Any) -> None:
    table = Struct((Column("c", parse_type(kind)),))
    (held,) = row({"c": value}, policies(Policy.FAIL), table)
    assert held is not None
    assert row({}, policies(Policy.FAIL), table) == (None,)


@pytest.mark.parametrize(
    ("kind", "value"),
    [
        (Struct((Column("a", INT),)), {"a": "1"}),
        (Struct((Column("a", INT),)), 1),
        (List(INT), [1, "2"]),
        (List(TEXT), [1]),
        (Map(TEXT, INT), {"k": "1"}),
    ],
)
def test_fail_holds_for_all_that_is_inside(kind: Type, value: Any) -> None:
    table = Struct((Column("c", kind),))
    with pytest.raises(StoppingMisfitError):
        row({"c": value}, policies(c=Policy.FAIL), table)


def test_a_misfit_of_the_default_policy_does_not_stop_the_connector() -> None:
    with pytest.raises(MisfitError) as error:
        row({"age": "x"}, policies(who=Policy.FAIL))
    assert not isinstance(error.value, StoppingMisfitError)


RESCUES: list[tuple[dict[str, Any], dict[str, Any] | None]] = [
    ({"age": 1}, None),
    ({"age": "x"}, {"age": "x"}),
    ({"age": [1, None]}, {"age": [1, None]}),
    ({"who": {"age": {"a": 1.5}}}, {"who.age": {"a": 1.5}}),
    ({"tags": [1, "x", "y"]}, {"tags.element": ["x", "y"]}),
    ({"tags": [["x"]]}, {"tags.element": [["x"]]}),
    ({"age": "x", "who": 5}, {"age": "x", "who": 5}),
    ({"age": 1, RESCUED: "mine"}, None),
]


@pytest.mark.parametrize(("value", "expected"), RESCUES)
def test_a_rescued_column_keeps_what_was_nulled(
    value: dict[str, Any], expected: dict[str, Any] | None
) -> None:
    converted = row(value, policies(Policy.RESCUE), WITH_RESCUED, rescued=RESCUED)
    rescued = converted[-1]
    assert type(converted) is tuple
    assert (rescued and json.loads(rescued)) == expected


def test_without_its_column_nothing_is_rescued_and_all_is_reported() -> None:
    converted = row({"age": "x"}, policies(Policy.RESCUE), rescued=RESCUED)
    assert isinstance(converted, NulledRow)

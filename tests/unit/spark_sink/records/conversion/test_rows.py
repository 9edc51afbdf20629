"""Rows: structs, lists and maps at every depth, names, and what is missing."""

import pickle
from typing import Any

import pytest

from frazil.spark_sink.records.conversion import ConversionRules, row_converter
from frazil.spark_sink.records.errors import MisfitError
from frazil.spark_sink.records.model import Field, Kind, Schema
from frazil.spark_sink.records.schema.types import Column, List, Map, Primitive, Struct, Type

INT, LONG, TEXT = Primitive("int"), Primitive("long"), Primitive("string")
MISFIT = "misfit"


def struct(**types: Type) -> Struct:
    return Struct(tuple(Column(name, kind) for name, kind in types.items()))


def row(table: Struct, value: Any, schema: Schema | None = None, **rules: Any) -> Any:
    return row_converter(table, ConversionRules(**rules))(value, schema)


def path_of(table: Struct, value: Any, **rules: Any) -> tuple[str, ...]:
    with pytest.raises(MisfitError) as error:
        row(table, value, **rules)
    return error.value.path


CASES: list[tuple[Any, Type, Any]] = [
    (["1", "2"], List(INT), [1, 2]),
    (["1", None], List(INT), [1, None]),
    ([], List(INT), []),
    (["a", None], List(TEXT), ["a", None]),
    (["a", 1], List(TEXT), ["a", "1"]),
    ([["1"]], List(List(LONG)), [[1]]),
    ([{"a": 1}, None, {}], List(struct(a=INT)), [(1,), None, (None,)]),
    (["1", "x"], List(INT), MISFIT),
    ([None], List(INT, required=True), MISFIT),
    (["a", None], List(TEXT, required=True), MISFIT),
    (1, List(INT), MISFIT),
    ("[1]", List(INT), MISFIT),
    ({"a": 1}, List(INT), MISFIT),
    ({"a": "1"}, Map(TEXT, INT), [("a", 1)]),
    ({"a": "x", "b": None}, Map(TEXT, TEXT), [("a", "x"), ("b", None)]),
    (
        {"a": "x", "b": 5, "c": {"d": 1}},
        Map(TEXT, TEXT),
        [("a", "x"), ("b", "5"), ("c", '{"d":1}')],
    ),
    ({}, Map(TEXT, INT), []),
    ({"1": "x", " 1": "y"}, Map(INT, TEXT), [(1, "y")]),
    ({1: "x"}, Map(TEXT, TEXT), [("1", "x")]),
    ({"a": {"b": "1"}}, Map(TEXT, struct(b=INT)), [("a", (1,))]),
    ({"a": None}, Map(TEXT, INT, required=True), MISFIT),
    ({"a": None}, Map(TEXT, TEXT, required=True), MISFIT),
    ({None: "x"}, Map(TEXT, TEXT), MISFIT),
    ({"x": "x"}, Map(INT, TEXT), MISFIT),
    ({"a": "x"}, Map(TEXT, INT), MISFIT),
    ([["a", 1]], Map(TEXT, INT), MISFIT),
    ({"b": "2", "a": 1, "d": 9}, struct(a=INT, b=INT, c=INT), (1, 2, None)),
    ({"a": "x"}, struct(a=INT), MISFIT),
    ("{}", struct(a=INT), MISFIT),
    ([], struct(a=INT), MISFIT),
]


@pytest.mark.parametrize(
    ("value", "kind", "expected"), CASES, ids=[f"{value} into {kind}" for value, kind, _ in CASES]
)
def test_a_structure_is_converted_or_refused(value: Any, kind: Type, expected: Any) -> None:
    if expected == MISFIT:
        assert path_of(struct(c=kind), {"c": value})[0] == "c"
    else:
        assert row(struct(c=kind), {"c": value}) == (expected,)


def test_a_row_has_the_columns_in_their_order_and_null_for_what_is_missing() -> None:
    table = struct(a=LONG, b=struct(c=TEXT), d=List(TEXT), e=Map(TEXT, TEXT), f=struct(g=LONG))
    value = {"f": {}, "unknown": 1, "b": {"c": "x", "more": 1}, "a": 1}
    assert row(table, value) == (1, ("x",), None, None, (None,))


def test_a_required_column_needs_a_value_at_every_depth() -> None:
    inner = Struct((Column("n", LONG, required=True),))
    table = Struct((Column("id", LONG, required=True), Column("who", inner)))
    assert row(table, {"id": 1, "who": None}) == (1, None)
    assert path_of(table, {"who": {"n": 1}}) == ("id",)
    assert path_of(table, {"id": None}) == ("id",)
    assert path_of(table, {"id": 1, "who": {}}) == ("who", "n")
    with pytest.raises(MisfitError, match="column id is required and has no value"):
        row(table, {})


def test_a_misfit_names_the_innermost_column() -> None:
    table = struct(a=struct(b=List(struct(c=Map(TEXT, INT)))))
    value = {"a": {"b": [{"c": {"k": "x"}}]}}
    assert path_of(table, value) == ("a", "b", "element", "c", "value")
    assert path_of(table, {"a": {"b": [5]}}) == ("a", "b", "element")
    assert path_of(struct(m=Map(INT, INT)), {"m": {"x": 1}}) == ("m", "key")


@pytest.mark.parametrize("value", [1, "x", [], None, b"", True])
def test_a_record_that_is_no_struct_is_no_row(value: Any) -> None:
    with pytest.raises(MisfitError, match="cannot be a row") as error:
        row(struct(a=LONG), value)
    assert error.value.path == ()


def test_names_are_just_names() -> None:
    table = Struct((Column("a.b", LONG), Column("", TEXT), Column("ä ö", struct(**{"x.y": LONG}))))
    value = {"a.b": 1, "": "empty", "ä ö": {"x.y": 2}, "a": {"b": 5}}
    assert row(table, value) == (1, "empty", (2,))


def test_a_struct_with_a_schema_becomes_a_map_of_the_fields_that_have_values() -> None:
    number = Schema(Kind.INT32, optional=True)
    held = Schema(Kind.STRUCT, fields=(Field("a", number), Field("b", number)))
    schema = Schema(Kind.STRUCT, fields=(Field("m", held),))
    value = {"m": {"a": 1, "b": None}}
    assert row(struct(m=Map(TEXT, TEXT)), value, schema) == ([("a", "1")],)
    assert row(struct(m=Map(TEXT, TEXT)), value) == ([("a", "1"), ("b", None)],)


def test_schemas_are_passed_on_to_whatever_looks_at_them() -> None:
    narrow = Schema(Kind.FLOAT32)
    inside = Schema(Kind.STRUCT, fields=(Field("f", narrow),))
    schema = Schema(
        Kind.STRUCT,
        fields=(
            Field("l", Schema(Kind.ARRAY, element=narrow)),
            Field("m", Schema(Kind.MAP, key=Schema(Kind.STRING), element=narrow)),
            Field("s", inside),
        ),
    )
    table = struct(l=List(TEXT), m=Map(TEXT, TEXT), s=struct(f=TEXT))
    close = 0.10000000149011612
    value = {"l": [close], "m": {"k": close}, "s": {"f": close}}
    assert row(table, value, schema) == (["0.1"], [("k", "0.1")], ("0.1",))


class TestNamesOfAnyCase:
    table = struct(id=LONG, who=struct(firstname=TEXT))

    def row(self, value: Any, table: Struct | None = None) -> Any:
        return row(table or self.table, value, ignore_case=True)

    def test_a_field_belongs_to_the_column_of_its_name_in_any_case(self) -> None:
        assert self.row({"ID": 1, "Who": {"firstName": "x"}}) == (1, ("x",))
        assert row(self.table, {"ID": 1, "Who": {"firstName": "x"}}) == (None, None)

    @pytest.mark.parametrize(
        "value", [{"id": 3, "ID": 3}, {"id": None, "ID": 3}, {"Id": 3, "iD": None}]
    )
    def test_several_fields_for_a_column_may_say_the_same(self, value: Any) -> None:
        assert self.row(value) == (3, None)

    @pytest.mark.parametrize(
        ("value", "path"),
        [
            ({"id": 4, "ID": 5}, ("id",)),
            ({"who": {"firstname": "a", "FirstName": "b"}}, ("who", "firstname")),
        ],
    )
    def test_several_values_for_a_column_are_a_misfit(
        self, value: Any, path: tuple[str, ...]
    ) -> None:
        assert path_of(self.table, value, ignore_case=True) == path

    def test_where_columns_differ_in_case_alone_each_has_its_own_field(self) -> None:
        table = Struct((Column("id", LONG), Column("ID", LONG)))
        assert self.row({"ID": 3, "id": 4}, table) == (4, 3)

    def test_the_schema_of_a_field_is_found_in_any_case(self) -> None:
        schema = Schema(Kind.STRUCT, fields=(Field("F", Schema(Kind.FLOAT32)),))
        value = {"F": 0.10000000149011612}
        assert row(struct(f=TEXT), value, schema, ignore_case=True) == ("0.1",)


def test_rules_are_picklable() -> None:
    rules = ConversionRules(ignore_case=True, rescued="_rescued_data")
    assert pickle.loads(pickle.dumps(rules)) == rules  # noqa: S301

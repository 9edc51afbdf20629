"""Which columns a record asks for, with a schema and without."""

import pickle
from datetime import UTC, date, datetime, time
from decimal import Decimal
from typing import Any

import pytest

from frazil.contracts.columns import ColumnRules, ColumnType, Policy
from frazil.spark_sink.records.model import (
    DATE,
    DECIMAL,
    SELECTED,
    TIME,
    TIMESTAMP,
    Field,
    Kind,
    Schema,
)
from frazil.spark_sink.records.schema.applied import applied, type_at
from frazil.spark_sink.records.schema.changes import (
    AddColumn,
    RelaxColumn,
    SchemaChange,
    WidenColumn,
)
from frazil.spark_sink.records.schema.evolution import asked, asking
from frazil.spark_sink.records.schema.rules import EvolutionRules
from frazil.spark_sink.records.schema.types import (
    Column,
    List,
    Map,
    Primitive,
    Struct,
    Type,
    parse_schema,
    parse_type,
)

EMPTY = Struct(())
CREATING = EvolutionRules(creating=True)
INT, LONG, DOUBLE, TEXT = map(Primitive, ("int", "long", "double", "string"))


def struct(**types: Type | str) -> Struct:
    return Struct(
        tuple(
            Column(name, parse_type(kind) if isinstance(kind, str) else kind)
            for name, kind in types.items()
        )
    )


def ask(value: Any, table: Struct = EMPTY, **rules: Any) -> list[SchemaChange]:
    return asked(value, None, table, EvolutionRules(**rules))


def added(value: Any) -> dict[str, str]:
    changes = asked(value, None, EMPTY, CREATING)
    assert all(isinstance(one, AddColumn) and not one.required for one in changes)
    return {one.name: str(one.type) for one in changes if isinstance(one, AddColumn)}


INFERRED: list[tuple[Any, str | None]] = [
    (True, "boolean"),
    (1, "long"),
    (-(2**63), "long"),
    (2**63, "decimal(38, 0)"),
    (10**38, "double"),
    (10**400, "string"),
    (1.5, "double"),
    (7.0, "double"),
    ("x", "string"),
    ("2026-11-18T12:00:00Z", "string"),
    (b"x", "binary"),
    (Decimal("1.50"), "decimal(3, 2)"),
    (Decimal("0.001"), "decimal(3, 3)"),
    (Decimal("1E+2"), "decimal(3, 0)"),
    (Decimal(0), "decimal(1, 0)"),
    (Decimal("1e50"), None),
    (date(2026, 1, 1), "date"),
    (time(12), "time"),
    (datetime(2026, 1, 1, tzinfo=UTC), "timestamptz"),
    (None, None),
    ({}, None),
    ([], None),
    ([None, None], None),
    ([[], [None]], None),
    ([{}], None),
    ({"a": None, "b": {}}, None),
    (["x"], "list<string>"),
    ([None, 1], "list<long>"),
    ([[], [1]], "list<list<long>>"),
    ([1, 2.5], "list<double>"),
    ([1, 2**63], "list<decimal(38, 0)>"),
    ([1, "x"], "list<string>"),
    ([True, 1], "list<string>"),
    ([1, {}], "list<string>"),
    ([{"a": 1}, {"b": "x", "a": 1.5}], "list<struct<a: double, b: string>>"),
    ([{"a": 1}, "x"], "list<string>"),
    ({"a": 1, "b": None, "c": {"d": "x"}}, "struct<a: long, c: struct<d: string>>"),
]


@pytest.mark.parametrize(("value", "kind"), INFERRED, ids=[str(v)[:40] for v, _ in INFERRED])
def test_the_type_of_a_new_column_is_inferred_from_its_value(value: Any, kind: str | None) -> None:
    assert added({"c": value}) == ({"c": kind} if kind else {})


def test_columns_come_in_the_order_of_the_document() -> None:
    assert list(added({"b": 1, "c": None, "a": 2, "B": 3, "a.b": 4})) == ["b", "a", "B", "a.b"]


def test_what_is_nested_beyond_reason_is_text() -> None:
    value: Any = 1
    for _ in range(900):
        value = {"a": value}
    kind = str(asked(value, None, EMPTY, CREATING)[0])
    assert kind.count("AddColumn") == 1
    assert "'string'" in kind


@pytest.mark.parametrize("value", [None, 1, "x", [], {}, {"a": None}])
def test_a_record_without_a_value_asks_for_nothing(value: Any) -> None:
    assert asked(value, None, EMPTY, CREATING) == []


TABLE = struct(
    id=LONG,
    who=struct(a=LONG),
    all=List(struct(x=LONG)),
    by_day=Map(TEXT, struct(n=LONG)),
    deep=List(List(struct(y=LONG))),
)

MISSING: list[tuple[dict[str, Any], list[SchemaChange]]] = [
    ({"id": 1, "who": {"a": 1}, "all": [{"x": 1}]}, []),
    ({"new": "n"}, [AddColumn((), "new", TEXT)]),
    ({"new": None, "other": {}}, []),
    ({"who": {"b": {"c": True}}}, [AddColumn(("who",), "b", struct(c="boolean"))]),
    ({"all": [{"x": 1}, {"y": "z"}, None]}, [AddColumn(("all", "element"), "y", TEXT)]),
    ({"by_day": {"mon": {"n": 1}, "tue": {"m": 1}}}, [AddColumn(("by_day", "value"), "m", LONG)]),
    ({"deep": [[{"z": 1}]]}, [AddColumn(("deep", "element", "element"), "z", LONG)]),
    # What does not fit is a misfit, and asks for nothing.
    ({"id": "x"}, []),
    ({"id": 1.5}, []),
    ({"who": 5, "all": {"y": 1}, "by_day": 1}, []),
    ({"all": [5]}, []),
]


@pytest.mark.parametrize(("value", "expected"), MISSING)
def test_a_record_asks_for_what_the_table_lacks_at_every_depth(
    value: dict[str, Any], expected: list[SchemaChange]
) -> None:
    assert ask(value, TABLE) == expected
    assert ask(value, applied(TABLE, expected)) == []


def test_numbers_without_a_schema_widen_nothing() -> None:
    table = Struct((Column("a", INT, required=True), Column("b", Primitive("float"))))
    assert ask({"a": 2**40, "b": 1e300}, table) == []


def test_the_type_of_a_column_can_be_configured() -> None:
    types = {
        ("price",): ColumnType("decimal", 10, 2),
        ("who", "born"): ColumnType("date"),
        ("items", "element", "n"): ColumnType("int"),
        ("v",): ColumnType("variant"),
    }
    rules = EvolutionRules(creating=True, columns=ColumnRules(types=types))
    value = {"price": 1.5, "who": {"born": "x"}, "items": [{"n": 1}], "v": {"a": [1, "x"]}}
    assert [
        str(one.type) for one in asked(value, None, EMPTY, rules) if isinstance(one, AddColumn)
    ] == [
        "decimal(10, 2)",
        "struct<born: date>",
        "list<struct<n: int>>",
        "variant",
    ]
    assert asked({"price": None, "v": {}}, None, EMPTY, rules) == []


class TestNamesOfAnyCase:
    def ask(self, value: Any, table: Struct = EMPTY) -> list[SchemaChange]:
        return ask(value, table, ignore_case=True)

    def test_columns_in_another_case_are_there(self) -> None:
        table = struct(id=LONG, who=struct(firstname=TEXT))
        assert self.ask({"ID": 1, "Who": {"firstName": "x"}}, table) == []
        assert self.ask({"Who": {"Last": "x"}}, table) == [AddColumn(("who",), "Last", TEXT)]
        assert ask({"ID": 1}, table) == [AddColumn((), "ID", LONG)]

    def test_fields_that_differ_in_case_are_one_new_column_by_the_first_name(self) -> None:
        value = {"Id": 1, "ID": 2, "l": [{"X": 1}, {"x": 1.5}]}
        assert self.ask(value) == [
            AddColumn((), "Id", LONG),
            AddColumn((), "l", List(struct(X=DOUBLE))),
        ]


def test_a_rescued_column_is_added_once_records_bring_columns() -> None:
    rescued = AddColumn((), "_rescued_data", TEXT)
    rules = EvolutionRules(creating=True, rescued="_rescued_data")
    assert asked({"a": 1, "_rescued_data": 5}, None, EMPTY, rules) == [
        AddColumn((), "a", LONG),
        rescued,
    ]
    assert asked({"a": None}, None, EMPTY, rules) == []
    assert ask({"id": 1}, TABLE, rescued="_rescued_data") == [rescued]
    assert ask({"id": 1}, applied(TABLE, [rescued]), rescued="_rescued_data") == []


def declared(kind: Kind, name: str | None = None, **more: Any) -> Schema:
    return Schema(kind, name=name, **more)


def record(optional: bool = False, **fields: Schema) -> Schema:
    return Schema(
        Kind.STRUCT, optional, fields=tuple(Field(name, one) for name, one in fields.items())
    )


DECLARED: list[tuple[Schema, str]] = [
    (declared(Kind.BOOLEAN), "boolean"),
    (declared(Kind.INT8), "int"),
    (declared(Kind.INT16), "int"),
    (declared(Kind.INT32), "int"),
    (declared(Kind.INT64), "long"),
    (declared(Kind.FLOAT32), "float"),
    (declared(Kind.FLOAT64), "double"),
    (declared(Kind.STRING), "string"),
    (declared(Kind.STRING, "uuid"), "uuid"),
    (declared(Kind.BYTES), "binary"),
    (declared(Kind.BYTES, DECIMAL, parameters={"scale": "2"}), "decimal(38, 2)"),
    (declared(Kind.BYTES, DECIMAL, parameters={"scale": "40"}), "string"),
    (declared(Kind.INT32, DATE), "date"),
    (declared(Kind.INT32, TIME), "time"),
    (declared(Kind.INT64, TIMESTAMP), "timestamptz"),
    (declared(Kind.INT64, "io.debezium.time.MicroTimestamp"), "long"),
    (declared(Kind.ARRAY, element=declared(Kind.INT8)), "list<int>"),
    (
        declared(Kind.MAP, key=declared(Kind.STRING), element=record(a=declared(Kind.INT64))),
        "map<string, struct<a: long>>",
    ),
    (record(), "struct<>"),
]


@pytest.mark.parametrize(("schema", "kind"), DECLARED, ids=[kind for _, kind in DECLARED])
def test_a_schema_declares_the_types_of_columns(schema: Schema, kind: str) -> None:
    (change,) = asked({"c": None}, record(c=schema), EMPTY, CREATING)
    assert isinstance(change, AddColumn)
    assert str(change.type) == kind


NEEDED = record(
    id=Schema(Kind.INT32),
    note=Schema(Kind.STRING, optional=True),
    who=record(age=Schema(Kind.INT32)),
    tags=Schema(Kind.ARRAY, element=Schema(Kind.STRING)),
)


def required(rules: EvolutionRules, table: Struct = EMPTY) -> list[tuple[str, ...]]:
    after = applied(table, asked({}, NEEDED, table, rules))
    inside = {("who", "age"): type_at(after, ("who",)), ("tags", "element"): after.columns[-1].type}
    return [(one.name,) for one in after.columns if one.required] + [
        path
        for path, kind in inside.items()
        if (isinstance(kind, Struct) and kind.columns[0].required)
        or (isinstance(kind, List) and kind.required)
    ]


def test_columns_are_required_only_when_their_table_is_created() -> None:
    everything = [("id",), ("who",), ("tags",), ("who", "age"), ("tags", "element")]
    assert required(CREATING) == everything
    assert required(EvolutionRules()) == []
    assert required(EvolutionRules(creating=True, force_optional=True)) == []


def test_what_a_policy_makes_null_is_not_required() -> None:
    columns = ColumnRules(policies={("who",): Policy.NULL, ("id",): Policy.NULL})
    assert required(EvolutionRules(creating=True, columns=columns)) == [
        ("tags",),
        ("tags", "element"),
    ]


def test_what_sql_selected_adds_columns_and_neither_widens_nor_relaxes() -> None:
    members = (Field("n", Schema(Kind.INT64)), Field("new", Schema(Kind.INT32, optional=True)))
    selected = Schema(Kind.STRUCT, name=SELECTED, fields=members)
    table = Struct((Column("n", INT, required=True),))
    assert asked({"n": 1}, selected, table, EvolutionRules()) == [AddColumn((), "new", INT)]


def test_a_schema_widens_and_relaxes_at_every_depth() -> None:
    table = Struct(
        (
            Column("id", INT, required=True),
            Column("amount", Primitive("float"), required=True),
            Column("price", Primitive("decimal", 9, 2)),
            Column("who", Struct((Column("age", INT, required=True),))),
            Column("tags", List(INT, required=True)),
            Column("by", Map(TEXT, INT)),
            Column("name", TEXT),
        )
    )
    schema = record(
        id=Schema(Kind.INT64, optional=True),
        amount=Schema(Kind.FLOAT64),
        price=Schema(Kind.BYTES, name=DECIMAL, parameters={"scale": "2"}),
        who=record(age=Schema(Kind.INT64)),
        tags=Schema(Kind.ARRAY, element=Schema(Kind.INT64, optional=True)),
        by=Schema(Kind.MAP, key=Schema(Kind.STRING), element=Schema(Kind.INT64)),
        name=Schema(Kind.INT64),
    )
    changes = asked({}, schema, table, EvolutionRules())
    assert changes == [
        RelaxColumn(("id",)),
        WidenColumn(("id",), LONG),
        WidenColumn(("amount",), DOUBLE),
        WidenColumn(("price",), Primitive("decimal", 38, 2)),
        WidenColumn(("who", "age"), LONG),
        RelaxColumn(("tags", "element")),
        WidenColumn(("tags", "element"), LONG),
        WidenColumn(("by", "value"), LONG),
    ]
    assert asked({}, schema, applied(table, changes), EvolutionRules()) == []


@pytest.mark.parametrize(
    ("column", "schema"),
    [
        (LONG, Schema(Kind.INT32)),
        (DOUBLE, Schema(Kind.FLOAT32)),
        (INT, Schema(Kind.FLOAT64)),
        (Primitive("decimal", 38, 2), Schema(Kind.BYTES, name=DECIMAL, parameters={"scale": "3"})),
        (TEXT, Schema(Kind.ARRAY, element=Schema(Kind.STRING))),
        (List(TEXT), Schema(Kind.STRING)),
    ],
)
def test_a_schema_changes_nothing_that_iceberg_does_not_widen(column: Type, schema: Schema) -> None:
    assert asked({}, record(c=schema), struct(c=column), EvolutionRules()) == []


def test_null_in_a_declared_struct_hides_no_new_column_of_it() -> None:
    schema = record(who=record(optional=True, a=Schema(Kind.INT64), b=Schema(Kind.STRING)))
    assert asked({"who": None}, schema, TABLE, EvolutionRules()) == [AddColumn(("who",), "b", TEXT)]


def test_a_map_without_the_schema_of_a_struct_asks_by_its_values() -> None:
    schema = Schema(Kind.MAP, key=Schema(Kind.STRING), element=Schema(Kind.INT64))
    assert asked({"a": 1}, schema, EMPTY, CREATING) == [AddColumn((), "a", LONG)]


def test_many_records_are_asked_by_one_function_whatever_their_schemas() -> None:
    ask_one = asking(TABLE, EvolutionRules())
    first, second = record(a=Schema(Kind.INT32)), record(b=Schema(Kind.INT32))
    expected = [AddColumn((), "a", INT)]
    assert [ask_one({}, first), ask_one({}, second), ask_one({}, first)] == [
        expected,
        [AddColumn((), "b", INT)],
        expected,
    ]
    assert ask_one({"id": 1}, None) == []


def test_applied_changes_keep_the_ids_that_are_there_and_give_new_columns_none() -> None:
    fields = [
        {"id": 1, "name": "id", "required": True, "type": "int"},
        {
            "id": 2,
            "name": "m",
            "required": False,
            "type": {
                "type": "map",
                "key-id": 3,
                "key": "string",
                "value-id": 4,
                "value-required": True,
                "value": {"type": "struct", "fields": []},
            },
        },
    ]
    table = parse_schema({"fields": fields})
    changes: list[SchemaChange] = [
        WidenColumn(("id",), LONG),
        RelaxColumn(("id",)),
        RelaxColumn(("m", "value")),
        AddColumn(("m", "value"), "n", LONG),
        AddColumn(("nowhere",), "n", LONG),
        AddColumn(("id",), "n", LONG),
    ]
    inner = Struct((Column("n", LONG),))
    assert applied(table, changes) == Struct(
        (Column("id", LONG, id=1), Column("m", Map(TEXT, inner, key_id=3, value_id=4), id=2))
    )


def test_rules_and_changes_are_picklable() -> None:
    things = (EvolutionRules(creating=True), ask({"a": [{"b": 1}]}))
    assert pickle.loads(pickle.dumps(things)) == things  # noqa: S301

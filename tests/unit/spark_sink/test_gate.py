"""A gate lets through what was approved, asks for the rest, and hides what was refused."""

import pytest
from pyspark.sql.types import ArrayType, LongType, MapType, StringType, StructType

from frazil.contracts.schema_change import ChangeKind, SchemaChange, SchemaRules
from frazil.spark_sink.store import SchemaWaitsError
from frazil.spark_sink.tables.evolution import AddColumn, RelaxColumn, WidenColumn
from frazil.spark_sink.tables.gate import Gate, creation, in_data

INNER = StructType().add("a", LongType()).add("b", StringType())
SHAPE = (
    StructType()
    .add("id", LongType(), nullable=False)
    .add("who", INNER)
    .add("all", ArrayType(INNER))
    .add("by", MapType(StringType(), INNER))
)
A = SchemaChange(kind=ChangeKind.ADD, path="a", type="string")
B = SchemaChange(kind=ChangeKind.RELAX, path="b")


def test_only_what_was_not_approved_is_asked_for_and_once() -> None:
    gate = Gate(SchemaRules(approved=(A,)), asks=True)
    gate.require("ns.t", [A])
    with pytest.raises(SchemaWaitsError, match=r"ns\.t waits .* refused: let column b be null\."):
        gate.require("ns.t", [A, B, B])
    Gate().require("ns.t", [A, B])


def test_what_is_refused_is_hidden_at_any_depth() -> None:
    refused = ("who.b", "all.element.a", "by.value.b", "missing")
    found = Gate(SchemaRules(refused=refused)).without_refused(SHAPE)
    assert found.simpleString() == (
        "struct<id:bigint,who:struct<a:bigint>,all:array<struct<b:string>>,"
        "by:map<string,struct<a:bigint>>>"
    )
    assert not found["id"].nullable
    assert Gate(SchemaRules(refused=("who",))).without_refused(SHAPE).names == ["id", "all", "by"]
    assert Gate().without_refused(SHAPE) is SHAPE


def test_the_case_of_what_is_refused_matters_only_where_it_does_for_columns() -> None:
    rules = SchemaRules(refused=("WHO",))
    assert "who" in Gate(rules).without_refused(SHAPE).names
    assert "who" not in Gate(rules, ignores_case=True).without_refused(SHAPE).names


def test_changes_are_told_in_words_and_data() -> None:
    found = [
        *creation(StructType().add("id", LongType())),
        in_data(AddColumn(("who", "element"), "b", INNER)),
        in_data(WidenColumn(("n",), LongType())),
        in_data(RelaxColumn(("n", "x"))),
    ]
    assert [(one.kind, one.path, one.type) for one in found] == [
        ("create", "", None),
        ("add", "id", "bigint"),
        ("add", "who.element.b", "struct<a:bigint,b:string>"),
        ("widen", "n", "bigint"),
        ("relax", "n.x", None),
    ]
    assert list(map(str, found)) == [
        "create the table",
        "add column id (bigint)",
        "add column who.element.b (struct<a:bigint,b:string>)",
        "widen column n to bigint",
        "let column n.x be null",
    ]

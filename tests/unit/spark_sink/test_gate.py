"""A gate lets through what was approved, asks for the rest, and hides what was refused."""

import pytest

from frazil.contracts.schema_change import ChangeKind, SchemaChange, SchemaRules
from frazil.spark_sink.records.schema.changes import AddColumn, RelaxColumn, WidenColumn
from frazil.spark_sink.records.schema.types import Column, Primitive, Struct
from frazil.spark_sink.store import SchemaWaitsError
from frazil.spark_sink.tables.gate import Gate, creation_of, described

LONG, STRING = Primitive("long"), Primitive("string")
INNER = Struct((Column("a", LONG), Column("b", STRING)))
A = SchemaChange(kind=ChangeKind.ADD, path="a", type="string")
B = SchemaChange(kind=ChangeKind.RELAX, path="b")


def test_only_what_was_not_approved_is_asked_for_and_once() -> None:
    gate = Gate(SchemaRules(approved=(A,)), asks=True)
    gate.require("ns.t", [A])
    with pytest.raises(SchemaWaitsError, match=r"ns\.t waits .* refused: let column b be null\."):
        gate.require("ns.t", [A, B, B])
    Gate().require("ns.t", [A, B])


def test_changes_are_told_in_words_and_data() -> None:
    found = [
        *creation_of(Struct((Column("id", LONG),))),
        described(AddColumn(("who", "element"), "b", INNER)),
        described(WidenColumn(("n",), LONG)),
        described(RelaxColumn(("n", "x"))),
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

"""Changes that several tasks report become one list, in the order of offsets."""

import pytest

from frazil.spark_sink.records.schema.changes import (
    AddColumn,
    RelaxColumn,
    SchemaChange,
    WidenColumn,
)
from frazil.spark_sink.records.schema.merge import Place, merge
from frazil.spark_sink.records.schema.types import Column, List, Primitive, Struct, Type

INT, LONG, DOUBLE, TEXT = map(Primitive, ("int", "long", "double", "string"))


def struct(**types: Type) -> Struct:
    return Struct(tuple(Column(name, kind) for name, kind in types.items()))


TABLE = Struct((Column("id", INT, required=True), Column("who", struct(a=LONG))))


def at(offset: int, partition: int = 0, topic: str = "t") -> Place:
    return topic, partition, offset


CASES: list[tuple[list[tuple[Place, list[SchemaChange]]], list[SchemaChange]]] = [
    ([], []),
    ([(at(1), [])], []),
    # The first record decides, whatever is reported first.
    (
        [(at(2), [AddColumn((), "x", TEXT)]), (at(1), [AddColumn((), "x", LONG)])],
        [AddColumn((), "x", LONG)],
    ),
    (
        [(at(1, 1), [AddColumn((), "b", TEXT)]), (at(5, 0), [AddColumn((), "a", LONG)])],
        [AddColumn((), "a", LONG), AddColumn((), "b", TEXT)],
    ),
    # What a new struct lacks comes with it.
    (
        [
            (at(1), [AddColumn((), "x", struct(a=LONG))]),
            (at(2), [AddColumn((), "x", struct(a=TEXT, b=TEXT))]),
        ],
        [AddColumn((), "x", struct(a=LONG, b=TEXT))],
    ),
    (
        [
            (at(1), [AddColumn((), "x", List(struct(a=LONG)))]),
            (at(2), [AddColumn((), "x", List(struct(b=TEXT)))]),
        ],
        [AddColumn((), "x", List(struct(a=LONG, b=TEXT)))],
    ),
    (
        [
            (at(1), [AddColumn(("who",), "b", LONG)]),
            (at(2), [AddColumn(("who",), "b", LONG), AddColumn(("who",), "c", LONG)]),
        ],
        [AddColumn(("who",), "b", LONG), AddColumn(("who",), "c", LONG)],
    ),
    # A struct that another record made a number has no columns.
    ([(at(1), [AddColumn((), "x", LONG)]), (at(2), [AddColumn(("x",), "y", LONG)])],
     [AddColumn((), "x", LONG)]),
    ([(at(1), [AddColumn(("nowhere",), "y", LONG)])], []),
    (
        [
            (at(1), [WidenColumn(("id",), LONG), RelaxColumn(("id",))]),
            (at(2), [WidenColumn(("id",), LONG)]),
        ],
        [RelaxColumn(("id",)), WidenColumn(("id",), LONG)],
    ),
    ([(at(1), [WidenColumn(("id",), DOUBLE), RelaxColumn(("who", "a"))])], []),
]  # fmt: skip


@pytest.mark.parametrize(("asked", "expected"), CASES)
def test_the_first_record_decides_and_later_ones_add(
    asked: list[tuple[Place, list[SchemaChange]]], expected: list[SchemaChange]
) -> None:
    assert merge(TABLE, asked) == expected


def test_names_may_differ_in_case() -> None:
    asked = [(at(1), [AddColumn((), "X", LONG)]), (at(2), [AddColumn((), "x", TEXT)])]
    assert merge(TABLE, asked, ignore_case=True) == [AddColumn((), "X", LONG)]
    assert len(merge(TABLE, asked)) == 2


def test_a_new_table_has_the_required_columns_of_its_first_record_alone() -> None:
    asked = [
        (at(1), [AddColumn((), "id", LONG, required=True), AddColumn((), "a", TEXT)]),
        (at(2), [AddColumn((), "id", LONG, required=True), AddColumn((), "b", TEXT, True)]),
    ]
    assert merge(Struct(()), asked) == [
        AddColumn((), "id", LONG, required=True),
        AddColumn((), "a", TEXT),
        AddColumn((), "b", TEXT),
    ]

"""Types of columns as JSON, and their ids."""

from itertools import count

import pytest

from frazil.spark_sink.records.schema.types import (
    Column,
    List,
    Map,
    Primitive,
    Struct,
    Type,
    leaves,
    parse_type,
    type_json,
    with_ids,
)

LONG, TEXT = Primitive("long"), Primitive("string")
NESTED = Struct(
    (
        Column("a", List(Struct((Column("x", LONG), Column("y", TEXT, required=True))))),
        Column("m", Map(TEXT, List(LONG), required=True)),
        Column("n", LONG, required=True),
    )
)


@pytest.mark.parametrize(
    "kind",
    [
        LONG,
        Primitive("decimal", 9, 2),
        Primitive("fixed", length=16),
        with_ids(NESTED, count(1).__next__),
    ],
    ids=str,
)
def test_a_type_is_read_back_from_its_json(kind: Type) -> None:
    assert parse_type(type_json(kind)) == kind


def test_what_is_side_by_side_is_numbered_before_what_is_inside() -> None:
    numbered = with_ids(NESTED, count(10).__next__)
    assert isinstance(numbered, Struct)
    assert [one.id for one in numbered.columns] == [10, 11, 12]
    assert list(leaves(numbered)) == [
        (("a", "element", "x"), LONG, 14),
        (("a", "element", "y"), TEXT, 15),
        (("m", "key"), TEXT, 16),
        (("m", "value", "element"), LONG, 18),
        (("n",), LONG, 12),
    ]


def test_numbering_changes_nothing_else() -> None:
    assert with_ids(with_ids(NESTED, count(1).__next__), lambda: 0) == NESTED
    assert with_ids(LONG, lambda: 5) == LONG

"""Fields of records whose names differ in nothing but case."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyspark.sql.types import (
    ArrayType,
    IntegerType,
    LongType,
    MapType,
    StringType,
    StructField,
    StructType,
)

from frazil.spark_sink.tables.evolution import AddColumn, changes
from frazil.spark_sink.tables.naming import grouped, without_twins

INT, LONG, TEXT = IntegerType(), LongType(), StringType()


@pytest.mark.parametrize(
    ("ignore_case", "groups"),
    [
        (True, {"old": ["Old", "OLD"], "id": ["id"]}),
        (False, {"Old": ["Old"], "id": ["id"], "OLD": ["OLD"]}),
    ],
)
def test_names_of_one_column_are_grouped(ignore_case: bool, groups: dict[str, list[str]]) -> None:
    assert grouped(["Old", "id", "OLD"], ignore_case=ignore_case) == groups


def test_twins_become_one_field_at_any_depth() -> None:
    inner = StructType().add("X", LONG).add("x", INT)
    shape = (
        StructType()
        .add("id", LONG)
        .add("who", inner)
        .add("WHO", StructType().add("y", TEXT))
        .add("all", ArrayType(inner))
        .add("m", MapType(TEXT, inner))
        .add("ID", TEXT)
    )
    assert without_twins(shape).simpleString() == (
        "struct<id:string,who:struct<X:bigint,y:string>,all:array<struct<X:bigint>>,"
        "m:map<string,struct<X:bigint>>>"
    )


def test_a_field_is_required_if_one_of_its_twins_is() -> None:
    shape = StructType().add("id", LONG, nullable=False).add("ID", LONG).add("v", LONG)
    assert [field.nullable for field in without_twins(shape).fields] == [False, True]


def test_fields_without_twins_stay_as_they_are() -> None:
    shape = StructType().add("id", LONG, nullable=False).add("who", StructType().add("x", INT))
    assert without_twins(shape) == shape


NAMES = st.sets(st.sampled_from("abcABC"), max_size=4)


@given(NAMES, st.lists(NAMES, min_size=1, max_size=4))
def test_whatever_batches_bring_a_table_has_each_column_once(
    columns: set[str], batches: list[set[str]]
) -> None:
    table = without_twins(StructType([StructField(name, INT) for name in sorted(columns)]))
    for batch in batches:
        shape = without_twins(StructType([StructField(name, INT) for name in sorted(batch)]))
        for added in changes(shape, table, ignore_case=True, declared=False):
            assert isinstance(added, AddColumn)
            table = StructType([*table.fields, StructField(added.name, added.type)])
    assert sorted(map(str.lower, table.names)) == sorted(
        {name.lower() for name in columns.union(*batches)}
    )

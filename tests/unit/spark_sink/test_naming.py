"""Shapes of records by the names of columns, and what renames make of a table."""

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

from frazil.contracts.column_names import ColumnNames
from frazil.spark_sink.tables.columns import renamings
from frazil.spark_sink.tables.evolution import AddColumn, RenameColumn, before, changes
from frazil.spark_sink.tables.naming import as_brought, named
from frazil.worker.errors import BadTableError

INT, LONG, TEXT = IntegerType(), LongType(), StringType()
INNER = StructType().add("x", INT)
NAMES = ColumnNames.of({("who",): "person", ("who", "x"): "y", ("all", "element", "x"): "y"})
TABLE = StructType().add("who", INNER).add("all", ArrayType(INNER)).add("m", MapType(TEXT, INNER))
NOW = "struct<person:struct<y:int>,all:array<struct<y:int>>,m:map<string,struct<x:int>>>"


def test_fields_have_the_names_of_columns_at_any_depth() -> None:
    assert named(TABLE, NAMES).simpleString() == NOW
    assert named(TABLE, ColumnNames()) is TABLE


def test_what_several_fields_bring_for_one_column_is_one() -> None:
    shape = (
        StructType()
        .add("who", INNER, nullable=False)
        .add("person", StructType().add("y", LONG).add("z", TEXT))
        .add("id", LONG)
        .add("ID", TEXT)
    )
    assert named(shape, NAMES).simpleString() == (
        "struct<person:struct<y:bigint,z:string>,id:bigint,ID:string>"
    )
    assert not named(shape, NAMES)["person"].nullable
    ignoring = named(shape, ColumnNames(ignore_case=True))
    assert ignoring.names == ["who", "person", "id"]
    assert ignoring["id"].dataType == TEXT
    inside = StructType().add("WHO", INNER).add("who", StructType().add("X", LONG))
    made = named(inside, ColumnNames(ignore_case=True))
    assert made.simpleString() == "struct<WHO:struct<x:bigint>>"


def test_a_parser_is_told_every_name_that_may_come() -> None:
    found = as_brought(named(TABLE, NAMES), NAMES).simpleString()
    assert found == (
        "struct<person:struct<y:int,x:int>,who:struct<y:int,x:int>,"
        "all:array<struct<y:int,x:int>>,m:map<string,struct<x:int>>>"
    )
    assert as_brought(TABLE, ColumnNames(ignore_case=True)) is TABLE


def test_what_a_table_still_calls_otherwise_is_to_be_renamed() -> None:
    assert renamings("t", TABLE, NAMES) == [
        RenameColumn(("who",), "person"),
        RenameColumn(("person", "x"), "y"),
        RenameColumn(("all", "element", "x"), "y"),
    ]
    assert renamings("t", named(TABLE, NAMES), NAMES) == []
    half = StructType().add("person", INNER)
    assert renamings("t", half, NAMES) == [RenameColumn(("person", "x"), "y")]


def test_a_change_is_told_by_the_names_of_then_and_made_by_those_that_are_there() -> None:
    todo = renamings("t", TABLE, NAMES)
    assert before(("person", "y"), todo) == ("who", "x")
    assert before(("person", "new"), todo) == ("who", "new")
    assert before(("all", "element", "y", "z"), todo) == ("all", "element", "x", "z")
    assert before((), todo) == ()


@pytest.mark.parametrize(
    ("table", "names", "sentence"),
    [
        (
            StructType().add("x", INT).add("y", INT),
            ColumnNames({("x",): "y"}),
            "Table t has a column x, which is to be renamed to y, and has y beside it",
        ),
        (
            StructType().add("x", INT).add("Y", INT),
            ColumnNames({("X",): "y"}, ignore_case=True),
            "has y beside it",
        ),
        (TABLE, ColumnNames({("all", "element"): "one"}), "all.element of t is what a list"),
        (TABLE, ColumnNames({("m", "value"): "one"}), "it has no name. Remove the key"),
    ],
)
def test_what_cannot_be_renamed_is_a_sentence(
    table: StructType, names: ColumnNames, sentence: str
) -> None:
    with pytest.raises(BadTableError, match=sentence):
        renamings("t", table, names)


COLUMNS = st.sets(st.sampled_from("abcd"), max_size=4)
BATCHES = st.lists(st.sets(st.sampled_from("abcdxy"), max_size=4), min_size=1, max_size=4)
RENAMES = st.sampled_from([{}, {"a": "x"}, {"b": "y"}, {"a": "x", "b": "y"}, {"c": "x"}])


@given(COLUMNS, BATCHES, RENAMES)
def test_whatever_batches_bring_a_table_has_each_column_once(
    columns: set[str], batches: list[set[str]], wanted: dict[str, str]
) -> None:
    names = ColumnNames.of({(old,): new for old, new in wanted.items()})
    ids = {name: number for number, name in enumerate(sorted(columns))}
    for batch in batches:
        table = StructType([StructField(name, INT) for name in ids])
        for one in renamings("t", table, names):
            ids[one.name] = ids.pop(one.path[-1])
        shape = named(StructType([StructField(name, INT) for name in sorted(batch)]), names)
        table = StructType([StructField(name, INT) for name in ids])
        for added in changes(shape, table, ignore_case=False, declared=False):
            assert isinstance(added, AddColumn)
            ids[added.name] = len(ids)
    assert ids.keys() == {names.name((), name) for name in columns.union(*batches)}
    assert all(ids[names.name((), name)] == n for n, name in enumerate(sorted(columns)))

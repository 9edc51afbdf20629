"""A declared table against the one that is there: drift, refusal, or nobody's business."""

import pytest
from pyiceberg.partitioning import UNPARTITIONED_PARTITION_SPEC, PartitionField, PartitionSpec
from pyiceberg.schema import Schema
from pyiceberg.transforms import DayTransform
from pyiceberg.types import (
    IcebergType,
    IntegerType,
    ListType,
    LongType,
    MapType,
    NestedField,
    StringType,
    StructType,
    TimestamptzType,
)

from frazil.provisioner.desired import Table, TableDefinition
from frazil.provisioner.tables import Difference, TableState, differences


def column(id_: int, name: str, kind: IcebergType, *, required: bool = False) -> NestedField:
    return NestedField(id_, name, kind, required=required)


TIME = column(1, "time", TimestamptzType(), required=True)
TEXT_MAP = MapType(4, StringType(), 5, StringType(), value_required=False)
INFO = StructType(column(6, "code", IntegerType()), column(7, "path", StringType()))
FIELDS = (TIME, column(2, "tags", TEXT_MAP), column(3, "info", INFO))
DAY = PartitionSpec(PartitionField(1, 1000, DayTransform(), "time_day"))


def compare(
    *fields: NestedField,
    spec: PartitionSpec = DAY,
    properties: dict[str, str] | None = None,
) -> list[Difference]:
    definition = TableDefinition.model_validate(
        {"name": "t", "schema": Schema(*FIELDS), "partition-spec": DAY, "properties": {"p": "1"}}
    )
    actual = TableState(Schema(*fields), spec, {"p": "1"} if properties is None else properties)
    return differences(Table(namespace="n", definition=definition), actual)


def test_an_equal_table_has_no_differences() -> None:
    assert compare(*FIELDS) == []


def test_columns_of_others_are_nobodys_business() -> None:
    extra = column(9, "message", StringType())
    nested = StructType(*INFO.fields, column(8, "new", StringType()))
    assert (
        compare(*FIELDS[:2], column(3, "info", nested), extra, properties={"p": "1", "q": "2"})
        == []
    )


def test_a_wider_type_holds_what_is_declared() -> None:
    wider = StructType(column(6, "code", LongType()), INFO.fields[1])
    assert compare(*FIELDS[:2], column(3, "info", wider)) == []


@pytest.mark.parametrize(
    ("difference", "fields"),
    [
        (Difference("Table n.t has no column tags (map<string, string>)."), (TIME, FIELDS[2])),
        (
            Difference("Table n.t has no column info.path (string)."),
            (*FIELDS[:2], column(3, "info", StructType(INFO.fields[0]))),
        ),
        (
            Difference(
                "Table n.t has column info as string, not struct<6: code: optional int, "
                "7: path: optional string>: a type cannot be changed in place.",
                True,
            ),
            (*FIELDS[:2], column(3, "info", StringType())),
        ),
        (
            Difference(
                "Table n.t has column tags.value as int, not string: a type cannot be changed in "
                "place.",
                True,
            ),
            (
                TIME,
                column(2, "tags", MapType(4, StringType(), 5, IntegerType(), value_required=False)),
                FIELDS[2],
            ),
        ),
        (
            Difference("Table n.t requires a value in info, which is declared optional.", True),
            (*FIELDS[:2], column(3, "info", INFO, required=True)),
        ),
        (
            Difference("Table n.t requires a column extra that nobody writes.", True),
            (*FIELDS, column(9, "extra", StringType(), required=True)),
        ),
        (
            Difference("Table n.t has an optional column time where a required one is declared."),
            (column(1, "time", TimestamptzType()), *FIELDS[1:]),
        ),
    ],
)
def test_each_difference_is_one_sentence(
    difference: Difference, fields: tuple[NestedField, ...]
) -> None:
    assert compare(*fields) == [difference]


def test_lists_are_compared_by_their_elements() -> None:
    declared = TableDefinition.model_validate(
        {"name": "t", "schema": Schema(column(1, "l", ListType(2, StringType())))}
    )
    actual = TableState(
        Schema(column(1, "l", ListType(2, IntegerType()))), UNPARTITIONED_PARTITION_SPEC, {}
    )
    found = differences(Table(namespace="n", definition=declared), actual)
    assert [one.is_fatal for one in found] == [True]


def test_another_partitioning_is_drift() -> None:
    assert compare(*FIELDS, spec=UNPARTITIONED_PARTITION_SPEC) == [
        Difference("Table n.t is partitioned by nothing, not by day(time).")
    ]


@pytest.mark.parametrize(
    ("properties", "there"), [({}, "nothing"), ({"p": "2"}, "2")], ids=["missing", "other"]
)
def test_another_property_is_drift(properties: dict[str, str], there: str) -> None:
    assert compare(*FIELDS, properties=properties) == [
        Difference(f"Table n.t has p = {there}, not 1.")
    ]

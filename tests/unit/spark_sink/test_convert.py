"""When a value can stay as it is: types compared as far as values go."""

import pytest
from pyspark.sql.types import (
    ArrayType,
    DataType,
    IntegerType,
    LongType,
    MapType,
    StringType,
    StructField,
    StructType,
)

from frazil.spark_sink.tables.convert import fits

INT = IntegerType()


def struct(*fields: StructField) -> StructType:
    return StructType(list(fields))


def field(name: str = "a", *, needed: bool = False, **metadata: str) -> StructField:
    return StructField(name, INT, not needed, metadata)


@pytest.mark.parametrize(
    ("source", "target", "expected"),
    [
        (INT, INT, True),
        (INT, LongType(), False),
        (struct(field()), struct(field(comment="of the table")), True),
        (struct(field(needed=True)), struct(field()), True),
        (struct(field()), struct(field(needed=True)), False),
        (struct(field("a"), field("b")), struct(field("b"), field("a")), False),
        (struct(field("a"), field("b")), struct(field("a")), False),
        (ArrayType(struct(field())), ArrayType(struct(field(comment="x"))), True),
        (ArrayType(INT), ArrayType(INT, containsNull=False), False),
        (ArrayType(INT, containsNull=False), ArrayType(INT), True),
        (MapType(StringType(), INT), MapType(StringType(), INT, valueContainsNull=False), False),
        (MapType(StringType(), INT), MapType(StringType(), LongType()), False),
        (MapType(INT, INT), MapType(StringType(), INT), False),
        (
            MapType(StringType(), struct(field())),
            MapType(StringType(), struct(field(comment="x"))),
            True,
        ),
    ],
)
def test_a_type_fits_if_each_of_its_values_does(
    source: DataType, target: DataType, expected: bool
) -> None:
    assert fits(source, target) is expected

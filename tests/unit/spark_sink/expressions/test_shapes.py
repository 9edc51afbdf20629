"""The type that holds two, and schemas of Connect: decided without Spark running."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyspark.sql.types import (
    ArrayType,
    ByteType,
    DataType,
    DateType,
    DecimalType,
    DoubleType,
    IntegerType,
    LongType,
    MapType,
    NullType,
    StringType,
    StructField,
    StructType,
    TimestampType,
)

from frazil.spark_sink.expressions.connect_schema import BadSchemaError, parse_schema
from frazil.spark_sink.expressions.shapes import NAME, merged, preferred

LONG, TEXT = LongType(), StringType()


def struct(**fields: DataType) -> StructType:
    return StructType([StructField(name, kind) for name, kind in fields.items()])


@pytest.mark.parametrize(
    ("one", "other", "both"),
    [
        (IntegerType(), LONG, LONG),
        (ByteType(), NullType(), ByteType()),
        (LONG, DoubleType(), DoubleType()),
        (DecimalType(10, 2), IntegerType(), DecimalType(12, 2)),
        (DecimalType(38, 0), DecimalType(10, 5), DecimalType(38, 5)),
        (DecimalType(10, 2), DoubleType(), DoubleType()),
        (DateType(), TimestampType(), TimestampType()),
        (LONG, TEXT, TEXT),
        (struct(a=LONG), TEXT, TEXT),
        (struct(a=LONG), struct(a=TEXT, b=LONG), struct(a=TEXT, b=LONG)),
        (ArrayType(LONG), ArrayType(DoubleType()), ArrayType(DoubleType())),
        (MapType(TEXT, LONG), MapType(TEXT, TEXT), MapType(TEXT, TEXT)),
        (MapType(TEXT, LONG), struct(a=LONG), TEXT),
    ],
)
def test_two_types_have_one_that_holds_both(one: DataType, other: DataType, both: DataType) -> None:
    assert merged(one, other) == both
    assert merged(other, one).simpleString() in (both.simpleString(), _swapped(both))


def _swapped(kind: DataType) -> str:
    """Spell a struct with its fields the other way round: they keep the order of the first."""
    if isinstance(kind, StructType):
        return StructType(kind.fields[::-1]).simpleString()
    return kind.simpleString()


types = st.recursive(
    st.sampled_from(
        [LONG, IntegerType(), TEXT, DoubleType(), DateType(), DecimalType(12, 3), NullType()]
    ),
    lambda inner: st.one_of(
        inner.map(ArrayType),
        st.dictionaries(st.sampled_from("abc"), inner, min_size=1).map(lambda f: struct(**f)),
    ),
    max_leaves=8,
)


@given(types, types)
def test_what_holds_both_holds_each_again(one: DataType, other: DataType) -> None:
    both = merged(one, other)
    assert merged(both, one) == both
    assert merged(both, both) == both


def test_a_field_is_required_only_if_it_is_on_both_sides() -> None:
    required = StructType([StructField("a", LONG, nullable=False)])
    assert merged(required, required) == required
    assert merged(required, struct(b=LONG)) == struct(a=LONG, b=LONG)


def test_structures_that_are_known_win_over_texts() -> None:
    known = struct(a=struct(x=LONG), b=ArrayType(LONG), c=LONG, d=ArrayType(struct(y=LONG)))
    found = struct(a=TEXT, b=TEXT, c=TEXT, e=TEXT, d=ArrayType(TEXT))
    assert preferred(found, known) == struct(
        a=struct(x=LONG), b=ArrayType(LONG), c=TEXT, e=TEXT, d=ArrayType(struct(y=LONG))
    )


def test_a_schema_of_connect_declares_types_names_and_what_is_required() -> None:
    schema = parse_schema(
        json.dumps(
            {
                "type": "struct",
                "fields": [
                    {"field": "id", "type": "int16"},
                    {"field": "u", "type": "string", "name": "uuid", "optional": True},
                    {
                        "field": "d",
                        "type": "bytes",
                        "name": "org.apache.kafka.connect.data.Decimal",
                        "parameters": {"scale": "4"},
                        "optional": True,
                    },
                ],
            }
        )
    )
    declared = schema.declared
    assert isinstance(declared, StructType)
    assert declared.simpleString() == "struct<id:smallint,u:string,d:decimal(38,4)>"
    assert [field.nullable for field in declared.fields] == [False, True, True]
    assert declared["u"].metadata == {NAME: "uuid"}


@pytest.mark.parametrize("text", ["", "5", "{}", '{"type": "uint8"}', '{"type": "array"}', "[]"])
def test_what_is_no_schema_is_said_to_be_none(text: str) -> None:
    with pytest.raises(BadSchemaError):
        parse_schema(text)

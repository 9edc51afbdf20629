"""Types of columns that are made, and of JSON that is read for them."""

from pyspark.sql.types import (
    ArrayType,
    DataType,
    DecimalType,
    IntegerType,
    LongType,
    MapType,
    StringType,
    StructField,
    StructType,
    TimestampNTZType,
    TimestampType,
    VariantType,
)

from frazil.contracts.columns import ColumnRules, ColumnType, Path, Policy
from frazil.spark_sink.tables.columns import shaped
from frazil.spark_sink.tables.reading import as_text, wanted


def struct(**fields: DataType) -> StructType:
    return StructType([StructField(name, kind) for name, kind in fields.items()])


TEXT, INT = StringType(), IntegerType()
TABLE = struct(
    id=LongType(),
    at=TimestampType(),
    who=struct(age=INT, name=TEXT),
    items=ArrayType(struct(price=DecimalType(5, 2))),
    counts=MapType(TEXT, INT),
)


def test_columns_get_the_types_that_are_given_at_any_depth() -> None:
    types: dict[Path, ColumnType] = {
        ("id",): ColumnType("decimal", 10, 2),
        ("who", "age"): ColumnType("timestamp"),
        ("items", "element", "price"): ColumnType("double"),
        ("counts", "value"): ColumnType("long"),
        ("nowhere",): ColumnType("long"),
    }
    assert shaped(TABLE, ColumnRules(types=types)).simpleString() == (
        "struct<id:decimal(10,2),at:timestamp,who:struct<age:timestamp_ntz,name:string>,"
        "items:array<struct<price:double>>,counts:map<string,bigint>>"
    )


def test_what_may_be_null_is_never_required() -> None:
    required = StructType([StructField(name, INT, nullable=False) for name in ("a", "b")])
    made = shaped(required, ColumnRules(policies={("a",): Policy.NULL}))
    assert [field.nullable for field in made.fields] == [True, False]


def test_without_rules_the_shape_is_that_of_the_records() -> None:
    assert shaped(TABLE, ColumnRules()) is TABLE


def test_json_is_read_as_it_is_where_a_column_is_to_stop_the_connector() -> None:
    sure = struct(n=LongType(), x=INT)
    stopping = ColumnRules(Policy.FAIL)
    # Of these the parser itself refuses what is of another type.
    assert wanted(sure, rules=stopping) == sure
    assert wanted(struct(t=TEXT), rules=stopping) == struct(t=VariantType())
    assert as_text(sure, rules=stopping) == struct(n=VariantType(), x=VariantType())


def test_json_that_was_not_as_wanted_is_text_and_structures_may_be_anything_by_policy() -> None:
    rules = ColumnRules(policies={("who",): Policy.NULL, ("counts", "value"): Policy.NULL})
    assert as_text(TABLE, rules=rules) == struct(
        id=TEXT,
        at=TEXT,
        who=VariantType(),
        items=ArrayType(struct(price=TEXT)),
        counts=MapType(TEXT, TEXT),
    )
    plain = wanted(struct(at=TimestampNTZType(), id=INT))
    assert plain == struct(at=TEXT, id=INT)

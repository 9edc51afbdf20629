"""Variants, read back with Spark's own reader."""

from datetime import UTC, date, datetime, time
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pyspark.sql.variant_utils import VariantUtils

from frazil.spark_sink.records.conversion import ConversionRules, row_converter
from frazil.spark_sink.records.errors import MisfitError
from frazil.spark_sink.records.schema.types import Column, Primitive, Struct
from frazil.spark_sink.records.schema.variant import NotAVariantError, encode_variant

NOON = datetime(2026, 11, 18, 12, 0, 0, 500_000, tzinfo=UTC)
VALUES: list[Any] = [
    None, True, False, 0, -128, 127, 128, -32_768, 32_768, 2**31, -(2**63), 2**63 - 1,
    1.5, -0.0, 1e300, "", "x" * 63, "x" * 64, "é" * 32, "\U0001f9ca", b"", b"\x00\xff",
    Decimal("1.50"), Decimal("-0.001"), Decimal("12345678901234567890.5"), Decimal(10**37),
    date(2026, 11, 18), date(1969, 12, 31),
    NOON, NOON.replace(tzinfo=None, year=1969),
    [], {}, [None], [[1, [2]]], {"a": {}}, {"b": 1, "a": {"b": 2, "é": [{"": 3}]}},
    list(range(300)), {f"key{number}": number for number in range(300)}, ["x" * 300, "y" * 70_000],
]  # fmt: skip


def decoded(value: Any) -> Any:
    metadata, content = encode_variant(value)
    return VariantUtils.to_python(content, metadata)


@pytest.mark.parametrize("value", VALUES, ids=[str(value)[:40] for value in VALUES])
def test_a_value_is_read_back_as_it_was(value: Any) -> None:
    assert decoded(value) == value
    assert type(decoded(value)) is type(value)


JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**63 - 1)
    | st.text()
    | st.floats(allow_nan=False),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(max_size=5), inner),
    max_leaves=20,
)


@settings(derandomize=True, deadline=None, max_examples=100)
@given(JSON)
def test_any_document_is_read_back_as_it_was(value: Any) -> None:
    assert decoded(value) == value


@pytest.mark.parametrize(
    ("value", "content"),
    [
        (None, "00"),
        (True, "04"),
        (5, "0c05"),
        (-300, "10d4fe"),
        ("hi", "096869"),
        (Decimal("1.5"), "20010f000000"),
        (time(0, 0, 1), "4440420f0000000000"),
        ([1, 2], "0302000204" + "0c01" + "0c02"),
        ({"b": 1, "a": True}, "0202" + "0001" + "000103" + "04" + "0c01"),
    ],
)
def test_the_bytes_are_those_of_the_specification(value: Any, content: str) -> None:
    assert encode_variant(value)[1].hex() == content


def test_the_names_of_all_depths_are_in_the_metadata_once_and_sorted() -> None:
    metadata, _ = encode_variant([{"b": {"a": 1}}, {"b": 2, "B": 3}])
    assert metadata == bytes([0b1_0001, 3, 0, 1, 2, 3]) + b"Bab"
    assert encode_variant(5)[0] == bytes([0b1_0001, 0, 0])


@pytest.mark.parametrize("value", [10**38, Decimal("1e40"), Decimal("NaN"), {1: "x"}, object()])
def test_what_has_no_place_in_a_variant_is_refused(value: Any) -> None:
    with pytest.raises(NotAVariantError):
        encode_variant(value)


def test_a_column_of_variants_holds_any_document() -> None:
    convert = row_converter(Struct((Column("v", Primitive("variant")),)), ConversionRules())
    ((metadata, content),) = convert({"v": {"a": [1, "x"]}}, None)
    assert VariantUtils.to_json(content, metadata, "UTC") == '{"a":[1,"x"]}'
    assert convert({"v": None}, None) == (None,)
    with pytest.raises(MisfitError, match="column v of type variant"):
        convert({"v": 10**40}, None)

"""Rows split by partition specs, and the names of partitions."""

import math
import pickle
from decimal import Decimal
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from frazil.spark_sink.records.schema.types import Column, List, Primitive, Struct
from frazil.spark_sink.tasks.errors import UnsupportedTableError
from frazil.spark_sink.tasks.files.arrow_schema import arrow_schema
from frazil.spark_sink.tasks.partitions import (
    PartitionField,
    PartitionSpec,
    compile_splitter,
    parse_spec,
)

INNER = Struct((Column("b", Primitive("string"), id=11), Column("c", Primitive("int"), id=12)))
SCHEMA = Struct(
    (
        Column("id", Primitive("long"), id=1),
        Column("text", Primitive("string"), id=2),
        Column("number", Primitive("double"), id=3),
        Column("a", INNER, id=4),
        Column("list", List(Primitive("int"), element_id=13), id=5),
    )
)


def spec_of(*fields: tuple[int, str]) -> PartitionSpec:
    listed = [
        {"source-id": source, "field-id": 1000 + n, "name": f"p{n}", "transform": transform}
        for n, (source, transform) in enumerate(fields)
    ]
    return parse_spec({"spec-id": 3, "fields": listed}, SCHEMA)


def split(spec: PartitionSpec, rows: list[dict[str, Any]]) -> list[tuple[str, list[int]]]:
    batch = pa.RecordBatch.from_pylist(rows, schema=arrow_schema(SCHEMA))
    parts = compile_splitter(spec)(batch)
    return sorted((repr(values), part["id"].to_pylist()) for values, part in parts)


def test_rows_of_a_partition_come_together_in_their_order() -> None:
    rows = [{"id": n, "text": "ab"[n % 2], "number": 0.5} for n in range(6)]
    assert split(spec_of((2, "identity"), (3, "identity")), rows) == [
        ("('a', 0.5)", [0, 2, 4]),
        ("('b', 0.5)", [1, 3, 5]),
    ]


def test_null_nan_and_the_zeros_are_partitions_of_their_own() -> None:
    numbers = [None, math.nan, 0.0, -0.0, None, math.nan, math.inf]
    rows = [{"id": n, "number": number} for n, number in enumerate(numbers)]
    assert split(spec_of((3, "identity")), rows) == [
        ("(-0.0,)", [3]),
        ("(0.0,)", [2]),
        ("(None,)", [0, 4]),
        ("(inf,)", [6]),
        ("(nan,)", [1, 5]),
    ]


def test_a_field_of_a_struct_is_null_where_the_struct_is() -> None:
    rows: list[Any] = [
        {"id": 0, "a": {"b": "x", "c": 1}},
        {"id": 1, "a": None},
        {"id": 2, "a": {"b": None}},
    ]
    assert split(spec_of((11, "truncate[1]"), (12, "bucket[4]")), rows) == [
        ("('x', 0)", [0]),
        ("(None, None)", [1, 2]),
    ]


@pytest.mark.parametrize("fields", [[], [(2, "void")], [(99, "void"), (1, "void")]])
def test_a_table_without_partitions_keeps_batches_whole(fields: list[tuple[int, str]]) -> None:
    spec = spec_of(*fields)
    assert not spec.partitioned
    assert split(spec, [{"id": 1}, {"id": 2}]) == [("()", [1, 2])]
    assert split(spec, []) == []


def test_a_void_field_beside_others_is_null() -> None:
    assert split(spec_of((99, "void"), (1, "identity")), [{"id": 7}]) == [("(None, 7)", [7])]


def test_many_fields_of_many_values_are_told_apart() -> None:
    rows = [
        {"id": n, "text": str(n), "number": n / 2, "a": {"b": str(n), "c": n}} for n in range(3000)
    ]
    spec = spec_of(*((number, "identity") for number in (1, 2, 3, 11, 12)))
    parts = split(spec, rows)
    assert len(parts) == 3000
    assert ("(7, '7', 3.5, '7', 7)", [7]) in parts


@settings(derandomize=True, max_examples=50, deadline=None)
@given(st.lists(st.tuples(st.sampled_from(["a", "b", None]), st.integers(-3, 3)), max_size=30))
def test_each_row_is_in_exactly_the_partition_of_its_values(
    values: list[tuple[str | None, int]],
) -> None:
    spec = spec_of((2, "identity"), (12, "truncate[2]"))
    rows: list[Any] = [{"id": n, "text": text, "a": {"c": c}} for n, (text, c) in enumerate(values)]
    expected: dict[str, list[int]] = {}
    for row, (text, c) in zip(rows, values, strict=True):
        expected.setdefault(repr((text, c - c % 2)), []).append(row["id"])
    assert split(spec, rows) == sorted(expected.items())


@pytest.mark.parametrize(
    ("transform", "kind", "value", "expected"),
    [
        ("identity", "string", "val#1", "val%231"),
        ("identity", "string", "a b*c~d.e-f_g+é/", "a+b*c%7Ed.e-f_g%2B%C3%A9%2F"),
        ("identity", "string", None, "null"),
        ("identity", "string", "", ""),
        ("identity", "boolean", True, "true"),
        ("identity", "double", math.nan, "NaN"),
        ("identity", "timestamptz", 0, "1970-01-01T00%3A00%3A00%2B00%3A00"),
        ("year", "date", 56, "2026"),
        ("month", "date", -1, "1969-12"),
        ("month", "date", 682, "2026-11"),
        ("day", "timestamptz", 20_777, "2026-11-20"),
        ("hour", "timestamp", -1, "1969-12-31-23"),
        ("hour", "timestamp", 498_661, "2026-11-20-13"),
        ("bucket[16]", "string", 5, "5"),
        ("truncate[2]", "binary", b"\xff\xff", "%2F%2F8%3D"),
        ("void", "string", None, "null"),
    ],
)
def test_the_folder_of_a_partition_is_that_of_iceberg(
    transform: str, kind: str, value: Any, expected: str
) -> None:
    field = PartitionField(1000, "data#1", transform, ("x",), Primitive(kind))
    assert PartitionSpec(0, (field, field)).path((value, value)) == (
        f"data%231={expected}/data%231={expected}"
    )


def test_values_in_json_have_the_types_of_the_transforms() -> None:
    kinds = [
        ("day", Primitive("timestamp"), 20_777, "2026-11-20"),
        ("hour", Primitive("timestamp"), 5, 5),
        ("bucket[4]", Primitive("uuid"), 3, 3),
        ("truncate[10]", Primitive("decimal", 9, 2), Decimal("1.10"), "1.10"),
        ("identity", Primitive("binary"), b"\x0f", "0F"),
        ("void", Primitive("date"), None, None),
    ]
    spec = PartitionSpec(0, tuple(PartitionField(1, "p", t, ("x",), k) for t, k, _, _ in kinds))
    assert spec.json(tuple(kind[2] for kind in kinds)) == [kind[3] for kind in kinds]


def test_a_spec_is_pickled_to_tasks() -> None:
    spec = spec_of((11, "bucket[4]"))
    assert pickle.loads(pickle.dumps(spec)) == spec  # noqa: S301
    assert spec.fields[0].source == ("a", "b")


@pytest.mark.parametrize(
    ("source", "transform", "message"),
    [(1, "zorder", "zorder"), (99, "identity", "p0"), (13, "identity", "p0"), (5, "day", "p0")],
)
def test_a_spec_that_cannot_be_applied_is_refused(
    source: int, transform: str, message: str
) -> None:
    with pytest.raises(UnsupportedTableError, match=message):
        spec_of((source, transform))

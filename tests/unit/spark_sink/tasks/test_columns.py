"""Rows become Arrow arrays that a Parquet writer takes, nested ones child by child."""

import io
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from typing import Any
from uuid import UUID

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from frazil.spark_sink.records.schema.types import Column, List, Map, Primitive, Struct, Type
from frazil.spark_sink.tasks.arrow_types import arrow_schema
from frazil.spark_sink.tasks.columns import batch_of

_LONG, _STRING = Primitive("long"), Primitive("string")
_MOMENT = datetime(2022, 5, 4, 14, 12, 33, 5, tzinfo=UTC)
_MICROS = 1_651_673_553_000_005
_POINT = Struct((Column("x", _LONG, required=True, id=5), Column("y", _STRING, id=6)))


def _written(batch: pa.RecordBatch) -> pa.Table:
    buffer = io.BytesIO()
    pq.write_table(pa.Table.from_batches([batch]), buffer)
    return pq.read_table(buffer)


def _column(kind: Type, *, required: bool = False) -> Struct:
    return Struct((Column("c", kind, required, 1),))


@pytest.mark.parametrize(
    ("kind", "values", "expected"),
    [
        ("boolean", [True, None, False], [True, None, False]),
        ("int", [2**31 - 1, None], [2**31 - 1, None]),
        ("long", [-(2**63), None], [-(2**63), None]),
        ("float", [1.5, None], [1.5, None]),
        ("double", [0.1, None], [0.1, None]),
        ("date", [19_116, None], [date(2022, 5, 4), None]),
        ("time", [1_000_001, None], [time(0, 0, 1, 1), None]),
        ("timestamp", [_MICROS, None], [_MOMENT.replace(tzinfo=None), None]),
        ("timestamptz", [_MICROS, None], [_MOMENT, None]),
        ("timestamp_ns", [_MICROS * 1000, None], [_MOMENT.replace(tzinfo=None), None]),
        ("timestamptz_ns", [_MICROS * 1000, None], [_MOMENT, None]),
        ("string", ["é", None], ["é", None]),
        ("binary", [b"\0\xff", None], [b"\0\xff", None]),
        ("uuid", [bytes(15) + b"\1", None], [UUID(int=1), None]),
        ("variant", [(b"\1", b"\0"), None], [{"metadata": b"\1", "value": b"\0"}, None]),
    ],
)
def test_values_of_a_primitive_type_become_an_array(
    kind: str, values: list[Any], expected: list[Any]
) -> None:
    batch = batch_of([(value,) for value in values], _column(Primitive(kind)))

    assert batch.column(0).to_pylist() == expected
    assert batch.num_rows == _written(batch).num_rows


def test_decimals_and_fixed_bytes_have_the_columns_size() -> None:
    schema = Struct(
        (
            Column("price", Primitive("decimal", precision=9, scale=2)),
            Column("code", Primitive("fixed", length=2)),
        )
    )
    batch = batch_of([(Decimal("1.50"), b"ab"), (None, None)], schema)

    assert batch.schema.types == [pa.decimal128(9, 2), pa.binary(2)]
    assert batch.to_pydict() == {"price": [Decimal("1.50"), None], "code": [b"ab", None]}


@pytest.mark.parametrize(
    ("kind", "values", "expected"),
    [
        (_POINT, [(1, "a"), (2, None)], [{"x": 1, "y": "a"}, {"x": 2, "y": None}]),
        (List(_LONG), [[1, None], [], None, [2]], [[1, None], [], None, [2]]),
        (
            Map(_STRING, _LONG),
            [[("a", 1), ("b", None)], [], None, [("", 2)]],
            [[("a", 1), ("b", None)], [], None, [("", 2)]],
        ),
        (
            List(_POINT),
            [[(1, "a"), None], None, [(2, None)]],
            [[{"x": 1, "y": "a"}, None], None, [{"x": 2, "y": None}]],
        ),
        (Map(_LONG, List(_LONG)), [[(1, [2])], [(3, None)]], [[(1, [2])], [(3, None)]]),
        (List(List(_STRING)), [[["a"], [], None]], [[["a"], [], None]]),
    ],
)
def test_nested_values_become_an_array(kind: Type, values: list[Any], expected: list[Any]) -> None:
    batch = batch_of([(value,) for value in values], _column(kind))

    batch.validate(full=True)
    assert batch.column(0).to_pylist() == expected
    assert _written(batch).column(0).to_pylist() == expected


@pytest.mark.parametrize("values", [[None, (1, "a"), None, (2, "b")], [None, None], []])
def test_a_null_struct_with_a_required_field_can_be_written(values: list[Any]) -> None:
    inner = Struct(
        (Column("point", _POINT, required=True), Column("all", List(_POINT), required=True))
    )
    rows = [(None if one is None else (one, [one]),) for one in values]
    batch = batch_of(rows, _column(inner))

    points = [None if one is None else {"x": one[0], "y": one[1]} for one in values]
    expected = [None if one is None else {"point": one, "all": [one]} for one in points]
    assert batch.column(0).to_pylist() == expected
    assert _written(batch).column(0).to_pylist() == expected


def test_a_schema_has_field_ids_and_required_columns_at_every_depth() -> None:
    schema = Struct(
        (
            Column("points", List(_POINT, required=True, element_id=4), required=True, id=1),
            Column("tags", Map(_STRING, _LONG, key_id=7, value_id=8), id=2),
        )
    )
    points, tags = arrow_schema(schema)

    element = points.type.value_field
    fields = [points, element, *element.type, tags, tags.type.key_field, tags.type.item_field]
    assert [(one.name, one.nullable, int(one.metadata[b"PARQUET:field_id"])) for one in fields] == [
        ("points", False, 1),
        ("element", False, 4),
        ("x", False, 5),
        ("y", True, 6),
        ("tags", True, 2),
        ("key", False, 7),
        ("value", True, 8),
    ]
    assert batch_of([([(1, None)], None)], schema).schema.equals(
        arrow_schema(schema), check_metadata=True
    )


def test_many_rows_keep_their_order() -> None:
    rows = [(number, _MICROS + number) for number in range(5_000)]
    schema = Struct((Column("n", _LONG), Column("t", Primitive("timestamptz"))))

    batch = batch_of(rows, schema)

    assert batch.column(0).to_pylist() == list(range(5_000))
    assert batch.column(1)[4_999].as_py() == _MOMENT + timedelta(microseconds=4_999)

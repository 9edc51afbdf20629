"""Rows of odd records land at their places among the others."""

import gc

import pytest

from frazil.spark_sink.records.schema.types import Column, Primitive, Struct
from frazil.spark_sink.tasks.columns import Row, batch_of
from frazil.spark_sink.tasks.fast_decoder import Decoded
from frazil.spark_sink.tasks.garbage import collection_paused
from frazil.spark_sink.tasks.rows import with_odd_rows

_SCHEMA = Struct((Column("n", Primitive("long")),))


@pytest.mark.parametrize(
    ("odd", "rows", "expected"),
    [
        ([], [], [0, 1, 2]),
        ([0, 4], [(10,), (14,)], [10, 0, 1, 2, 14]),
        ([1, 2], [(11,), (12,)], [0, 11, 12, 1, 2]),
        ([0, 1, 3, 5], [None, (11,), None, (15,)], [11, 0, 1, 15, 2]),
        ([1, 2], [None, None], [0, 1, 2]),
    ],
)
def test_a_row_of_an_odd_record_lands_at_its_place(
    odd: list[int], rows: list[Row | None], expected: list[int]
) -> None:
    decoded = Decoded(batch_of([(0,), (1,), (2,)], _SCHEMA), odd)

    assert with_odd_rows(decoded, rows, _SCHEMA).column(0).to_pylist() == expected


def test_a_pause_of_garbage_collection_within_another_ends_with_the_outer_one() -> None:
    with collection_paused():
        with collection_paused():
            pass
        assert not gc.isenabled()
    assert gc.isenabled()

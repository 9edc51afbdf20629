"""Rows of odd records among those that typed decoding took."""

from collections.abc import Sequence

import pyarrow as pa

from frazil.spark_sink.records.schema.types import Struct
from frazil.spark_sink.tasks.columns import Row, batch_of, interleave
from frazil.spark_sink.tasks.fast_decoder import Decoded


def with_odd_rows(decoded: Decoded, rows: Sequence[Row | None], schema: Struct) -> pa.RecordBatch:
    """Put the rows of the odd records at their places.

    `rows` has one for each of them in order, or None for a record that has no row.
    """
    positions: list[int] = []
    present: list[Row] = []
    for count, (index, row) in enumerate(zip(decoded.odd, rows, strict=True)):
        if row is not None:
            positions.append(index - (count - len(present)))
            present.append(row)
    if not present:
        return decoded.batch
    return interleave(decoded.batch, batch_of(present, schema), positions)

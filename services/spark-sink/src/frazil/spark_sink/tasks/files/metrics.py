"""Measure a Parquet file as Iceberg's own writer does: counts, sizes and bounds of its columns.

Most comes from the footer. Two things are not in it, so that each row group's rows are observed
before they are written: NaN of float columns, and bounds of values that are too long for
Parquet's statistics.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from math import copysign
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from frazil.spark_sink.records.schema.types import Primitive
from frazil.spark_sink.tasks.files.arrow_schema import Leaf, leaf_column
from frazil.spark_sink.tasks.files.bounds import lower_bound, upper_bound
from frazil.spark_sink.tasks.files.metrics_modes import Mode

# Parquet's writer leaves out the bounds of a row group if a value is longer than this.
STATISTICS_LIMIT = 4096
_FLOATS = {"float": (pa.int32(), -(2**31)), "double": (pa.int64(), -(2**63))}
_TEXTS = {"string", "binary"}


@dataclass(frozen=True)
class Metrics:
    """What Iceberg's `Metrics` has, by the ids of columns; bounds are in its binary form."""

    record_count: int
    column_sizes: dict[int, int]
    value_counts: dict[int, int]
    null_value_counts: dict[int, int]
    nan_value_counts: dict[int, int]
    lower_bounds: dict[int, bytes]
    upper_bounds: dict[int, bytes]


@dataclass(slots=True)
class Range:
    """The least and the greatest of the values that were added.

    Floats are pairs with their sign, because -0.0 is less than 0.0 in Iceberg.
    """

    low: Any = None
    high: Any = None

    def add(self, low: Any, high: Any) -> None:
        if low is not None and (self.low is None or low < self.low):
            self.low = low
        if high is not None and (self.high is None or high > self.high):
            self.high = high


@dataclass(slots=True)
class FloatCounts:
    values: int = 0
    nulls: int = 0
    nans: int = 0
    range: Range = field(default_factory=Range)


class Observer:
    """Observes the rows of one file, row group by row group."""

    def __init__(self, leaves: tuple[Leaf, ...], modes: Mapping[int, Mode]) -> None:
        measured = [leaf for leaf in leaves if leaf.source and modes[leaf.id] is not None]
        self._floats = [leaf for leaf in measured if leaf.kind.name in _FLOATS]
        self._texts = [leaf for leaf in measured if leaf.kind.name in _TEXTS and modes[leaf.id]]
        self.floats = {leaf.id: FloatCounts() for leaf in self._floats}
        self.long_values = {leaf.id: Range() for leaf in self._texts}

    def add(self, batch: pa.RecordBatch) -> None:
        for leaf in self._floats:
            _count_floats(self.floats[leaf.id], leaf, batch)
        for leaf in self._texts:
            column = leaf_column(leaf, batch)
            if column.nbytes > STATISTICS_LIMIT:
                _find_long(self.long_values[leaf.id], leaf.kind, column)


def file_metrics(
    footer: pq.FileMetaData,
    leaves: tuple[Leaf, ...],
    modes: Mapping[int, Mode],
    observer: Observer,
) -> Metrics:
    """Measure a file from its footer and from what was observed of its rows."""
    metrics = Metrics(footer.num_rows, {}, {}, {}, {}, {}, {})
    groups = [footer.row_group(index) for index in range(footer.num_row_groups)]
    for index, leaf in enumerate(leaves):
        mode = modes[leaf.id]
        if mode is None:
            continue
        chunks = [group.column(index) for group in groups]
        metrics.column_sizes[leaf.id] = sum(chunk.total_compressed_size for chunk in chunks)
        if leaf.id in observer.floats:
            counts = observer.floats[leaf.id]
            metrics.nan_value_counts[leaf.id] = counts.nans
            _add(metrics, leaf, mode, counts.values, counts.nulls, counts.range)
        elif leaf.source is not None:
            _add_from_footer(metrics, leaf, mode, chunks, observer)
    return metrics


def split_offsets(footer: pq.FileMetaData) -> tuple[int, ...]:
    """List where the row groups of a file begin."""
    return tuple(
        _start(footer.row_group(index).column(0)) for index in range(footer.num_row_groups)
    )


def _start(chunk: pq.ColumnChunkMetaData) -> int:
    dictionary = chunk.dictionary_page_offset
    return int(dictionary if dictionary else chunk.data_page_offset)


def _add_from_footer(
    metrics: Metrics,
    leaf: Leaf,
    mode: int,
    chunks: list[pq.ColumnChunkMetaData],
    observer: Observer,
) -> None:
    statistics = [chunk.statistics for chunk in chunks]
    if any(group is None for group in statistics):  # comparing them with None crashes
        return
    values = sum(chunk.num_values for chunk in chunks)
    nulls = sum(group.null_count for group in statistics)
    bounds = Range()
    if mode:
        for group in statistics:
            if group.has_min_max:
                bounds.add(_value(group.min_raw, leaf.kind), _value(group.max_raw, leaf.kind))
        if leaf.id in observer.long_values:
            beyond = observer.long_values[leaf.id]
            bounds.add(beyond.low, beyond.high)
    _add(metrics, leaf, mode, values, nulls, bounds)


def _add(metrics: Metrics, leaf: Leaf, mode: int, values: int, nulls: int, bounds: Range) -> None:
    metrics.value_counts[leaf.id] = values
    metrics.null_value_counts[leaf.id] = nulls
    if not mode or bounds.low is None:
        return
    low, high = _readable(leaf.kind, bounds.low), _readable(leaf.kind, bounds.high)
    metrics.lower_bounds[leaf.id] = lower_bound(leaf.kind, low, mode)
    upper = upper_bound(leaf.kind, high, mode)
    if upper is not None:
        metrics.upper_bounds[leaf.id] = upper


def _value(raw: Any, kind: Primitive) -> Any:
    """Read a bound of Parquet's statistics; texts stay bytes, whose order is theirs."""
    if kind.name == "decimal" and isinstance(raw, bytes):
        return int.from_bytes(raw, "big", signed=True)
    return raw


def _readable(kind: Primitive, value: Any) -> Any:
    if kind.name in _FLOATS:
        return value[0]
    return value.decode() if kind.name == "string" else value


def _find_long(bounds: Range, kind: Primitive, column: pa.Array) -> None:
    longest = pc.max(pc.binary_length(column)).as_py()
    if longest is not None and longest > STATISTICS_LIMIT:
        ends = pc.min_max(column if kind.name == "binary" else column.cast(pa.binary()))
        bounds.add(ends["min"].as_py(), ends["max"].as_py())


def _count_floats(counts: FloatCounts, leaf: Leaf, batch: pa.RecordBatch) -> None:
    column = leaf_column(leaf, batch)
    counts.values += len(column)
    counts.nulls += column.null_count
    nans = pc.sum(pc.is_nan(column)).as_py() or 0
    counts.nans += nans
    if len(column) - column.null_count == nans:
        return
    ends = pc.min_max(column)
    low, high = ends["min"].as_py(), ends["max"].as_py()
    if low == 0 or high == 0:
        low, high = _signed_zeros(leaf.kind, column, low, high)
    counts.range.add((low, copysign(1, low)), (high, copysign(1, high)))


def _signed_zeros(
    kind: Primitive, column: pa.Array, low: float, high: float
) -> tuple[float, float]:
    """Tell -0.0 from 0.0, which compare as equal but are in this order in Iceberg."""
    integers, negative_zero = _FLOATS[kind.name]
    bits = column.view(integers)
    if low == 0:
        low = -0.0 if pc.any(pc.equal(bits, negative_zero)).as_py() else 0.0
    if high == 0:
        high = 0.0 if pc.any(pc.equal(bits, 0)).as_py() else -0.0
    return low, high

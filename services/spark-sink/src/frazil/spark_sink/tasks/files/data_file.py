"""A staged file as the driver needs it for a commit, and as Iceberg reads it from JSON."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from frazil.spark_sink.tasks.files.metrics import Metrics
from frazil.spark_sink.tasks.partitions import PartitionSpec, Values


@dataclass(frozen=True)
class DataFile:
    """A data file that is written and belongs to no snapshot yet."""

    path: str
    file_size: int
    spec_id: int
    partition: Values
    metrics: Metrics
    split_offsets: tuple[int, ...]
    format: str = "parquet"
    sort_order_id: int = 0

    @property
    def record_count(self) -> int:
        return self.metrics.record_count


def data_file_json(file: DataFile, spec: PartitionSpec) -> dict[str, Any]:
    """Describe a file as Iceberg's `ContentFileParser` reads it.

    Partition values may be NaN or infinite: write the text with `json.dumps`, and read it with a
    parser that allows numbers that are none.
    """
    metrics = file.metrics
    document = {
        "spec-id": file.spec_id,
        "content": "data",
        "file-path": file.path,
        "file-format": file.format,
        "file-size-in-bytes": file.file_size,
        "record-count": file.record_count,
        "column-sizes": _pairs(metrics.column_sizes),
        "value-counts": _pairs(metrics.value_counts),
        "null-value-counts": _pairs(metrics.null_value_counts),
        "nan-value-counts": _pairs(metrics.nan_value_counts),
        "lower-bounds": _bounds(metrics.lower_bounds),
        "upper-bounds": _bounds(metrics.upper_bounds),
        "split-offsets": list(file.split_offsets),
        "sort-order-id": file.sort_order_id,
    }
    if spec.partitioned:
        document["partition"] = spec.json(file.partition)
    return document


def _pairs(values: Mapping[int, Any]) -> dict[str, list[Any]]:
    return {"keys": list(values), "values": list(values.values())}


def _bounds(values: Mapping[int, bytes]) -> dict[str, list[Any]]:
    return _pairs({key: value.hex().upper() for key, value in values.items()})

"""Which columns are not worth a dictionary, because hardly any value is there twice."""

import pyarrow as pa
import pyarrow.compute as pc

from frazil.spark_sink.tasks.files.arrow_schema import Leaf, leaf_column

_SAMPLE = 4096
_SHARE = 0.95


def without_dictionary(leaves: tuple[Leaf, ...], rows: pa.RecordBatch) -> frozenset[str]:
    """Choose columns by a sample of rows; Arrow's writer gives up a dictionary only when full."""
    if rows.num_rows < _SAMPLE:
        return frozenset()
    sample = rows.slice(0, _SAMPLE)
    return frozenset(
        leaf.parquet for leaf in leaves if leaf.source and _is_distinct(leaf_column(leaf, sample))
    )


def _is_distinct(column: pa.Array) -> bool:
    storage = column.storage if isinstance(column, pa.ExtensionArray) else column
    values = len(storage) - storage.null_count
    if values < _SAMPLE // 2:
        return False
    return bool(pc.count_distinct(storage).as_py() > _SHARE * values)

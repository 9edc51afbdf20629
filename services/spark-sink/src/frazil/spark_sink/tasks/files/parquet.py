"""One Parquet data file: row groups are written as they come, metrics when it is closed."""

from contextlib import suppress

import pyarrow as pa
import pyarrow.parquet as pq

from frazil.spark_sink.tasks.files.arrow_schema import (
    arrow_schema,
    parquet_leaves,
    schema_json,
)
from frazil.spark_sink.tasks.files.data_file import DataFile
from frazil.spark_sink.tasks.files.dictionaries import without_dictionary
from frazil.spark_sink.tasks.files.metrics import Observer, file_metrics, split_offsets
from frazil.spark_sink.tasks.files.metrics_modes import metrics_modes
from frazil.spark_sink.tasks.files.options import column_options, parse_options
from frazil.spark_sink.tasks.files.plan import FilesPlan
from frazil.spark_sink.tasks.partitions import Values
from frazil.spark_sink.tasks.storage import Storage


class ParquetFormat:
    """What all files of a table have in common, derived from the plan once."""

    def __init__(self, plan: FilesPlan) -> None:
        self.spec_id = plan.spec.id
        self.schema = arrow_schema(plan.schema)
        self.leaves = parquet_leaves(plan.schema)
        self.modes = metrics_modes(plan.schema, plan.properties, plan.sorted_columns)
        self.options = parse_options(plan.properties)
        self._metadata = {"iceberg.schema": schema_json(plan.schema, plan.schema_id)}
        self._properties = plan.properties
        self._plain: frozenset[str] | None = None

    def sample(self, rows: pa.RecordBatch) -> None:
        """Choose, by the first rows of a task, the columns that get no dictionary."""
        if self._plain is None:
            self._plain = without_dictionary(self.leaves, rows)

    def writer(
        self, sink: pa.NativeFile, rows: int, footers: list[pq.FileMetaData]
    ) -> pq.ParquetWriter:
        """Open Arrow's writer, which appends the footer to `footers` when it is closed."""
        writer = pq.ParquetWriter(
            sink,
            self.schema,
            metadata_collector=footers,
            **self.options.parquet,
            **column_options(self._properties, self.leaves, rows, self._plain or frozenset()),
        )
        writer.add_key_value_metadata(self._metadata)
        return writer


class ParquetFile:
    """A file that is being written."""

    def __init__(
        self, form: ParquetFormat, storage: Storage, path: str, partition: Values, rows: int
    ) -> None:
        self.path = path
        self._form = form
        self._partition = partition
        self._observer = Observer(form.leaves, form.modes)
        self._footers: list[pq.FileMetaData] = []
        self._sink = storage.create(path)
        self._writer = form.writer(self._sink, rows, self._footers)

    @property
    def size(self) -> int:
        return int(self._sink.tell())

    def write(self, batch: pa.RecordBatch) -> None:
        """Write rows as row groups of bounded size."""
        limit = self._form.options.group_bytes
        rows = max(1, batch.num_rows * limit // max(batch.nbytes, limit))
        self._observer.add(batch)
        self._writer.write_batch(batch, row_group_size=rows)

    def close(self) -> DataFile:
        """Finish the file and describe it."""
        form = self._form
        self._writer.close()
        size = self.size
        self._sink.close()
        (footer,) = self._footers
        return DataFile(
            self.path,
            size,
            form.spec_id,
            self._partition,
            file_metrics(footer, form.leaves, form.modes, self._observer),
            split_offsets(footer),
        )

    def discard(self) -> None:
        """Close the file, which may be broken, without a description."""
        with suppress(OSError, ValueError, RuntimeError, pa.ArrowException):
            self._writer.close()
        with suppress(OSError):
            self._sink.close()

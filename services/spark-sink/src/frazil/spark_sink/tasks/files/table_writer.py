"""Write the rows of one task for one table, partition by partition, with bounded memory."""

from itertools import count

import pyarrow as pa

from frazil.spark_sink.tasks.files.data_file import DataFile
from frazil.spark_sink.tasks.files.locations import Locations
from frazil.spark_sink.tasks.files.parquet import ParquetFile, ParquetFormat
from frazil.spark_sink.tasks.files.plan import FilesPlan
from frazil.spark_sink.tasks.partitions import Values, compile_splitter
from frazil.spark_sink.tasks.storage import Storage

# More partitions than this at a time take turns, and get more than one file each.
MOST_OPEN_FILES = 200


class TableWriter:
    """Collects rows up to a bound, splits them by partition, and appends them to files.

    `task` begins the names of all files and has to be unique, see `file_prefix`.
    """

    def __init__(self, plan: FilesPlan, *, task: str) -> None:
        self._task = task
        self._form = ParquetFormat(plan)
        self._storage = Storage(plan.storage)
        self._locations = Locations(plan.location, plan.spec, plan.properties)
        self._split = compile_splitter(plan.spec)
        self._numbers = count(1)
        self._rows: list[pa.RecordBatch] = []
        self._bytes = 0
        # By the text of the partition's values, in which NaN is equal to itself.
        self._open: dict[str, ParquetFile] = {}
        self._closed: list[DataFile] = []
        self._paths: list[str] = []

    @property
    def schema(self) -> pa.Schema:
        """The schema that batches need to have."""
        return self._form.schema

    def write(self, batch: pa.RecordBatch) -> None:
        """Take rows of the table; they are written once there are enough of them."""
        self._rows.append(batch)
        self._bytes += batch.nbytes
        if self._bytes >= self._form.options.group_bytes:
            self._flush()

    def close(self) -> list[DataFile]:
        """Write what is left and return all files."""
        self._flush()
        for key in list(self._open):
            self._finish(key)
        return self._closed

    def abort(self) -> None:
        """Delete all that was written."""
        self._rows.clear()
        for file in self._open.values():
            file.discard()
        self._open.clear()
        self._closed.clear()
        self._storage.delete(self._paths)

    def _flush(self) -> None:
        batches, self._rows, self._bytes = self._rows, [], 0
        if not batches:
            return
        rows = batches[0] if len(batches) == 1 else pa.concat_batches(batches)
        batches.clear()
        self._form.sample(rows)
        for partition, part in self._split(rows):
            self._append(partition, part)

    def _append(self, partition: Values, rows: pa.RecordBatch) -> None:
        key = repr(partition)
        file = self._open.pop(key, None)
        if file is None:
            file = self._create(partition, rows.num_rows)
        self._open[key] = file  # the last to be closed when there are too many
        file.write(rows)
        if file.size >= self._form.options.target_bytes:
            self._finish(key)

    def _create(self, partition: Values, rows: int) -> ParquetFile:
        if len(self._open) >= MOST_OPEN_FILES:
            self._finish(next(iter(self._open)))
        name = f"{self._task}-{next(self._numbers):05d}.parquet"
        path = self._locations.file(partition, name)
        self._paths.append(path)
        return ParquetFile(self._form, self._storage, path, partition, rows)

    def _finish(self, key: str) -> None:
        self._closed.append(self._open[key].close())
        del self._open[key]

"""Write the rows of one task for one table, partition by partition, with bounded memory."""

from itertools import count

import pyarrow as pa

from frazil.spark_sink.tasks.files.data_file import DataFile
from frazil.spark_sink.tasks.files.locations import Locations
from frazil.spark_sink.tasks.files.parquet import ParquetFile, ParquetFormat
from frazil.spark_sink.tasks.files.plan import FilesPlan
from frazil.spark_sink.tasks.partitions import Values, compile_splitter
from frazil.spark_sink.tasks.storage import Storage


class TableWriter:
    """Collects rows up to a bound, splits them by partition, and appends them to files.

    There is at most one open file a partition. `task` begins the names of all files and has to be
    unique, see `file_prefix`.
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
        while self._open:
            _, file = self._open.popitem()
            self._closed.append(file.close())
        return self._closed

    def abort(self) -> None:
        """Delete all that was written."""
        self._rows.clear()
        paths = [file.path for file in self._closed]
        for file in self._open.values():
            paths.append(file.path)
            file.discard()
        self._open.clear()
        self._closed.clear()
        self._storage.delete(paths)

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
        file = self._open.get(key)
        if file is None:
            path = self._locations.file(
                partition, f"{self._task}-{next(self._numbers):05d}.parquet"
            )
            file = ParquetFile(self._form, self._storage, path, partition, rows.num_rows)
            self._open[key] = file
        file.write(rows)
        if file.size >= self._form.options.target_bytes:
            self._closed.append(self._open.pop(key).close())

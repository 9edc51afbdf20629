"""One table in one task: records become rows, and rows become files."""

from collections.abc import Callable, Collection, Sequence
from contextlib import suppress
from typing import Any

import pyarrow as pa

from frazil.spark_sink.records.conversion import NulledRow, row_converter
from frazil.spark_sink.records.errors import MisfitError, RecordError, StoppingMisfitError
from frazil.spark_sink.records.model import KafkaRecord, Record
from frazil.spark_sink.records.schema.applied import applied
from frazil.spark_sink.records.schema.changes import AddColumn, SchemaChange
from frazil.spark_sink.records.schema.evolution import asking
from frazil.spark_sink.records.schema.hollow import without_hollow
from frazil.spark_sink.records.schema.types import Column, Struct, Type
from frazil.spark_sink.tasks.changes import ChangeRows
from frazil.spark_sink.tasks.chunks import CHUNK_RECORDS, Chunk
from frazil.spark_sink.tasks.columns import batch_of
from frazil.spark_sink.tasks.errors import StorageError
from frazil.spark_sink.tasks.fast_decoder import FastDecoder, fast_decoder
from frazil.spark_sink.tasks.files.plan import FilesPlan
from frazil.spark_sink.tasks.files.table_writer import TableWriter
from frazil.spark_sink.tasks.outcomes import Outcome
from frazil.spark_sink.tasks.plan import TablePlan
from frazil.spark_sink.tasks.result import (
    Asked,
    Counts,
    DeadLetter,
    DeadLetters,
    Place,
    TableResult,
)

_NO_COLUMN = "the table is not there yet, and the record has no field to make a column of"


class TableTask:
    """Takes the records for one table.

    When a record asks for columns, the driver has to add them, and to have the records read again.
    So nothing more is written from then on. The records that follow are converted all the same, for
    they may ask for more.
    """

    def __init__(
        self, plan: TablePlan, *, fast: bool, task: str, dead_letters: DeadLetters
    ) -> None:
        self._plan = plan
        plain = plan.refusal is None and plan.changes is None and not plan.added
        # Spark reads other columns from the files that it takes rows from.
        self._is_fast = fast and plain and (plan.files is None or plan.files.schema == plan.schema)
        self._writer = None if plan.files is None else TableWriter(plan.files, task=task)
        self._rows: list[Any] = []
        self._asked: list[Asked] = []
        self._stop: DeadLetter | None = None
        self._failure: Exception | None = None
        self.counts = Counts()
        self.dead_letters = dead_letters
        self._use(plan.schema)

    def _use(self, schema: Struct) -> None:
        plan = self._plan
        self._schema = schema
        self._convert = row_converter(schema, plan.conversion)
        self._ask = None if plan.evolution is None else asking(schema, plan.evolution)
        self._fast = self._decoder() if self._is_fast else None
        self._changes = None
        if plan.changes is not None:
            self._changes = ChangeRows(schema, plan.changes, plan.conversion)

    def _decoder(self) -> FastDecoder | None:
        rules = self._plan.conversion
        if not self._schema.columns or rules.ignore_case or rules.columns.judges:
            return None

        def converts(kind: Type) -> Callable[[Any], Any]:
            convert = row_converter(Struct((Column("value", kind),)), rules)
            return lambda value: convert({"value": value}, None)[0]

        return fast_decoder(self._schema, evolves=self._ask is not None, converts=converts)

    def has_some_of(self, chunk: Chunk) -> bool:
        """Tell whether the table has some of these records already."""
        return self._has(chunk.record(0))

    def _has(self, source: KafkaRecord) -> bool:
        written = self._plan.written
        return bool(written) and source.offset < written.get(source.topic, {}).get(
            source.partition, 0
        )

    def decode(self, chunk: Chunk) -> Sequence[int]:
        """Take records whose JSON is a row as it is, and return the indices of all others."""
        if self._fast is None:
            return range(len(chunk))
        batch, odd = self._fast.decode(chunk.values())
        if batch.num_rows:
            times = chunk.timestamps()
            for index in reversed(odd):
                del times[index]
            self.counts.see((chunk.topic, chunk.partition), batch.num_rows, times)
            self._write(lambda _: batch)
        return odd

    def take(self, source: KafkaRecord, outcome: Outcome) -> None:
        """Take a record, unless the table has it already."""
        if not self._has(source):
            self.counts.see_one(source)
            self._take(source, outcome)

    def _take(self, source: KafkaRecord, outcome: Outcome) -> None:
        if self._plan.refusal is not None:
            self._refuse(source, RecordError(self._plan.refusal))
        elif isinstance(outcome, RecordError):
            self._refuse(source, outcome)
        elif outcome is None or outcome.value is None:
            self.counts.filtered += 1
        else:
            try:
                if self._changes is None:
                    self._add(source, self._row(outcome))
                else:
                    self._add_change(outcome, self._changes)
            except RecordError as error:
                self._refuse(source, error)

    def _add_change(self, record: Record, changes: ChangeRows) -> None:
        change = changes.change_of(record)
        row = changes.deletion(record) if change[-1] else self._row(record)
        self._add(record.source, row, change)

    def _row(self, record: Record) -> tuple[Any, ...]:
        if self._ask is not None:
            changes = self._ask(record.value, record.value_schema)
            if self._plan.refused:
                changes = [one for one in changes if not _adds(one, self._plan.refused)]
            if changes:
                return self._row_of_wider(record, changes)
        if not self._schema.columns:
            raise MisfitError((), _NO_COLUMN)
        value = self._as_of_its_place(record) if self._plan.added else record.value
        return self._convert(value, record.value_schema)

    def _as_of_its_place(self, record: Record) -> Any:
        """Return the value as the record had been converted before others asked for columns."""
        place, added = record.source[:3], self._plan.added
        if self._plan.is_new and place < added[0][0]:
            raise MisfitError((), _NO_COLUMN)
        return without_hollow(record.value, [path for later, path in added if place < later])

    def _row_of_wider(self, record: Record, changes: Sequence[SchemaChange]) -> tuple[Any, ...]:
        """Ask for columns, if the record is a row once they are there."""
        schema = applied(self._schema, changes)
        row = row_converter(schema, self._plan.conversion)(record.value, record.value_schema)
        self._asked.append(Asked(Place(*record.source[:3]), tuple(changes)))
        self._use(schema)
        self.abort()
        return row

    def _add(self, source: KafkaRecord, row: tuple[Any, ...], *beside: Any) -> None:
        if isinstance(row, NulledRow):
            self.counts.nulled += 1
            self.dead_letters.add(DeadLetter.of(source, row.nulled[0], nulled=True))
        if not self._asked:
            self._rows.append((*row, *beside) if beside else row)
            if len(self._rows) >= CHUNK_RECORDS:
                self._flush()

    def _refuse(self, source: KafkaRecord, error: RecordError) -> None:
        letter = DeadLetter.of(source, error)
        if isinstance(error, StoppingMisfitError) and self._stop is None:
            self._stop = letter
        self.counts.dead += 1
        self.dead_letters.add(letter)

    def _flush(self) -> None:
        rows, self._rows = self._rows, []
        if rows and self._plan.files is not None:
            self._write(lambda files: batch_of(rows, files.schema))

    def _write(self, batch: Callable[[FilesPlan], pa.RecordBatch]) -> None:
        if self._writer is None or self._plan.files is None:
            return
        try:
            self._writer.write(batch(self._plan.files))
        except Exception as error:  # noqa: BLE001 (this table fails, others may be well)
            self._fail(error)

    def _fail(self, error: Exception) -> None:
        self._failure = StorageError(str(error)) if isinstance(error, OSError) else error
        self.abort()

    def abort(self) -> None:
        """Delete what was written, and write no more."""
        self._rows.clear()
        writer, self._writer = self._writer, None
        if writer is not None:
            # What cannot be deleted is an orphan; why nothing is written is what matters.
            with suppress(OSError):
                writer.abort()

    def finish(self) -> TableResult:
        """Close the files."""
        self._flush()
        files: list[Any] = []
        if self._writer is not None:
            try:
                files = self._writer.close()
            except Exception as error:  # noqa: BLE001 (this table fails, others may be well)
                self._fail(error)
        return TableResult(
            self.counts,
            self.dead_letters,
            tuple(files),
            tuple(self._asked),
            self._stop,
            self._failure,
        )


def _adds(change: SchemaChange, paths: Collection[str]) -> bool:
    return isinstance(change, AddColumn) and ".".join((*change.parent, change.name)) in paths

"""Dead letters as rows of a frame; where they are too many to be carried, read once more."""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pyarrow as pa

from frazil.spark_sink.records.errors import Stage
from frazil.spark_sink.tasks.chunks import Chunk, chunks_of_batch
from frazil.spark_sink.tasks.offset_range import OffsetRange
from frazil.spark_sink.tasks.plan import TaskPlan
from frazil.spark_sink.tasks.result import NO_LIMIT, DeadLetter
from frazil.spark_sink.tasks.write import Task, chunks_of_ranges

DEAD_LETTERS = (
    "topic string, partition int, offset bigint, timestamp timestamp, key binary, value binary, "
    "headers array<struct<key: string, value: binary>>, reason string, message string, "
    "stage string, class string"
)
NULLED = "nulled"
_REASONS = {Stage.TRANSFORMATION: "transform", Stage.PUT: "row"}
_HEADER = pa.struct([("key", pa.string()), ("value", pa.binary())])
_COLUMNS = pa.schema(
    [
        ("topic", pa.string()),
        ("partition", pa.int32()),
        ("offset", pa.int64()),
        ("timestamp", pa.timestamp("us", "UTC")),
        ("key", pa.binary()),
        ("value", pa.binary()),
        ("headers", pa.list_(_HEADER)),
        ("reason", pa.string()),
        ("message", pa.string()),
        ("stage", pa.string()),
        ("class", pa.string()),
    ]
)


def dead_letter_row(letter: DeadLetter) -> tuple[Any, ...]:
    """Make a row of a dead letter."""
    record = letter.record
    return (
        record.topic,
        record.partition,
        record.offset,
        None if record.timestamp is None else datetime.fromtimestamp(record.timestamp / 1000, UTC),
        record.key,
        record.value,
        [{"key": name, "value": value} for name, value in record.headers],
        NULLED if letter.nulled else _REASONS.get(letter.stage, "converter"),
        letter.message,
        letter.stage.value,
        letter.class_name,
    )


def dead_letters_in_ranges(
    plan: TaskPlan, table: str, ranges: Iterable[OffsetRange], _: Iterable[pa.RecordBatch]
) -> Iterator[pa.RecordBatch]:
    """Find the dead letters of a table in ranges of Kafka."""
    yield from _dead_letters(plan, table, chunks_of_ranges(plan, ranges))


def dead_letters_in_batches(
    plan: TaskPlan, table: str, batches: Iterable[pa.RecordBatch]
) -> Iterator[pa.RecordBatch]:
    """Find the dead letters of a table among records that Spark has read."""
    yield from _dead_letters(
        plan, table, (one for batch in batches for one in chunks_of_batch(batch))
    )


def _dead_letters(plan: TaskPlan, table: str, chunks: Iterable[Chunk]) -> Iterator[pa.RecordBatch]:
    """Convert the records once more, without writing; `table` is empty for those of no table."""
    tables = {name: replace(one, files=None) for name, one in plan.tables.items() if name == table}
    task = Task(replace(plan, tables=tables), dead_letter_bytes=NO_LIMIT)
    for chunk in chunks:
        task.add(chunk)
        rows = [dead_letter_row(letter) for letter in task.dead_letters_of(table).take()]
        if rows:
            columns = zip(*rows, strict=True)
            arrays = [
                pa.array(column, one.type) for column, one in zip(columns, _COLUMNS, strict=True)
            ]
            yield pa.record_batch(arrays, schema=_COLUMNS)

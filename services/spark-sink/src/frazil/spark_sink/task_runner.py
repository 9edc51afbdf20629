"""Runs the tasks of a batch on Spark: ranges of Kafka's offsets, or records that a frame has."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial, reduce

from pyspark.sql import DataFrame, SparkSession

from frazil.contracts.offsets import each
from frazil.spark_sink.core.offset_log import BatchRange
from frazil.spark_sink.core.ranges import pieces
from frazil.spark_sink.raw import in_order, records_of
from frazil.spark_sink.sql.select import SqlTransforms
from frazil.spark_sink.store import Records
from frazil.spark_sink.tasks.dead_letters import (
    DEAD_LETTERS,
    dead_letter_row,
    dead_letters_in_batches,
    dead_letters_in_ranges,
)
from frazil.spark_sink.tasks.offset_range import OffsetRange
from frazil.spark_sink.tasks.plan import TablePlan, TaskPlan
from frazil.spark_sink.tasks.result import DeadLetter, DeadLetters, WriteResult
from frazil.spark_sink.tasks.write import RESULT, result_in, write_batches, write_ranges
from frazil.worker.bridge import map_in_arrow

Ranges = tuple[OffsetRange, ...]
Source = Ranges | DataFrame


@dataclass(frozen=True, eq=False)
class Piece:
    """What a task has read, by which plan, and what became of it."""

    source: Source
    plan: TaskPlan
    result: WriteResult


class TaskRunner:
    """The tasks of one connector; each runs in a Python worker of an executor.

    Without properties of a client tasks cannot read Kafka themselves, and Spark does it; so it does
    where records have to go through its SQL.
    """

    def __init__(self, spark: SparkSession, plan: TaskPlan, tasks: int) -> None:
        self._spark = spark
        self._whole = plan
        self._sql = SqlTransforms(spark, plan.records)
        self._plan = replace(plan, records=self._sql.rest)
        self._tasks = tasks
        self._kept: list[DataFrame] = []

    def without_route(self) -> "TaskRunner":
        """Return a runner for which each record is for every table."""
        records = replace(self._whole.records, route=None)
        return TaskRunner(self._spark, replace(self._whole, records=records), self._tasks)

    @property
    def reads_kafka(self) -> bool:
        """Tell whether tasks read Kafka themselves."""
        return bool(self._plan.kafka) and not self._sql

    def sources(self, records: Records) -> list[Source]:
        """Say what each task of a batch is to read."""
        if records.span is None or not self.reads_kafka:
            return [self.source(records.frame)]
        return [*pieces(_ranges(records.span), self._tasks)]

    def source(self, records: DataFrame) -> Source:
        """Take records through the connector's SQL, if it has any."""
        frame, kept = self._sql.apply(records_of(records))
        self._kept += kept
        return in_order(frame.coalesce(self._tasks))

    def release(self) -> None:
        """Forget what was kept of sources, once nothing is done with them any more."""
        while self._kept:
            self._kept.pop().unpersist()

    def run(self, sources: Sequence[Source], tables: Mapping[str, TablePlan]) -> list[Piece]:
        """Run the tasks; raise what keeps all tables from their records."""
        plan = replace(self._plan, tables=tables)
        frames = [source for source in sources if isinstance(source, DataFrame)]
        ranges = [source for source in sources if not isinstance(source, DataFrame)]
        done = self._run_ranges(plan, ranges) if ranges else []
        for frame in frames:
            done += self._run_frame(plan, frame)
        for piece in done:
            if piece.result.failure is not None:
                raise piece.result.failure
        return done

    def _run_ranges(self, plan: TaskPlan, ranges: Sequence[Ranges]) -> list[Piece]:
        parts = self._spark.sparkContext.parallelize(ranges, len(ranges))
        results = parts.mapPartitions(partial(write_ranges, plan)).collect()
        return [Piece(source, plan, result) for source, result in zip(ranges, results, strict=True)]

    def _run_frame(self, plan: TaskPlan, frame: DataFrame) -> list[Piece]:
        rows = map_in_arrow(frame, partial(write_batches, plan), RESULT).collect()
        return [Piece(frame, plan, result_in(row[0])) for row in rows]

    def letters(self, letters: Iterable[tuple[Piece, DeadLetters]], table: str) -> DataFrame:
        """Give dead letters as a frame; where there are too many, the records are read again."""
        kept: dict[int, list[DeadLetter]] = {}
        again: dict[int, Piece] = {}
        for piece, one in letters:
            kept.setdefault(id(piece.source), []).extend(one.kept)
            if not one.is_whole:
                again[id(piece.source)] = piece
        rows = [letter for source, some in kept.items() if source not in again for letter in some]
        frames = [self._letters_of(piece, table) for piece in again.values()]
        if rows or not frames:
            frames.append(self._spark.createDataFrame([*map(dead_letter_row, rows)], DEAD_LETTERS))
        return reduce(DataFrame.unionByName, frames)

    def _letters_of(self, piece: Piece, table: str) -> DataFrame:
        if isinstance(piece.source, DataFrame):
            return map_in_arrow(
                piece.source, partial(dead_letters_in_batches, piece.plan, table), DEAD_LETTERS
            )
        read = partial(dead_letters_in_ranges, piece.plan, table, piece.source)
        return map_in_arrow(self._spark.range(0, 1, 1, 1), read, DEAD_LETTERS)


def _ranges(span: BatchRange) -> Iterable[OffsetRange]:
    for topic, number, end in each(span.end):
        yield OffsetRange(topic, number, span.start.get(topic, {}).get(number, 0), end)

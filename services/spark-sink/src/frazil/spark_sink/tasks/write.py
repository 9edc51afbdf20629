"""A task: the records of a piece of a batch, from Kafka to staged files of many tables."""

import gc
import pickle
import uuid
from collections.abc import Iterable, Iterator

import pyarrow as pa

from frazil.spark_sink.records.errors import RecordError
from frazil.spark_sink.records.model import KafkaRecord
from frazil.spark_sink.records.routes import Router, router_of
from frazil.spark_sink.tasks.chunks import CHUNK_RECORDS, Chunk, chunks_of_batch
from frazil.spark_sink.tasks.offset_range import OffsetRange
from frazil.spark_sink.tasks.outcomes import Outcome, outcomes_of
from frazil.spark_sink.tasks.plan import TaskPlan
from frazil.spark_sink.tasks.reader import range_reader
from frazil.spark_sink.tasks.result import DEAD_LETTER_BYTES, DeadLetter, DeadLetters, WriteResult
from frazil.spark_sink.tasks.route_peek import TablePeek
from frazil.spark_sink.tasks.table import TableTask

RESULT = "result binary"
# Fewer records of a table are read one by one in less time than all at once.
_FEWEST = 10


def write_ranges(
    plan: TaskPlan, pieces: Iterable[tuple[OffsetRange, ...]]
) -> Iterator[WriteResult]:
    """Write the records of ranges that are read from Kafka."""
    for ranges in pieces:
        yield write(plan, chunks_of_ranges(plan, ranges))


def write_batches(plan: TaskPlan, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Write records that Spark has read; the result is one row."""
    result = write(plan, (chunk for batch in batches for chunk in chunks_of_batch(batch)))
    yield pa.record_batch({"result": pa.array([pickle.dumps(result)], pa.binary())})


def result_in(row: bytes) -> WriteResult:
    """Take the result out of the row that `write_batches` gives."""
    result: WriteResult = pickle.loads(row)  # noqa: S301 (a task of ours has made it)
    return result


def chunks_of_ranges(plan: TaskPlan, ranges: Iterable[OffsetRange]) -> Iterator[Chunk]:
    """Read ranges one after the other."""
    reader = range_reader(plan.kafka)
    # Of many tables each is to have some records in a chunk.
    chunk = CHUNK_RECORDS if plan.records.route is None else 4 * CHUNK_RECORDS
    for one in ranges:
        yield from reader.read(one, chunk=chunk)


def write(plan: TaskPlan, chunks: Iterable[Chunk]) -> WriteResult:
    """Write chunks of records; if that fails, nothing is left behind."""
    task = Task(plan)
    # Records are many, live for a moment and are in no cycle: to look for cycles is lost time.
    gc.disable()
    try:
        for chunk in chunks:
            task.add(chunk)
        return task.finish()
    except Exception as error:  # noqa: BLE001 (the driver raises it)
        task.abort()
        return WriteResult(failure=error)
    finally:
        gc.enable()


class Task:
    """The tables of one task, and the way of records to them."""

    def __init__(self, plan: TaskPlan, *, dead_letter_bytes: int = DEAD_LETTER_BYTES) -> None:
        records = plan.records
        name = uuid.uuid4().hex
        self._outcomes = outcomes_of(records)
        self._route = None if records.route is None else router_of(records.route)
        self._peek = TablePeek.of(records.route)
        self._is_plain = records.is_plain_json and (self._route is None or self._peek is not None)
        self._tables = {
            table: TableTask(
                one,
                fast=records.fast and self._is_plain,
                task=name,
                dead_letters=DeadLetters(dead_letter_bytes),
            )
            for table, one in plan.tables.items()
        }
        self._consumed = self._bytes = self._unrouted = 0
        self._routed: dict[str, int] = {}
        self._dead_letters = DeadLetters(dead_letter_bytes)

    def add(self, chunk: Chunk) -> None:
        """Take the records of a chunk to their tables."""
        self._consumed += len(chunk)
        self._bytes += chunk.nbytes()
        tables = self._tables.values()
        if self._is_plain and not any(table.has_some_of(chunk) for table in tables):
            self._decode(chunk)
            return
        for source, outcome in self._outcomes(chunk):
            if self._route is not None:
                self._add_routed(source, outcome, self._route)
                continue
            for table in tables:
                table.take(source, outcome)

    def _decode(self, chunk: Chunk) -> None:
        """Take records whose JSON is a row as it is; all others are read by themselves."""
        if self._route is not None and self._peek is not None:
            odd = chunk.take(self._decode_routed(chunk, self._peek))
            for source, outcome in self._outcomes(odd):
                self._add_routed(source, outcome, self._route)
            return
        for table in self._tables.values():
            for source, outcome in self._outcomes(chunk.take(table.decode(chunk))):
                table.take(source, outcome)

    def _decode_routed(self, chunk: Chunk, peek: TablePeek) -> list[int]:
        odd: list[int] = []
        for name, indices in peek.tables(chunk.values()).items():
            table = self._tables.get(name) if name else None
            if table is None or name is None or len(indices) < _FEWEST:
                odd += indices
                continue
            refused = table.decode(chunk.take(indices))
            odd += [indices[at] for at in refused]
            if taken := len(indices) - len(refused):
                self._routed[name] = self._routed.get(name, 0) + taken
        return sorted(odd)

    def _add_routed(self, source: KafkaRecord, outcome: Outcome, route: Router) -> None:
        try:
            if isinstance(outcome, RecordError):
                raise outcome
            names = () if outcome is None else route(outcome)
        except RecordError as error:
            self._dead_letters.add(DeadLetter.of(source, error))
            return
        self._unrouted += not names
        for name in names:
            self._routed[name] = self._routed.get(name, 0) + 1
            if name in self._tables:
                self._tables[name].take(source, outcome)

    def dead_letters_of(self, table: str) -> DeadLetters:
        """Return the dead letters of a table, or of records that are too broken to name one."""
        return self._tables[table].dead_letters if table else self._dead_letters

    def finish(self) -> WriteResult:
        """Close the files of all tables."""
        return WriteResult(
            {name: table.finish() for name, table in self._tables.items()},
            self._consumed,
            self._bytes,
            self._routed,
            self._unrouted,
            self._dead_letters,
        )

    def abort(self) -> None:
        """Delete what was written."""
        for table in self._tables.values():
            table.abort()

"""The sink's job: from the ledger's position, batch by batch, files then one guarded commit."""

import json
import shutil
import tempfile
import threading
import time
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.streaming.query import StreamingQuery

from frazil.contracts.assignment import Assignment
from frazil.contracts.offsets import Offsets, count_between, each
from frazil.runtime import metrics
from frazil.runtime.logs import get_logger
from frazil.spark_sink.catalog import catalog_conf
from frazil.spark_sink.columns import RowPlan
from frazil.spark_sink.committer import Committer
from frazil.spark_sink.config import SinkConfig, sink_config
from frazil.spark_sink.core.offset_log import BatchRange, batch_range, offsets_of
from frazil.spark_sink.core.pace import rest_after
from frazil.spark_sink.counts import BatchCounts, counts_of, observed
from frazil.spark_sink.failure import explain
from frazil.spark_sink.kafka import Broker, source_options
from frazil.spark_sink.table import SinkTable
from frazil.worker.board import StatusBoard
from frazil.worker.bridge import allow_callbacks
from frazil.worker.errors import BadRecordError, UnavailableError

log = get_logger(__name__)

_POLL_MS = 500
_FENCE_CHECK_SECONDS = 10
_SETTLE_SECONDS = 15


@dataclass(frozen=True)
class _Stream:
    """What one start of the stream has opened; the checkpoint is new, and disposable."""

    broker: Broker
    table: SinkTable
    rows: RowPlan
    committer: Committer
    first: Offsets
    checkpoint: Path

    @classmethod
    def open(cls, spark: SparkSession, config: SinkConfig, folder: Path) -> "_Stream":
        broker = Broker(spark, config)
        cluster_id, topics = broker.cluster_id(), broker.topics(config.topics)
        allow_callbacks(spark)
        table = SinkTable(
            spark, catalog=config.catalog, name=config.table, connector=config.connector
        )
        committer = Committer(config, table, cluster_id=cluster_id, topics=topics)
        return cls(
            broker=broker,
            table=table,
            rows=RowPlan(table.schema),
            committer=committer,
            first=committer.take_position(),
            checkpoint=Path(tempfile.mkdtemp(prefix="checkpoint-", dir=folder)),
        )

    def close(self) -> None:
        self.broker.close()
        shutil.rmtree(self.checkpoint, ignore_errors=True)


class SinkJob:
    """One sink connector. Batches come on the stream's thread, the rest on the main thread."""

    def __init__(self, assignment: Assignment, board: StatusBoard) -> None:
        self._config = sink_config(assignment)
        self._board = board
        self._stream: _Stream
        self._batch = threading.Lock()
        self._settling = threading.Event()
        self._failure: Exception | None = None
        self._fence_checked = time.monotonic()

    @property
    def memory(self) -> str:
        return self._config.memory

    @property
    def spark_conf(self) -> dict[str, str]:
        return {
            "spark.app.name": self._config.connector,
            "spark.master": f"local[{self._config.cores}]",
            "spark.sql.shuffle.partitions": str(self._config.cores),
            **catalog_conf(self._config),
            **self._config.spark,
        }

    def start(self, spark: SparkSession) -> StreamingQuery:
        """Begin where the table's ledger ends."""
        self._failure = None
        self._stream = stream = _Stream.open(spark, self._config, self._board.folder)
        self._board.update(position=stream.first)
        log.info("stream_starts", position=stream.first, table=self._config.table)
        source = spark.readStream.format("kafka")
        poll_ms = min(_POLL_MS, self._config.commit_interval_ms)
        return (
            source.options(**source_options(self._config, stream.first))
            .load()
            .writeStream.foreachBatch(self._on_batch)
            .option("checkpointLocation", str(stream.checkpoint))
            .trigger(processingTime=f"{poll_ms} milliseconds")
            .start()
        )

    def _on_batch(self, batch: DataFrame, batch_id: int) -> None:
        started = time.monotonic()
        with self._batch:
            if self._settling.is_set():
                raise UnavailableError("The worker is stopping.")
            try:
                span = batch_range(self._stream.checkpoint, batch_id, self._stream.first)
                rows = self._write(batch, span)
            except Exception as error:
                # Spark would wrap it in text; the loop wants the error itself.
                self._failure = error
                raise
        rest = rest_after(
            time.monotonic() - started,
            interval=self._config.commit_interval_ms / 1000,
            rows=rows,
            most_rows=self._config.max_records,
        )
        self._settling.wait(rest)

    def _write(self, batch: DataFrame, span: BatchRange) -> int:
        """Write one batch and return how many records it had."""
        started = time.monotonic()
        table, plan = self._stream.table, self._stream.rows
        partitions = [(topic, partition) for topic, partition, _ in each(span.end)]
        parsed, observation = observed(plan.read(batch), plan.fault, partitions)
        files = table.write_files(plan.rows(parsed))
        counts = counts_of(observation)
        if counts.dead and not self._config.tolerate_errors:
            table.delete_files(files)
            raise bad_record_error(counts, self._config.table)
        self._stream.committer.commit(files, span, counts)
        self._show_progress(span.end)
        self._tell(span, counts, time.monotonic() - started)
        return counts.consumed

    def _show_progress(self, end: Offsets) -> None:
        try:
            self._stream.broker.commit_to_group(end)
        except UnavailableError as error:
            # For lag tools only: the rows are in the table, and the next batch tries again.
            log.warning("group_offsets_not_committed", why=str(error))

    def _tell(self, span: BatchRange, counts: BatchCounts, seconds: float) -> None:
        name = self._config.connector
        metrics.SINK_RECORDS.labels(name).inc(counts.written)
        metrics.SINK_DEAD.labels(name).inc(counts.dead)
        metrics.SINK_COMMITS.labels(name).inc()
        metrics.SINK_COMMIT_SECONDS.labels(name).observe(seconds)
        status = self._board.status
        self._board.update(
            position=span.end,
            commits=status.commits + 1,
            records=status.records + counts.written,
            dead=status.dead + counts.dead,
            last_commit=datetime.now(UTC),
        )
        log.info("committed", rows=counts.written, dead=counts.dead, seconds=round(seconds, 3))

    def tick(self, query: StreamingQuery) -> None:
        self._measure_lag(query)
        if time.monotonic() - self._fence_checked > _FENCE_CHECK_SECONDS:
            self._check_fence()

    def _measure_lag(self, query: StreamingQuery) -> None:
        progress = query.lastProgress
        latest = json.loads(progress.json)["sources"][0]["latestOffset"] if progress else None
        if latest:
            lag = max(0, count_between(self._board.status.position, offsets_of(latest)))
            metrics.SINK_LAG.labels(self._config.connector).set(lag)
            if lag != self._board.status.lag:
                self._board.update(lag=lag)

    def _check_fence(self) -> None:
        """Stop an idle driver too, once a newer one has taken over; a busy one finds out itself."""
        if not self._batch.acquire(blocking=False):
            return
        try:
            self._stream.committer.check_fence()
        finally:
            self._batch.release()
        self._fence_checked = time.monotonic()

    def settle(self) -> None:
        if self._batch.acquire(timeout=_SETTLE_SECONDS):
            self._settling.set()
            self._batch.release()

    def explain(self, error: BaseException) -> BaseException:
        return explain(self._failure or error)

    def close(self) -> None:
        self._stream.close()


def bad_record_error(counts: BatchCounts, table: str) -> BadRecordError:
    bad = counts.first_dead
    where = f"{bad.topic}-{bad.partition} at offset {bad.offset}" if bad else "the batch"
    reason = bad.reason if bad else "it cannot be read"
    return BadRecordError(
        f"{counts.dead} record(s) cannot be written to {table}; the first is in {where}: {reason}. "
        "Nothing of this batch was written. To skip and count such records set "
        "errors.tolerance=all; else correct the producer or the table, then restart."
    )

"""The sink's job: from the ledger's position, batch by batch, files then one guarded commit."""

import json
import shutil
import tempfile
import threading
import time
import uuid
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.streaming.query import StreamingQuery

from frazil.contracts.assignment import Assignment
from frazil.contracts.ledger import Ledger
from frazil.contracts.offsets import Offsets, count_between
from frazil.runtime import metrics
from frazil.runtime.logs import get_logger
from frazil.spark_sink.catalog import catalog_conf
from frazil.spark_sink.columns import RowPlan
from frazil.spark_sink.config import sink_config
from frazil.spark_sink.core.judge import Claim, Verdict
from frazil.spark_sink.core.offset_log import BatchRange, batch_range, offsets_of
from frazil.spark_sink.core.pace import rest_after
from frazil.spark_sink.core.position import TopicFacts, first_position, next_position
from frazil.spark_sink.counts import BatchCounts, counts_of, observed
from frazil.spark_sink.failure import explain
from frazil.spark_sink.kafka import Broker, source_options
from frazil.spark_sink.table import SinkTable
from frazil.worker.board import StatusBoard
from frazil.worker.bridge import allow_callbacks
from frazil.worker.errors import (
    BadRecordError,
    DataLossError,
    SupersededError,
    UnavailableError,
)
from frazil.worker.job import StreamMovedError

log = get_logger(__name__)

_POLL_MS = 500
_FENCE_CHECK_SECONDS = 10
_SETTLE_SECONDS = 15


class SinkJob:
    """One sink connector. Batches come on the stream's thread, the rest on the main thread."""

    def __init__(self, assignment: Assignment, board: StatusBoard) -> None:
        self._config = sink_config(assignment)
        self._board = board
        self._run = uuid.uuid4().hex
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
        """Take the position from the table; the checkpoint is new, and disposable, every time."""
        config = self._config
        self._failure = None
        self._broker = Broker(spark, config)
        self._cluster_id = self._broker.cluster_id()
        self._topics = self._broker.topics(config.topics)
        allow_callbacks(spark)
        self._table = SinkTable(
            spark, catalog=config.catalog, name=config.table, connector=config.connector
        )
        self._rows = RowPlan(self._table.schema)
        self._ledger = self._table.ledger()
        self._first = self._take_position(self._topics)
        self._checkpoint = Path(tempfile.mkdtemp(prefix="checkpoint-", dir=self._board.folder))
        self._board.update(position=self._first)
        log.info("stream_starts", position=self._first, table=config.table)
        source = spark.readStream.format("kafka").options(**source_options(config, self._first))
        return (
            source.load()
            .writeStream.foreachBatch(self._on_batch)
            .option("checkpointLocation", str(self._checkpoint))
            .trigger(processingTime=f"{min(_POLL_MS, config.commit_interval_ms)} milliseconds")
            .start()
        )

    def _take_position(self, topics: Mapping[str, TopicFacts]) -> Offsets:
        """Find where to begin, and put our epoch into the table so that older drivers stop."""
        if self._ledger is None:
            return first_position(topics, self._config.offset_reset)
        if self._ledger.epoch > self._config.epoch:
            raise self._superseded(self._ledger)
        position = next_position(self._ledger, topics, self._config.on_data_loss)
        if self._ledger.epoch < self._config.epoch:
            self._commit([], BatchRange(position, position), BatchCounts.nothing())
        return position

    def _on_batch(self, batch: DataFrame, batch_id: int) -> None:
        started = time.monotonic()
        with self._batch:
            if self._settling.is_set():
                raise UnavailableError("The worker is stopping.")
            try:
                rows = self._write(batch, batch_range(self._checkpoint, batch_id, self._first))
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
        started = time.monotonic()
        parsed, observation = observed(self._rows.read(batch))
        files = self._table.write_files(self._rows.rows(parsed))
        counts = counts_of(observation)
        if counts.dead and not self._config.tolerate_errors:
            self._table.delete_files(files)
            raise self._bad_record(counts)
        self._commit(files, span, counts)
        self._broker_progress(span.end)
        self._tell(span, counts, time.monotonic() - started)
        return counts.consumed

    def _commit(self, files: list[object], span: BatchRange, counts: BatchCounts) -> None:
        claim = Claim(self._config.epoch, self._run, self._ledger, span.start, span.end)
        ledger = self._ledger_of(span, counts)
        verdict = self._table.append(files, ledger, claim, self._config.control_topic)
        if verdict in (Verdict.APPEND, Verdict.ALREADY_DONE):
            self._ledger = ledger
            return
        self._table.delete_files(files)
        found = self._table.ledger()
        if verdict is Verdict.SUPERSEDED and found is not None:
            raise self._superseded(found)
        if verdict is Verdict.MOVED:
            raise StreamMovedError("another driver of this connector has committed in between")
        raise DataLossError(
            f"Table {self._config.table} was rolled back behind what this connector had written. "
            "Restart the connector to write again from the position the table has now."
        )

    def _ledger_of(self, span: BatchRange, counts: BatchCounts) -> Ledger:
        return Ledger(
            connector=self._config.connector,
            epoch=self._config.epoch,
            run=self._run,
            cluster_id=self._cluster_id,
            topic_ids={name: facts.topic_id for name, facts in self._topics.items()},
            start=span.start,
            end=span.end,
            consumed=counts.consumed,
            written=counts.written,
            filtered=counts.filtered,
            dead=counts.dead,
            min_time=counts.min_time,
            max_time=counts.max_time,
        )

    def _broker_progress(self, end: Offsets) -> None:
        try:
            self._broker.commit_to_group(end)
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
            found = self._table.ledger()
        finally:
            self._batch.release()
        self._fence_checked = time.monotonic()
        if found is not None and found.epoch > self._config.epoch:
            raise self._superseded(found)

    def settle(self) -> None:
        if self._batch.acquire(timeout=_SETTLE_SECONDS):
            self._settling.set()
            self._batch.release()

    def explain(self, error: BaseException) -> BaseException:
        shutil.rmtree(self._checkpoint, ignore_errors=True)
        return explain(self._failure or error)

    def _superseded(self, found: Ledger) -> SupersededError:
        return SupersededError(
            f"A newer driver of connector {self._config.connector} (epoch {found.epoch}) has taken "
            f"over table {self._config.table}; this one (epoch {self._config.epoch}) has stopped."
        )

    def _bad_record(self, counts: BatchCounts) -> BadRecordError:
        bad = counts.first_dead
        where = f"{bad.topic}-{bad.partition} at offset {bad.offset}" if bad else "the batch"
        reason = bad.reason if bad else "it cannot be read"
        return BadRecordError(
            f"{counts.dead} record(s) cannot be written to {self._config.table}; the first is in "
            f"{where}: {reason}. Nothing of this batch was written. To skip and count such records "
            "set errors.tolerance=all; else correct the producer or the table, then restart."
        )

"""The sink's job: from the ledger's position, batch by batch, files then one guarded commit."""

import json
import threading
import time
from collections import deque
from collections.abc import Set
from datetime import UTC, datetime

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.streaming.query import StreamingQuery

from frazil.contracts.offsets import Offsets
from frazil.contracts.worker_status import TableStatus
from frazil.runtime import metrics
from frazil.runtime.contexts import in_this_context
from frazil.runtime.logs import get_logger
from frazil.spark_sink.config import SinkConfig
from frazil.spark_sink.core.batches import BatchSize
from frazil.spark_sink.core.offset_log import BatchRange, batch_range, offsets_of
from frazil.spark_sink.core.pace import interval_for, rest_after
from frazil.spark_sink.counts import BadRecord
from frazil.spark_sink.failure import explain
from frazil.spark_sink.kafka import source_options
from frazil.spark_sink.maintainer import Maintainer
from frazil.spark_sink.outcome import Outcome
from frazil.spark_sink.roster import lag
from frazil.spark_sink.store import Destination, Records
from frazil.spark_sink.stream import Stream
from frazil.worker.board import StatusBoard
from frazil.worker.errors import RefusedError, UnavailableError, UnfitError, WorkerError
from frazil.worker.job import StreamMovedError

log = get_logger(__name__)

_POLL_MS = 500
_LOOK_SECONDS = 10
_SETTLE_SECONDS = 15
# Batches by which it is guessed how long the next takes.
_REMEMBERED = 20
# So many offsets Spark looks for at a time; where it reads them itself they are one batch.
_MOST_FOUND = 4_000_000
_MOST_READ = 400_000


class SinkJob:
    """One sink connector. Batches come on the stream's thread, the rest on the main thread."""

    def __init__(self, config: SinkConfig, destination: Destination, board: StatusBoard) -> None:
        self._config = config
        self._destination = destination
        self._board = board
        self._stream: Stream
        self._size: BatchSize
        self._maintainer: Maintainer | None = None
        self._batch = threading.Lock()
        self._durations: deque[float] = deque(maxlen=_REMEMBERED)
        self._settling = threading.Event()
        self._failure: Exception | None = None
        self._looked = time.monotonic()
        self._has_worked = False

    @property
    def memory(self) -> str:
        return self._config.memory

    @property
    def spark_conf(self) -> dict[str, str]:
        return self._config.session_conf(self._destination.spark_conf)

    def start(self, spark: SparkSession) -> StreamingQuery:
        """Begin where the store's ledger ends."""
        self._failure = None
        self._size = BatchSize(self._config.max_records)
        self._stream = stream = Stream.open(
            spark, self._config, self._destination, self._board.folder
        )
        rewind = self._config.rewind.newest if self._config.rewind else 0
        self._board.update(
            position=stream.first,
            rewind=rewind,
            redriven=self._board.status.redriven + stream.redriven,
            tables=stream.fleet.tables,
        )
        self._maintainer = self._maintain(spark)
        log.info("stream_starts", position=stream.first, store=stream.fleet.name)
        source = spark.readStream.format("kafka")
        poll_ms = min(_POLL_MS, self._config.commit_interval_ms)
        return (
            source.options(**source_options(self._config, stream.first, most=self._most_found))
            .load()
            .writeStream.foreachBatch(in_this_context(self._on_batch))
            .option("checkpointLocation", str(stream.checkpoint))
            .trigger(processingTime=f"{poll_ms} milliseconds")
            .start()
        )

    def _maintain(self, spark: SparkSession) -> Maintainer | None:
        config, fleet = self._config, self._stream.fleet
        if self._stream.stores.open_maintenance is None or config.maintenance is None:
            return None
        return Maintainer(
            spark,
            self._stream.stores.open_maintenance,
            connector=config.connector,
            budget=config.maintenance,
            names=lambda: () if self._is_late() else fleet.running,
            stream=self._batch,
        )

    def _is_late(self) -> bool:
        """Tell whether records become visible later than they are wanted."""
        wanted, age = self._config.freshness_ms, self._board.status.freshness_seconds
        return wanted is not None and age is not None and age * 1000 > wanted

    def _on_batch(self, batch: DataFrame, batch_id: int) -> None:
        rest = 0.0
        try:
            span = batch_range(self._stream.checkpoint, batch_id, self._stream.first)
            self._require_topics(span.end.keys())
            is_cut = self._stream.stores.takes_ranges
            for part in self._size.cut(span) if is_cut else [span]:
                rest = self._on_part(batch, part)
        except Exception as error:
            # Spark would wrap it in text; the loop wants the error itself.
            self._failure = error
            raise
        self._settling.wait(rest)

    def _on_part(self, batch: DataFrame, span: BatchRange) -> float:
        """Write a part of what Spark has found, and return how long to rest behind the last."""
        started = time.monotonic()
        with self._batch:
            if self._settling.is_set():
                raise UnavailableError("The worker is stopping.")
            outcome = self._write(batch, span)
        took = time.monotonic() - started
        self._durations.append(took)
        most = self._size.records if self._stream.stores.takes_ranges else self._most_found
        self._size.learn(outcome.consumed, outcome.bytes)
        return rest_after(took, interval=self._interval(), rows=outcome.consumed, most_rows=most)

    @property
    def _most_found(self) -> int:
        most = _MOST_FOUND if self._stream.stores.takes_ranges else _MOST_READ
        return self._config.max_records or most

    def _interval(self) -> float:
        config = self._config
        if config.freshness_ms is None:
            return config.commit_interval_ms / 1000
        return interval_for((config.freshness_ms - _POLL_MS) / 1000, self._durations)

    def _write(self, batch: DataFrame, span: BatchRange) -> Outcome:
        started = time.monotonic()
        outcome = self._stream.fleet.write(Records(batch, span), span)
        self._has_worked = True
        self._show_progress(outcome.done)
        self._tell(span, outcome, time.monotonic() - started)
        return outcome

    def _show_progress(self, end: Offsets) -> None:
        try:
            self._stream.broker.commit_to_group(end)
        except UnavailableError as error:
            # The rows are where they belong, and the next batch tries again.
            log.warning("group_offsets_not_committed", why=str(error))

    def _tell(self, span: BatchRange, outcome: Outcome, seconds: float) -> None:
        name = self._config.connector
        metrics.SINK_RECORDS.labels(name).inc(outcome.written)
        metrics.SINK_DEAD.labels(name).inc(outcome.dead)
        metrics.SINK_NULLED.labels(name).inc(outcome.nulled)
        metrics.SINK_ASTRAY.labels(name).inc(outcome.astray)
        metrics.SINK_COMMITS.labels(name).inc(outcome.commits)
        metrics.SINK_COMMIT_SECONDS.labels(name).observe(seconds)
        status, now, newest = self._board.status, datetime.now(UTC), outcome.newest
        self._board.update(
            position=span.end,
            commits=status.commits + outcome.commits,
            records=status.records + outcome.written,
            dead=status.dead + outcome.dead,
            nulled=status.nulled + outcome.nulled,
            astray=status.astray + outcome.astray,
            tables=self._tables(),
            last_commit=now if outcome.commits else status.last_commit,
            commit_seconds=round(seconds, 3),
            valid_through=outcome.valid_through,
            freshness_seconds=newest and round((now - newest).total_seconds(), 3),
        )
        log.info(
            "committed",
            rows=outcome.written,
            tables=outcome.commits,
            dead=outcome.dead,
            nulled=outcome.nulled,
            astray=outcome.astray,
            seconds=round(seconds, 3),
        )
        if outcome.first_dead is not None and self._config.log_errors:
            self._tell_dead(outcome.dead, outcome.first_dead)

    def _tell_dead(self, dead: int, first: BadRecord) -> None:
        place = f"{first.topic}-{first.partition} at offset {first.offset}"
        where = {"first": place} if self._config.log_places else {}
        log.warning("records_set_aside", dead=dead, reason=first.reason, **where)

    def tick(self, query: StreamingQuery) -> None:
        self._measure_lag(query)
        if time.monotonic() - self._looked > _LOOK_SECONDS:
            self._looked = time.monotonic()
            self._check_topics()
            self._look_at_stores()

    def _measure_lag(self, query: StreamingQuery) -> None:
        progress = query.lastProgress
        latest = json.loads(progress.json)["sources"][0]["latestOffset"] if progress else None
        if latest:
            status = self._board.status
            waiting = lag(status.position, status.tables, offsets_of(latest))
            metrics.SINK_LAG.labels(self._config.connector).set(waiting)
            if waiting != status.lag:
                self._board.update(lag=waiting)

    def _check_topics(self) -> None:
        try:
            names = self._stream.broker.names()
        except UnavailableError as error:
            log.warning("topics_not_seen", why=str(error))
            return
        self._require_topics(names)

    def _require_topics(self, names: Set[str]) -> None:
        """Begin again when other topics match: each has an identity that ledgers have to know."""
        if names != self._stream.topics:
            changed = ", ".join(sorted(names ^ self._stream.topics))
            raise StreamMovedError(f"other topics match topics.regex than before: {changed}")

    def _look_at_stores(self) -> None:
        """Do for an idle driver what each batch does for a busy one.

        Stop once a newer one has taken over, tell ledgers that wait, say through when all is there.
        """
        if not self._batch.acquire(blocking=False):
            return
        try:
            fleet, position = self._stream.fleet, self._board.status.position
            fleet.check_fence()
            fleet.tell_if_due()
            self._board.update(valid_through=fleet.rest(position), tables=self._tables())
        except RefusedError as error:
            raise _until_now(error) from None
        finally:
            self._batch.release()

    def _tables(self) -> dict[str, TableStatus]:
        tables = self._stream.fleet.tables
        if self._maintainer is None:
            return tables
        seen = self._maintainer.statuses
        return {
            name: table.model_copy(update={"maintenance": seen.get(name)})
            for name, table in tables.items()
        }

    def settle(self) -> None:
        if self._batch.acquire(timeout=_SETTLE_SECONDS):
            self._settling.set()
            self._batch.release()

    def explain(self, error: BaseException) -> BaseException:
        found = explain(self._failure or error)
        if self._has_worked and isinstance(found, RefusedError | UnfitError):
            return _until_now(found)
        return found

    def close(self) -> None:
        if self._maintainer is not None:
            self._maintainer.close()
        self._stream.close()


def _until_now(error: WorkerError) -> UnavailableError:
    """Have a new start tried after what worked in this one: it may bring newer keys or columns.

    If it meets the same it has done nothing before, and is the last.
    """
    return UnavailableError(str(error), error.cause)

"""The source's job: from the position in Kafka on, batch by batch, each in one transaction."""

import shutil
import tempfile
import threading
import time
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.streaming.query import StreamingQuery

from frazil.contracts.offsets import Offsets
from frazil.runtime import metrics
from frazil.runtime.contexts import in_this_context
from frazil.runtime.logs import get_logger
from frazil.spark_source.config import SourceConfig
from frazil.spark_source.core.topics import offsets_topic
from frazil.spark_source.core.values import as_json
from frazil.spark_source.offsets import key_of, read_offset
from frazil.spark_source.producer import Producer
from frazil.spark_source.reader import Batch, Offset, Reader
from frazil.worker.board import StatusBoard
from frazil.worker.kafka import Admin
from frazil.worker.opening import opening
from frazil.worker.topics import Topics

log = get_logger(__name__)

_LOOK_SECONDS = 1  # as often as Kafka's own source


@dataclass
class _Stream:
    """What one start has opened; the checkpoint is new, and disposable."""

    admin: Admin
    producer: Producer
    key: str
    offset: Offset | None
    checkpoint: Path

    @classmethod
    def open(
        cls, spark: SparkSession, config: SourceConfig, reader: Reader, folder: Path
    ) -> "_Stream":
        key = key_of(config.connector, reader.partition)
        with opening() as opened:
            admin = opened.keep(Admin(spark, config.kafka, config.connector))
            topics = Topics(spark, admin)
            topics.require(offsets_topic(config.offsets_topic, topics.brokers()))
            topics.require(config.topic)
            # First shut out older drivers, then look how far they came.
            producer = opened.keep(Producer(spark, config))
            return cls(
                admin=admin,
                producer=producer,
                offset=read_offset(spark, config, key),
                key=key,
                checkpoint=Path(tempfile.mkdtemp(prefix="checkpoint-", dir=folder)),
            )

    def close(self) -> None:
        self.producer.close()
        self.admin.close()
        shutil.rmtree(self.checkpoint, ignore_errors=True)


class SourceJob:
    """One source connector: Spark keeps the beat, the reader reads, the producer sends (ADR 11)."""

    def __init__(self, config: SourceConfig, reader: Reader, board: StatusBoard) -> None:
        self._config = config
        self._reader = reader
        self._board = board
        self._stream: _Stream
        self._settling = threading.Event()
        self._failure: Exception | None = None

    @property
    def memory(self) -> str:
        return self._config.memory

    @property
    def spark_conf(self) -> dict[str, str]:
        return {
            "spark.app.name": self._config.connector,
            "spark.master": "local[1]",
            "spark.sql.shuffle.partitions": "1",
            "spark.sql.streaming.minBatchesToRetain": "2",
            **self._config.spark,
        }

    def start(self, spark: SparkSession) -> StreamingQuery:
        """Begin at the newest position that is committed in the offsets topic."""
        self._failure = None
        self._stream = stream = _Stream.open(spark, self._config, self._reader, self._board.folder)
        log.info("stream_starts", position=stream.offset, topic=self._config.topic.name)
        return (
            spark.readStream.format("rate-micro-batch")
            .option("rowsPerBatch", 1)
            .load()
            .writeStream.foreachBatch(in_this_context(self._on_beat))
            .option("checkpointLocation", str(stream.checkpoint))
            .trigger(processingTime=f"{_LOOK_SECONDS} seconds")
            .start()
        )

    def _on_beat(self, _beat: DataFrame, _number: int) -> None:
        """Wait until there is something, then send all of it; beats for nothing cost too much."""
        try:
            while not (self._settling.is_set() or self._send_all()):
                self._settling.wait(_LOOK_SECONDS)
        except Exception as error:
            # Spark would wrap it in text; the loop wants the error itself.
            self._failure = error
            raise

    def _send_all(self) -> bool:
        """Send one transaction after another; tell whether there was any."""
        sent = False
        while not self._settling.is_set() and (batch := self._reader.read(self._stream.offset)):
            self._send(batch)
            sent = True
        return sent

    def _send(self, batch: Batch) -> None:
        started = time.monotonic()
        stream = self._stream
        end = stream.producer.send(
            [self._config.convert(text) for text in batch.texts],
            key=stream.key,
            offset=as_json(dict(batch.offset)),
        )
        stream.offset = batch.offset
        self._tell(batch, end, time.monotonic() - started)

    def _tell(self, batch: Batch, end: Offsets, seconds: float) -> None:
        name, records, status = self._config.connector, len(batch.texts), self._board.status
        metrics.SOURCE_RECORDS.labels(name).inc(records)
        metrics.SOURCE_COMMITS.labels(name).inc()
        metrics.SOURCE_COMMIT_SECONDS.labels(name).observe(seconds)
        reached = {
            topic: status.position.get(topic, {}) | partitions for topic, partitions in end.items()
        }
        self._board.update(
            position=status.position | reached,
            commits=status.commits + 1,
            records=status.records + records,
            last_commit=datetime.now(UTC),
            commit_seconds=round(seconds, 3),
        )
        log.info("committed", records=records, position=batch.offset, seconds=round(seconds, 3))

    def tick(self, query: StreamingQuery) -> None:
        """Nothing changes between batches."""

    def settle(self) -> None:
        self._settling.set()

    def explain(self, error: BaseException) -> BaseException:
        return self._failure or error

    def close(self) -> None:
        self._stream.close()

"""Driving a job in a Spark session until it is told to stop."""

import threading
import time
from contextlib import suppress

from pyspark.sql import SparkSession
from pyspark.sql.streaming.query import StreamingQuery

from frazil.contracts.states import WorkerState
from frazil.runtime import logs
from frazil.worker.board import StatusBoard
from frazil.worker.job import Errand, Job, StreamMovedError
from frazil.worker.jvm_errors import JVM_GONE

log = logs.get_logger(__name__)

_TICK_SECONDS = 1
_PAUSE_SECONDS = 15
_PAUSE_POLL_SECONDS = 0.02


def run_job(
    job: Job | Errand, spark: SparkSession, board: StatusBoard, stop: threading.Event
) -> None:
    if isinstance(job, Errand):
        board.enter(WorkerState.RUNNING)
        job.run(spark)
    else:
        _stream(job, spark, board, stop)


def _stream(job: Job, spark: SparkSession, board: StatusBoard, stop: threading.Event) -> None:
    while not stop.is_set():
        try:
            _drive(job, spark, board, stop)
        except StreamMovedError as moved:
            log.warning("stream_starts_again", why=str(moved))


def _drive(job: Job, spark: SparkSession, board: StatusBoard, stop: threading.Event) -> None:
    """Run one stream until the worker is told to stop."""
    try:
        query = job.start(spark)
    except Exception as error:  # noqa: BLE001 (whatever it was, the job says what it means)
        raise job.explain(error) from None
    board.enter(WorkerState.RUNNING)
    try:
        while not stop.is_set():
            if query.awaitTermination(_TICK_SECONDS):
                return
            job.tick(query)
        log.info("stopping")
        job.settle()
        await_pause(query)
    except Exception as error:  # noqa: BLE001 (whatever it was, the job says what it means)
        raise job.explain(error) from None
    finally:
        _stop_quietly(query, job)


def await_pause(query: StreamingQuery) -> None:
    """Wait for the end of the batch at hand; stopped within one, Spark writes pages of warnings."""
    deadline = time.monotonic() + _PAUSE_SECONDS
    while query.status["isTriggerActive"] and time.monotonic() < deadline:
        time.sleep(_PAUSE_POLL_SECONDS)


def _stop_quietly(query: StreamingQuery, job: Job) -> None:
    # The work is done, or has failed for a better reason than this one.
    with suppress(*JVM_GONE):
        query.stop()
        job.close()

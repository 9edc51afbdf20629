"""The life of a worker process: assignment in, exit code out."""

import signal
import threading
import time
from collections.abc import Callable
from contextlib import AbstractContextManager, suppress
from functools import partial
from pathlib import Path

from py4j.clientserver import ClientServer
from py4j.protocol import Py4JNetworkError
from pydantic import ValidationError
from pyspark.sql import SparkSession
from pyspark.sql.streaming.query import StreamingQuery
from structlog.contextvars import bind_contextvars

from frazil.contracts.assignment import ASSIGNMENT_FILE, Assignment
from frazil.contracts.config import is_secret
from frazil.contracts.exit_code import ExitCode
from frazil.contracts.states import WorkerState
from frazil.runtime import logs
from frazil.runtime.hiding import Hiding
from frazil.worker.board import StatusBoard
from frazil.worker.errors import BadConfigError, WorkerError
from frazil.worker.job import Errand, Job, JobFactory, StreamMovedError
from frazil.worker.jvm import running_jvm
from frazil.worker.jvm_errors import JAVA_ERRORS, in_words
from frazil.worker.probes import Probes
from frazil.worker.session import open_session
from frazil.worker.settings import WorkerSettings
from frazil.worker.trace import trace_of

log = logs.get_logger(__name__)

_TICK_SECONDS = 1
_PAUSE_SECONDS = 15
_PAUSE_POLL_SECONDS = 0.02
# What a call to the JVM raises when that has failed, or has ended already.
_JVM_GONE = (*JAVA_ERRORS, Py4JNetworkError, ConnectionError)


def read_assignment(folder: Path) -> Assignment:
    try:
        return Assignment.model_validate_json((folder / ASSIGNMENT_FILE).read_text())
    except (OSError, ValidationError) as error:
        raise BadConfigError(f"{folder / ASSIGNMENT_FILE} is not a readable assignment.") from error


def run_worker(folder: Path, job_factory: JobFactory) -> ExitCode:
    """Run one connector until it is told to stop, or fails."""
    settings = WorkerSettings()
    hiding = Hiding()
    logs.configure(settings.log_level, settings.log_format, is_secret=is_secret, hiding=hiding)
    try:
        assignment = read_assignment(folder)
    except BadConfigError as error:
        # Without an assignment there is no status to leave behind, only the code and the log.
        log.error("no_assignment", why=str(error))
        return error.exit_code
    hiding.add(assignment.secrets)
    bind_contextvars(connector=assignment.connector, epoch=assignment.epoch)
    board = StatusBoard(folder, assignment)
    board.update(port=Probes(board, settings.probe_host, settings.probe_port).start())
    log.info("worker_started", generation=assignment.generation, port=board.status.port)
    start_jvm = partial(running_jvm, settings, hiding=hiding)
    failure = _work(assignment, board, job_factory=job_factory, start_jvm=start_jvm)
    exit_code = exit_code_of(failure)
    board.end(exit_code, None if failure is None else hiding(trace_of(failure)))
    log.info("worker_ended", exit_code=exit_code.name)
    return exit_code


def _work(
    assignment: Assignment,
    board: StatusBoard,
    *,
    job_factory: JobFactory,
    start_jvm: Callable[[str], AbstractContextManager[ClientServer]],
) -> Exception | None:
    """Return what went wrong, if anything did."""
    stop = threading.Event()
    for name in (signal.SIGTERM, signal.SIGINT):
        signal.signal(name, lambda *_: stop.set())
    try:
        job = job_factory(assignment, board)
        with start_jvm(job.memory) as gateway:
            try:
                _run_job(job, gateway, board, stop)
            except JAVA_ERRORS as error:
                raise in_words(error) from None
    except WorkerError as error:
        log.error("worker_failed", why=str(error))
        return error
    except Exception as error:  # the edge: whatever it was, it becomes the exit code
        log.exception("worker_crashed")
        return error
    return None


def exit_code_of(error: Exception | None) -> ExitCode:
    if error is None:
        return ExitCode.OK
    return error.exit_code if isinstance(error, WorkerError) else ExitCode.CRASHED


def _run_job(
    job: Job | Errand, gateway: ClientServer, board: StatusBoard, stop: threading.Event
) -> None:
    spark = open_session(gateway, job.spark_conf)
    try:
        if isinstance(job, Errand):
            board.enter(WorkerState.RUNNING)
            job.run(spark)
        else:
            _stream(job, spark, board, stop)
    finally:
        with suppress(*_JVM_GONE):
            spark.stop()


def _stream(job: Job, spark: SparkSession, board: StatusBoard, stop: threading.Event) -> None:
    while not stop.is_set():
        try:
            _drive(job, spark, board, stop)
        except StreamMovedError as moved:
            log.warning("stream_starts_again", why=str(moved))


def _drive(job: Job, spark: SparkSession, board: StatusBoard, stop: threading.Event) -> None:
    """Run one stream until the worker is told to stop."""
    query = job.start(spark)
    board.enter(WorkerState.RUNNING)
    try:
        while not stop.is_set():
            if query.awaitTermination(_TICK_SECONDS):
                return
            job.tick(query)
        log.info("stopping")
        job.settle()
        _await_pause(query)
    except Exception as error:  # noqa: BLE001 (whatever it was, the job says what it means)
        raise job.explain(error) from None
    finally:
        _stop_quietly(query, job)


def _await_pause(query: StreamingQuery) -> None:
    """Wait for the end of the batch at hand; stopped within one, Spark writes pages of warnings."""
    deadline = time.monotonic() + _PAUSE_SECONDS
    while query.status["isTriggerActive"] and time.monotonic() < deadline:
        time.sleep(_PAUSE_POLL_SECONDS)


def _stop_quietly(query: StreamingQuery, job: Job) -> None:
    # The work is done, or has failed for a better reason than this one.
    with suppress(*_JVM_GONE):
        query.stop()
        job.close()

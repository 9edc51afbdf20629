"""The driver of a host: started while its first members are taken up, and theirs to wait for."""

import threading
from concurrent.futures import Future
from contextlib import AbstractContextManager, suppress
from pathlib import Path

from pyspark.sql import SparkSession

from frazil.contracts.assignment import Assignment
from frazil.contracts.hosting import Hosting
from frazil.runtime import logs
from frazil.runtime.hiding import Hiding
from frazil.worker.board import StatusBoard
from frazil.worker.connector import Jobs
from frazil.worker.drive import run_job
from frazil.worker.job import Errand, Job
from frazil.worker.jvm import Jvm, running_jvm
from frazil.worker.jvm_errors import JVM_GONE
from frazil.worker.session import job_tag, join_session, open_session
from frazil.worker.settings import WorkerSettings

log = logs.get_logger(__name__)

_LOOK_SECONDS = 0.5


class Driver:
    """One JVM: members of a group share Spark in it, one that comes alone starts its own."""

    def __init__(
        self,
        settings: WorkerSettings,
        folder: Path,
        hosting: Hosting,
        jobs: Jobs,
        *,
        hiding: Hiding,
    ) -> None:
        self._settings = settings
        self._folder = folder
        self._hosting = hosting
        self._jobs = jobs
        self._hiding = hiding
        self._over = threading.Event()
        self._ready: Future[tuple[Jvm, SparkSession | None]] = Future()
        self._thread = threading.Thread(target=self._run, name="driver")

    def start(self) -> None:
        self._thread.start()

    def end(self) -> None:
        self._over.set()
        self._thread.join()

    @property
    def has_ended(self) -> bool:
        """Tell whether it is gone, or never came up."""
        return not self._thread.is_alive()

    def work(self, assignment: Assignment, board: StatusBoard, stop: threading.Event) -> None:
        """Do a member's work, in its thread."""
        job = self._jobs.make(assignment, board)
        jvm, shared = self._ready.result()
        with jvm.explained(), self._session(job, jvm, shared, assignment.connector) as spark:
            run_job(job, spark, board, stop)

    def cancel(self, connector: str) -> None:
        """End what Spark is doing for one connector, if it is doing anything at all."""
        if not self._ready.done() or self.has_ended:
            return
        _, shared = self._ready.result()
        if shared is not None:
            with suppress(*JVM_GONE):
                shared.sparkContext.cancelJobsWithTag(job_tag(connector))

    def _session(
        self, job: Job | Errand, jvm: Jvm, shared: SparkSession | None, name: str
    ) -> AbstractContextManager[SparkSession]:
        if shared is None:
            return open_session(jvm.gateway, job.spark_conf)
        return join_session(shared, name, job.spark_conf)

    def _run(self) -> None:
        try:
            memory = self._hosting.memory
            with running_jvm(self._settings, self._folder, memory, hiding=self._hiding) as jvm:
                self._serve(jvm)
        except Exception as error:
            # Members that wait for it tell of it; those that it ended under know by themselves.
            log.exception("driver_failed", group=self._hosting.group)
            if not self._ready.done():
                self._ready.set_exception(error)

    def _serve(self, jvm: Jvm) -> None:
        with jvm.explained(), open_session(jvm.gateway, self._conf) as spark:
            shared = spark if self._hosting.group is not None else None
            if shared is None:
                self._warm_up(spark)
                spark.stop()
            log.info("driver_ready", group=self._hosting.group)
            self._ready.set_result((jvm, shared))
            while not (jvm.has_ended() or self._over.wait(_LOOK_SECONDS)):
                pass

    def _warm_up(self, spark: SparkSession) -> None:
        """Do what every connector begins with, while nobody waits for it."""
        try:
            self._jobs.warm_up(spark)
        except Exception as error:  # noqa: BLE001 (the connector that comes is slower, no more)
            log.warning("not_warmed_up", why=str(error))

    @property
    def _conf(self) -> dict[str, str]:
        return {
            "spark.app.name": self._hosting.group or "waiting",
            # One more than its members want, so that looking after tables takes none from them.
            "spark.master": f"local[{self._hosting.cores + 1}]",
            # Members take turns, whoever came first.
            "spark.scheduler.mode": "FAIR",
        }

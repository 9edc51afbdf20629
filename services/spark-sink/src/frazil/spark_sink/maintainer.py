"""Looks after the stores of a connector, one after the other, on a thread beside the stream."""

import threading
import time
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from datetime import UTC, datetime

from pyspark.sql import SparkSession
from pyspark.util import inheritable_thread_target

from frazil.contracts.worker_status import MaintenanceStatus
from frazil.runtime import metrics
from frazil.runtime.contexts import in_this_context
from frazil.runtime.logs import get_logger
from frazil.spark_sink.core.maintenance import rest_after_step
from frazil.spark_sink.store import Maintenance, OpenMaintenance
from frazil.worker.bridge import enter_session
from frazil.worker.errors import WorkerError
from frazil.worker.jvm_errors import JAVA_ERRORS, java_message

log = get_logger(__name__)

_PAUSE_SECONDS = 5.0
_TROUBLE_SECONDS = 300
_CLOSE_SECONDS = 10
_CANCEL_SECONDS = 0.5
# By it Spark's jobs are found that have to end with the thread.
_TAG = "frazil-maintenance"


class Maintainer:
    """What it fails at is told and tried again later: it never ends the stream.

    `names` are the stores to look after, none while there is no time for it; `stream` is what
    whoever writes to them has to hold.
    """

    def __init__(
        self,
        spark: SparkSession,
        open_maintenance: OpenMaintenance,
        *,
        connector: str,
        budget: float,
        names: Callable[[], Sequence[str]],
        stream: AbstractContextManager[object],
    ) -> None:
        self._spark = spark
        self._open = open_maintenance
        self._connector = connector
        self._budget = budget
        self._names = names
        self._stream = stream
        self._opened: dict[str, Maintenance] = {}
        self._not_before: dict[str, float] = {}
        self._turns = 0
        self._stop = threading.Event()
        self.statuses: dict[str, MaintenanceStatus] = {}
        work = inheritable_thread_target(spark)(in_this_context(self._run))
        self._thread = threading.Thread(target=work, name="maintenance", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """End with the step at hand: nothing of it is committed then."""
        self._stop.set()
        deadline = time.monotonic() + _CLOSE_SECONDS
        while self._thread.is_alive() and time.monotonic() < deadline:
            self._spark.sparkContext.cancelJobsWithTag(_TAG)
            self._thread.join(timeout=_CANCEL_SECONDS)

    def _run(self) -> None:
        enter_session(self._spark)
        self._spark.sparkContext.addJobTag(_TAG)
        rest = _PAUSE_SECONDS
        while not self._stop.wait(rest):
            rest = max(_PAUSE_SECONDS, rest_after_step(self._turn(), self._budget))

    def _turn(self) -> float:
        """Look after the next store, and return the seconds that it took."""
        begun = time.monotonic()
        due = [name for name in self._names() if self._not_before.get(name, 0) <= begun]
        if not due:
            return 0.0
        self._turns += 1
        name = due[self._turns % len(due)]
        if name not in self._opened:
            self._opened[name] = self._open(name, self._stream)
        trouble, did_something = self._look_after(name)
        took = time.monotonic() - begun
        self._tell(name, took, trouble=trouble, did_something=did_something)
        return took

    def _look_after(self, name: str) -> tuple[str | None, bool]:
        try:
            return None, self._opened[name].turn()
        except (*JAVA_ERRORS, WorkerError) as error:
            if self._stop.is_set():
                return None, False
            why = str(error) if isinstance(error, WorkerError) else java_message(error)
        self._not_before[name] = time.monotonic() + _TROUBLE_SECONDS
        trouble = why.partition("\n")[0]
        log.warning("maintenance_failed", table=name, why=trouble)
        return trouble, False

    def _tell(self, name: str, took: float, *, trouble: str | None, did_something: bool) -> None:
        metrics.SINK_MAINTENANCE_SECONDS.labels(self._connector).inc(took)
        before = self.statuses.get(name, MaintenanceStatus())
        self.statuses[name] = self._opened[name].status.model_copy(
            update={
                "seconds": round(before.seconds + took, 3),
                "last_step": datetime.now(UTC) if did_something else before.last_step,
                "trouble": trouble,
            }
        )

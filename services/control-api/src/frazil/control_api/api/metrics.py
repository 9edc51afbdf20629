"""What there is to measure, for Prometheus: what was counted, and what is read at this moment."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain

from fastapi import APIRouter, Response
from fastapi.responses import PlainTextResponse
from prometheus_client import CONTENT_TYPE_LATEST, generate_latest
from prometheus_client.metrics_core import Metric

from frazil.contracts.plugins.reading import plugin_of
from frazil.contracts.states import ConnectState
from frazil.contracts.worker_status import MaintenanceStatus, WorkerStatus
from frazil.control_api.api.deps import GaugesNow, Insights, Service
from frazil.control_api.core.condition import Condition
from frazil.control_api.core.connector import Connector
from frazil.control_api.core.health import Gauges
from frazil.control_api.core.states import PublicState, public_state, task_ids
from frazil.runtime import metrics
from frazil.runtime.metrics import Reading

router = APIRouter()

_Sample = tuple[tuple[str, ...], float]

_TASKS_BY_STATE = {
    ConnectState.RUNNING: metrics.CONNECT_RUNNING_TASKS,
    ConnectState.FAILED: metrics.CONNECT_FAILED_TASKS,
    ConnectState.PAUSED: metrics.CONNECT_PAUSED_TASKS,
    ConnectState.UNASSIGNED: metrics.CONNECT_UNASSIGNED_TASKS,
}
_FIGURES: dict[Reading, Callable[[WorkerStatus], float | None]] = {
    metrics.CONNECTOR_RECORDS: lambda status: status.records,
    metrics.CONNECTOR_DEAD: lambda status: status.dead,
    metrics.CONNECTOR_NULLED: lambda status: status.nulled,
    metrics.CONNECTOR_COMMITS: lambda status: status.commits,
    metrics.CONNECTOR_LAG: lambda status: status.lag,
    metrics.CONNECTOR_FRESHNESS: lambda status: status.freshness_seconds,
    metrics.CONNECTOR_COMMIT_SECONDS: lambda status: status.commit_seconds,
    metrics.CONNECTOR_VALID_THROUGH: lambda status: (
        status.valid_through.timestamp() if status.valid_through else None
    ),
    metrics.CONNECTOR_LAST_COMMIT: lambda status: (
        status.last_commit.timestamp() if status.last_commit else None
    ),
}

_OF_TABLES: dict[Reading, Callable[[MaintenanceStatus], int | None]] = {
    metrics.TABLE_FILES: lambda table: table.files,
    metrics.TABLE_MEDIAN_FILE_BYTES: lambda table: table.median_file_bytes,
    metrics.TABLE_SNAPSHOTS: lambda table: table.snapshots,
    metrics.TABLE_MERGED: lambda table: table.merged_files,
}


@router.get("/metrics", response_class=PlainTextResponse)
def get_metrics(service: Service, insight: Insights, gauges: GaugesNow) -> Response:
    """Answer in Prometheus's text format, whatever is accepted."""
    seen = [_Seen.of(one, insight.glance(one)) for one in service.all()]
    text = generate_latest() + generate_latest(_Readings(seen, gauges))
    return Response(text, media_type=CONTENT_TYPE_LATEST)


@dataclass(frozen=True)
class _Seen:
    """A connector as it is at the moment of the question."""

    name: str
    class_name: str
    state: PublicState
    tasks: int
    condition: Condition

    @classmethod
    def of(cls, connector: Connector, condition: Condition) -> "_Seen":
        plugin = plugin_of(connector.config)
        # All names of a class are one; of classes that are gone there may be any number.
        class_name = plugin.class_name if plugin else "unknown"
        tasks = len(task_ids(connector))
        return cls(connector.name, class_name, public_state(connector), tasks, condition)

    @property
    def status(self) -> WorkerStatus | None:
        """The last words of its worker while that lives: those of a dead one are history."""
        worker = self.condition.worker
        return worker.status if worker is not None and worker.alive else None


class _Readings:
    def __init__(self, seen: Sequence[_Seen], gauges: Gauges) -> None:
        self._seen = seen
        self._gauges = gauges

    def collect(self) -> Iterator[Metric]:
        yield from self._server()
        yield from self._connect()
        for reading, samples in chain(self._connectors(), self._tables()):
            yield _family(reading, samples)

    def _server(self) -> Iterator[Metric]:
        counts = Counter((one.state.connector.value, one.class_name) for one in self._seen)
        yield _family(metrics.CONNECTORS, counts.items())
        tasks: Counter[tuple[str]] = Counter()
        for one in self._seen:
            if one.state.task:
                tasks[(one.state.task.value,)] += one.tasks
        yield _family(metrics.TASKS, tasks.items())
        yield _family(metrics.QUEUE, [((), self._gauges.queued)])
        yield _family(metrics.ENGINE_TROUBLE, [((), float(self._gauges.trouble is not None))])
        yield _family(metrics.LEADER, [((), float(self._gauges.leads))])

    def _connect(self) -> Iterator[Metric]:
        """Yield what Connect's own figures would be, in its exporters' spelling."""
        yield _family(metrics.CONNECT_CONNECTORS, [((), len(self._seen))])
        yield _family(metrics.CONNECT_TASKS, [((), sum(one.tasks for one in self._seen))])
        yield _family(
            metrics.CONNECT_STATUS,
            (((one.name, one.state.connector.lower()), 1) for one in self._seen),
        )
        yield _family(
            metrics.CONNECT_TASK_STATUS,
            (
                ((one.name, str(task), one.state.task.lower()), 1)
                for one in self._seen
                if one.state.task
                for task in range(one.tasks)
            ),
        )
        for state, reading in _TASKS_BY_STATE.items():
            yield _family(
                reading,
                (((one.name,), one.tasks if one.state.task is state else 0) for one in self._seen),
            )

    def _connectors(self) -> Iterator[tuple[Reading, Iterable[_Sample]]]:
        yield (
            metrics.CONNECTOR_HEALTHY,
            [((one.name,), float(one.condition.healthy)) for one in self._seen],
        )
        yield (
            metrics.CONNECTOR_FAILURES,
            [((one.name,), one.condition.failures) for one in self._seen],
        )
        for reading, figure in _FIGURES.items():
            told = [(one.name, figure(one.status)) for one in self._seen if one.status]
            yield reading, [((name,), value) for name, value in told if value is not None]

    def _tables(self) -> Iterator[tuple[Reading, Iterable[_Sample]]]:
        kept = [
            ((one.name, name), table.maintenance)
            for one in self._seen
            for name, table in (one.status.tables.items() if one.status else ())
        ]
        for reading, of_table in _OF_TABLES.items():
            seen = [(labels, of_table(table)) for labels, table in kept if table]
            yield reading, [(labels, value) for labels, value in seen if value is not None]


def _family(reading: Reading, samples: Iterable[_Sample]) -> Metric:
    family = reading.family()
    for labels, value in samples:
        family.add_metric(labels, value)
    return family

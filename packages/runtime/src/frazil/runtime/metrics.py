"""Every metric of the house, named in one place; labels are bounded.

Some are counted where things happen. Others are `Reading`s, taken at the moment of the question:
of connectors that are gone nothing stays behind. `connector` labels have a value a connector.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

from prometheus_client import Counter, Gauge, Histogram
from prometheus_client.metrics import MetricWrapperBase
from prometheus_client.metrics_core import (
    CounterMetricFamily,
    GaugeMetricFamily,
    UntypedMetricFamily,
)

HTTP_SECONDS = Histogram(
    "frazil_http_request_seconds",
    "Time until a REST call is answered, or a stream begins.",
    ["method", "route", "status"],
)
RECONCILES = Counter("frazil_reconciles_total", "Passes of the reconciler.", ["action"])
RECONCILE_SECONDS = Histogram("frazil_reconcile_seconds", "Time of a pass of the reconciler.")
WORKER_STARTS = Counter("frazil_worker_starts_total", "Workers started.")
WORKER_RESTARTS = Counter(
    "frazil_worker_restarts_total", "Workers started in the place of an earlier one."
)

SINK_RECORDS = Counter("frazil_sink_records_total", "Rows committed to tables.", ["connector"])
SINK_DEAD = Counter("frazil_sink_dead_total", "Records that could not be written.", ["connector"])
SINK_NULLED = Counter(
    "frazil_sink_nulled_total", "Rows without a value that is in a dead letter.", ["connector"]
)
SINK_ASTRAY = Counter("frazil_sink_astray_total", "Records for no table.", ["connector"])
SINK_COMMITS = Counter("frazil_sink_commits_total", "Commits to tables.", ["connector"])
SINK_COMMIT_SECONDS = Histogram(
    "frazil_sink_commit_seconds", "Time of a batch, from plan to commit.", ["connector"]
)
SINK_MAINTENANCE_SECONDS = Counter(
    "frazil_sink_maintenance_seconds_total", "Time spent looking after tables.", ["connector"]
)
SINK_LAG = Gauge(
    "frazil_sink_lag_records",
    "Records not yet committed; the most that any table lacks, be it paused.",
    ["connector"],
)

SOURCE_RECORDS = Counter("frazil_source_records_total", "Records sent to topics.", ["connector"])
SOURCE_COMMITS = Counter("frazil_source_commits_total", "Transactions committed.", ["connector"])
SOURCE_COMMIT_SECONDS = Histogram(
    "frazil_source_commit_seconds", "Time of a transaction, from records to commit.", ["connector"]
)

CATALOG_COMMITS = Counter(
    "frazil_catalog_commits_total",
    "Commits to tables and views; the outcome is `done`, or the error's type.",
    ["outcome"],
)
CATALOG_COMMIT_SECONDS = Histogram(
    "frazil_catalog_commit_seconds", "Time of a commit, lost races included."
)
CATALOG_RACES = Counter(
    "frazil_catalog_races_total", "Commits made anew, for another one was faster."
)
CATALOG_REFUSALS = Counter(
    "frazil_catalog_refusals_total", "Requests answered with 401 or 403.", ["reason"]
)


Family = CounterMetricFamily | GaugeMetricFamily | UntypedMetricFamily
_FAMILIES: dict[str, type[Family]] = {
    "counter": CounterMetricFamily,
    "gauge": GaugeMetricFamily,
    "untyped": UntypedMetricFamily,
}
# Only a histogram or a summary may have a `_count`; of these names others are, and have no type.
_TYPES = {"_total": "counter", "_count": "untyped"}


@dataclass(frozen=True)
class Reading:
    name: str
    documentation: str
    labels: tuple[str, ...] = ()

    @property
    def type(self) -> str:
        return next((kind for end, kind in _TYPES.items() if self.name.endswith(end)), "gauge")

    def family(self) -> Family:
        """Make it anew, without a sample yet."""
        return _FAMILIES[self.type](self.name, self.documentation, labels=self.labels)


CONNECTORS = Reading(
    "frazil_connectors", "Connectors by public state and class.", ("state", "class")
)
TASKS = Reading("frazil_tasks", "Tasks by public state.", ("state",))
QUEUE = Reading("frazil_queue_names", "Connectors that wait for a pass of the reconciler.")
ENGINE_TROUBLE = Reading("frazil_engine_trouble", "1 while the engine cannot be worked with.")
LEADER = Reading("frazil_leader", "1 if this process reconciles, 0 if it only serves.")

# The names that the exporters for Kafka Connect's JMX have made common.
CONNECT_CONNECTORS = Reading("kafka_connect_worker_connector_count", "Connectors.")
CONNECT_TASKS = Reading("kafka_connect_worker_task_count", "Tasks of all connectors.")
CONNECT_STATUS = Reading(
    "kafka_connect_connector_status", "1 for the state that it is in.", ("connector", "status")
)
CONNECT_TASK_STATUS = Reading(
    "kafka_connect_connector_task_status",
    "1 for the state that the task is in.",
    ("connector", "task", "status"),
)
CONNECT_RUNNING_TASKS = Reading(
    "kafka_connect_worker_connector_running_task_count", "Its running tasks.", ("connector",)
)
CONNECT_FAILED_TASKS = Reading(
    "kafka_connect_worker_connector_failed_task_count", "Its failed tasks.", ("connector",)
)
CONNECT_PAUSED_TASKS = Reading(
    "kafka_connect_worker_connector_paused_task_count", "Its paused tasks.", ("connector",)
)
CONNECT_UNASSIGNED_TASKS = Reading(
    "kafka_connect_worker_connector_unassigned_task_count",
    "Its tasks that wait for a worker.",
    ("connector",),
)

# Of each connector, as its living worker told the reconciler last.
CONNECTOR_HEALTHY = Reading(
    "kafka_connector_healthy", "1 if its health is good, as `/health` tells it.", ("connector",)
)
CONNECTOR_FAILURES = Reading(
    "kafka_connector_failures", "Runs in a row that ended without progress.", ("connector",)
)
CONNECTOR_RECORDS = Reading(
    "kafka_connector_records_processed_total", "Rows committed by this worker.", ("connector",)
)
CONNECTOR_DEAD = Reading(
    "kafka_connector_records_failed_total",
    "Records that this worker could not write.",
    ("connector",),
)
CONNECTOR_NULLED = Reading(
    "kafka_connector_records_nulled_total",
    "Rows of this worker without a value that is in a dead letter.",
    ("connector",),
)
CONNECTOR_COMMITS = Reading(
    "kafka_connector_commits_total", "Commits of this worker.", ("connector",)
)
CONNECTOR_LAG = Reading(
    "kafka_connector_lag_records",
    "Records not yet committed; the most that any table lacks, be it paused.",
    ("connector",),
)
CONNECTOR_FRESHNESS = Reading(
    "kafka_connector_freshness_seconds", "Age of the newest record at its commit.", ("connector",)
)
CONNECTOR_COMMIT_SECONDS = Reading(
    "kafka_connector_commit_seconds", "Time of the last commit's batch.", ("connector",)
)
CONNECTOR_VALID_THROUGH = Reading(
    "kafka_connector_valid_through_timestamp_seconds",
    "Records older than this, since 1970, are all in the tables.",
    ("connector",),
)
CONNECTOR_LAST_COMMIT = Reading(
    "kafka_connector_last_commit_timestamp_seconds", "When it was, since 1970.", ("connector",)
)

# Of each table that its sink looks after.
TABLE_FILES = Reading(
    "kafka_connector_table_files", "Data files of the table.", ("connector", "table")
)
TABLE_MEDIAN_FILE_BYTES = Reading(
    "kafka_connector_table_median_file_bytes",
    "Half of the table's files are this large or larger.",
    ("connector", "table"),
)
TABLE_SNAPSHOTS = Reading(
    "kafka_connector_table_snapshots", "Snapshots of the table.", ("connector", "table")
)
TABLE_MERGED = Reading(
    "kafka_connector_table_merged_files_total",
    "Files that this worker has put together.",
    ("connector", "table"),
)


class Declared(NamedTuple):
    name: str
    type: str
    labels: tuple[str, ...]
    documentation: str


def declared() -> Iterator[Declared]:
    """Yield all of the above, for the reference page and for the test of what is exposed."""
    for one in globals().copy().values():
        if isinstance(one, Reading):
            yield Declared(one.name, one.type, one.labels, one.documentation)
        elif isinstance(one, MetricWrapperBase):
            family = next(iter(one.describe()))
            suffix = "_total" if family.type == "counter" else ""
            labels = tuple(one._labelnames)  # noqa: SLF001 (nothing public tells them)
            yield Declared(f"{family.name}{suffix}", family.type, labels, family.documentation)

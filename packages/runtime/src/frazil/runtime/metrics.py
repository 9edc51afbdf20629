"""Every metric of the house, named in one place; labels are bounded."""

from prometheus_client import Counter, Gauge, Histogram

HTTP_SECONDS = Histogram(
    "frazil_http_request_seconds", "Time to answer a REST call.", ["method", "route", "status"]
)
RECONCILES = Counter("frazil_reconciles_total", "Passes of the reconciler.", ["action"])
CONNECTORS = Gauge("frazil_connectors", "Connectors by public state.", ["state"])
WORKER_STARTS = Counter("frazil_worker_starts_total", "Workers started.")

SINK_RECORDS = Counter("frazil_sink_records_total", "Rows committed to tables.", ["connector"])
SINK_DEAD = Counter("frazil_sink_dead_total", "Records that could not be written.", ["connector"])
SINK_COMMITS = Counter("frazil_sink_commits_total", "Commits to tables.", ["connector"])
SINK_COMMIT_SECONDS = Histogram(
    "frazil_sink_commit_seconds", "Time of a batch, from plan to commit.", ["connector"]
)
SINK_LAG = Gauge("frazil_sink_lag_records", "Records not yet committed.", ["connector"])

"""How a connector is, and what a person can do about it: a function of what is wanted and seen."""

from dataclasses import dataclass
from typing import NamedTuple

from frazil.contracts.plugins.reading import commit_interval_seconds
from frazil.contracts.states import ConnectState, TableState, Target
from frazil.contracts.worker_status import WorkerStatus
from frazil.control_api.core.connector import Connector, Observed, Phase
from frazil.control_api.core.observation import Observation, Worker
from frazil.control_api.core.states import public_state

_SILENT_AFTER = 10.0
_STALLED_AFTER = 300.0  # beyond the pause that the connector itself keeps between two commits
_CURES = {
    TableState.FAILED: "Mend the cause, then restart the connector",
    TableState.WAITING: "Approve or refuse them",
}


@dataclass(frozen=True, slots=True)
class Condition:
    """`since` is when the state was entered; `worker` is the one of the last start, if it is known.

    `trouble` is the engine's: what is shown beside it was seen before.
    """

    state: ConnectState
    healthy: bool
    reason: str
    since: float
    epoch: int
    failures: int
    next_retry_at: float | None
    worker: Worker | None
    trouble: str | None


class _Verdict(NamedTuple):
    healthy: bool
    reason: str


def condition(
    connector: Connector, observation: Observation | None, now: float, *, trouble: str | None
) -> Condition:
    """Judge a connector that is not deleted; no observation means that nobody has looked yet."""
    seen = connector.observed
    verdict = _settled(connector, now) or _unsettled(connector, observation, now, trouble=trouble)
    return Condition(
        state=public_state(connector).overall,
        healthy=verdict.healthy,
        reason=verdict.reason,
        since=seen.since,
        epoch=seen.epoch,
        failures=seen.failures,
        next_retry_at=seen.retry_at if seen.phase is Phase.WAITING else None,
        worker=observation.worker(seen.epoch) if observation else None,
        trouble=trouble,
    )


def _settled(connector: Connector, now: float) -> _Verdict | None:
    """Judge what needs no worker: it is so whatever the engine says."""
    match public_state(connector).overall:
        case ConnectState.FAILED:
            return _Verdict(healthy=False, reason=_failure(connector.observed, now))
        case ConnectState.STOPPED:
            return _Verdict(healthy=True, reason="Stopped, as wished; a resume starts it.")
        case ConnectState.PAUSED:
            return _Verdict(healthy=True, reason="Paused, as wished; a resume starts it.")
        case _:
            return None


def _failure(seen: Observed, now: float) -> str:
    cause = _cause(seen.trace)
    if seen.phase is Phase.WAITING:
        wait = max(seen.retry_at - now, 0.0)
        return f"{cause} It is started again in {wait:.0f} s; {_failures(seen.failures)}."
    return (
        f"{cause} It is not started again by itself: mend the cause, then restart the connector "
        "or change its configuration."
    )


def _cause(trace: str | None) -> str:
    """Return the first sentence of a trace, without the class of its exception."""
    line = (trace or "It failed, and nothing is known of why").partition("\n")[0]
    name, colon, sentence = line.partition(": ")
    text = sentence if colon and " " not in name else line
    return f"{text.rstrip('.')}."


def _failures(count: int) -> str:
    return "it has failed once" if count == 1 else f"it has failed {count} times in a row"


def _unsettled(
    connector: Connector, observation: Observation | None, now: float, *, trouble: str | None
) -> _Verdict:
    if trouble is not None:
        reason = f"The engine cannot be worked with: {trouble.rstrip('.')}."
        return _Verdict(healthy=False, reason=f"{reason} The state is the one seen before.")
    seen = connector.observed
    if connector.target is not Target.RUNNING:
        return _Verdict(healthy=True, reason="Its worker is ending, as wished.")
    match seen.phase:
        case Phase.STARTING:
            return _starting(seen, observation, now)
        case Phase.STOPPING:
            return _Verdict(healthy=True, reason="Its worker is ending; then a new one is started.")
        case Phase.RUNNING if observation is not None:
            return _running(connector, observation.worker(seen.epoch), now)
        case Phase.RUNNING:
            return _Verdict(healthy=True, reason="Running when last seen.")
        case _:
            return _Verdict(healthy=True, reason="Waits for its worker to be started.")


def _starting(seen: Observed, observation: Observation | None, now: float) -> _Verdict:
    preparing = observation.preparing if observation else None
    step = f" ({preparing})" if preparing else ""
    reason = f"Its worker has been starting for {now - seen.since:.0f} s{step}"
    if seen.failures:
        return _Verdict(healthy=False, reason=f"{reason}; {_failures(seen.failures)}.")
    return _Verdict(healthy=True, reason=f"{reason}.")


def _running(connector: Connector, worker: Worker | None, now: float) -> _Verdict:
    if worker is None or not worker.alive:
        return _Verdict(healthy=False, reason="Its worker has ended; it is about to be dealt with.")
    if worker.silent_for > _SILENT_AFTER:
        reason = f"Its worker has not answered for {worker.silent_for:.0f} s"
        return _Verdict(healthy=False, reason=f"{reason}; if it stays silent it is started anew.")
    for state, cure in _CURES.items():
        if (left := _left_tables(worker.status, state)) is not None:
            reason = f"{left} {cure}; it goes on where the table was left."
            return _Verdict(healthy=False, reason=reason)
    lag = worker.status.lag if worker.status else None
    idle = _idle(connector.observed, worker.status, now)
    waiting = (lag or 0) - _left_behind(worker.status)
    if waiting > 0 and idle > _STALLED_AFTER + commit_interval_seconds(connector.config):
        return _Verdict(
            healthy=False,
            reason=f"{waiting} records wait and nothing was committed for {idle:.0f} s: look at "
            "the worker's logs, then restart the connector.",
        )
    behind = "" if lag is None else f", {lag} records behind"
    side = connector.rewind.side if connector.rewind else None
    where = f" Rows go to branch {side} until it is published or dropped." if side else ""
    return _Verdict(healthy=True, reason=f"Running{behind}.{where}")


def _left_behind(status: WorkerStatus | None) -> int:
    """Count the records that tables lack because they were left: nobody is late with those."""
    return max((table.behind for table in status.tables.values()), default=0) if status else 0


def _left_tables(status: WorkerStatus | None, state: TableState) -> str | None:
    tables = status.tables if status else {}
    left = [name for name, table in tables.items() if table.state is state]
    if not left:
        return None
    more = f" and {len(left) - 1} more" if len(left) > 1 else ""
    return f"Table {left[0]}{more} was set aside, others go on: {_cause(tables[left[0]].trace)}"


def _idle(seen: Observed, status: WorkerStatus | None, now: float) -> float:
    """Seconds since the last commit of this run, or since it runs if there was none."""
    committed = status.last_commit if status else None
    return now - max(seen.since, committed.timestamp() if committed else 0.0)

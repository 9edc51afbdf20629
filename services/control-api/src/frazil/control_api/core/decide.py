"""What to do next about one connector: a function of what is wanted, what is there, and the time.

Level-triggered: it looks at nothing but the present, so a pass may die at any instruction and the
next one goes on from what is really there. What it returns is recorded first and done second.
"""

from dataclasses import dataclass, replace
from enum import StrEnum

from frazil.contracts.states import Target, WorkerState
from frazil.contracts.worker_status import WorkerStatus
from frazil.control_api.core.connector import Connector, Observed, Phase
from frazil.control_api.core.ending import Ending, ending_of, make_trace
from frazil.control_api.core.observation import Observation, Worker
from frazil.control_api.core.policy import Policy
from frazil.control_api.core.topics import track


class Do(StrEnum):
    NOTHING = "NOTHING"
    WAIT = "WAIT"  # for the turn to start
    START = "START"
    STOP = "STOP"
    KILL = "KILL"
    REMOVE = "REMOVE"


@dataclass(frozen=True, slots=True)
class Action:
    """Record `observed`, then do it to `epochs`; look again after some seconds (None: no need)."""

    do: Do
    observed: Observed
    why: str
    after: float | None = None
    epochs: tuple[int, ...] = ()


def decide(
    connector: Connector, observation: Observation, now: float, *, policy: Policy, starting: int
) -> Action:
    """Choose one step; `starting` counts the others whose starts are to be waited for."""
    connector, policy = _informed(connector, observation), policy.of(connector.config)
    seen, living = connector.observed, observation.living
    if any(worker.epoch != seen.epoch for worker in living):
        # Whoever they are, nothing of ours may start or go on beside them.
        return _end(seen, living, now, policy=policy, why="a worker of another epoch lives")
    if living:
        return _decide_living(connector, living[0], now, policy)
    dead = observation.worker(seen.epoch)
    match connector.target:
        case Target.DELETED:
            return Action(Do.REMOVE, seen, "deleted, and no worker lives")
        case Target.STOPPED:
            return _settle(seen, Phase.NONE, now)
        case Target.PAUSED:
            return _decide_paused(connector, now)
        case Target.RUNNING if observation.preparing and _is_being_started(connector):
            return Action(Do.NOTHING, seen, observation.preparing, policy.look_soon)
        case Target.RUNNING:
            return _decide_revival(connector, dead, now, policy=policy, starting=starting)


def _informed(connector: Connector, observation: Observation) -> Connector:
    """Note what the last worker told, in whatever state it is by now."""
    worker = observation.worker(connector.observed.epoch)
    if worker is None or worker.status is None:
        return connector
    seen = track(connector, worker.status.position)
    observed = replace(seen, rewind=max(seen.rewind, worker.status.rewind))
    return replace(connector, observed=observed)


def _decide_living(connector: Connector, worker: Worker, now: float, policy: Policy) -> Action:
    seen = connector.observed
    if seen.phase is Phase.STOPPING:
        return _end(seen, (worker,), now, policy=policy, why="it was asked to stop")
    if connector.target is not Target.RUNNING:
        return _end(seen, (worker,), now, policy=policy, why=f"{connector.target} is wanted")
    if seen.generation != connector.generation:
        why = f"generation {connector.generation} is wanted, {seen.generation} runs"
        return _end(seen, (worker,), now, policy=policy, why=why)
    if seen.phase.has_failed:
        return _see_out(seen, worker, now, policy)
    if worker.status is not None and worker.status.state.is_final:
        return _fail(connector, ending_of(connector.name, worker), worker, now, policy=policy)
    complaint = _complaint(seen, worker, now, policy)
    if complaint is not None:
        ending = Ending(retriable=True, trace=make_trace(f"The worker {complaint}"))
        failed = _fail(connector, ending, worker, now, policy=policy)
        return replace(failed, do=Do.KILL, epochs=(worker.epoch,), why=complaint)
    return _watch(seen, worker, now, policy)


def _complaint(seen: Observed, worker: Worker, now: float, policy: Policy) -> str | None:
    if worker.silent_for > policy.silence_timeout:
        return f"gave no answer for {policy.silence_timeout:.0f} s and was killed"
    if seen.phase is Phase.STARTING and _starting_for(seen, worker, now) > policy.start_timeout:
        return f"did not run {policy.start_timeout:.0f} s after its start and was killed"
    return None


def _starting_for(seen: Observed, worker: Worker, now: float) -> float:
    """Count from the worker's own beginning: an engine may have had much to do before."""
    said = worker.status.since.timestamp() if worker.status else seen.since
    return now - max(seen.since, said)


def _see_out(seen: Observed, worker: Worker, now: float, policy: Policy) -> Action:
    """Wait for the death of a worker that has failed, and help it if it takes too long."""
    if now - seen.since > policy.stop_grace:
        return Action(Do.KILL, seen, "it failed and did not end", policy.look_soon, (worker.epoch,))
    return Action(Do.NOTHING, seen, "it failed and is ending", policy.look_soon)


def _watch(seen: Observed, worker: Worker, now: float, policy: Policy) -> Action:
    status = worker.status
    running = status is not None and status.state is WorkerState.RUNNING
    phase = Phase.RUNNING if running else Phase.STARTING
    failures = 0 if _has_progressed(seen, status, now, policy) else seen.failures
    observed = replace(
        seen,
        phase=phase,
        since=seen.since if phase is seen.phase else now,
        failures=failures,
        failing_since=seen.failing_since if failures else 0.0,
        trace=None,
    )
    after = policy.look_again if running else policy.look_soon
    # To ask one that does not answer takes long, and it is asked ever more rarely.
    silent_for = worker.silent_for if status is not None and status.port else 0.0
    after = max(after, min(silent_for, policy.silence_timeout / 10))
    return Action(Do.NOTHING, observed, f"the worker says {phase}", after)


def _has_progressed(
    seen: Observed, status: WorkerStatus | None, now: float, policy: Policy
) -> bool:
    committed = status is not None and status.commits > 0
    settled = seen.phase is Phase.RUNNING and now - seen.since >= policy.settled_after
    return committed or settled


def _end(
    seen: Observed, workers: tuple[Worker, ...], now: float, *, policy: Policy, why: str
) -> Action:
    epochs = tuple(worker.epoch for worker in workers)
    if seen.phase is not Phase.STOPPING:
        observed = replace(seen, phase=Phase.STOPPING, since=now)
        return Action(Do.STOP, observed, why, policy.look_soon, epochs)
    if now - seen.since > policy.stop_grace:
        return Action(Do.KILL, seen, "it did not stop in time", policy.look_soon, epochs)
    # Asked again each time: nobody knows whether the first request was made before a crash.
    return Action(Do.STOP, seen, why, policy.look_soon, epochs)


def _settle(seen: Observed, phase: Phase, now: float) -> Action:
    if seen.phase is phase:
        return Action(Do.NOTHING, seen, "as wished")
    observed = replace(
        seen, phase=phase, since=now, failures=0, failing_since=0.0, retry_at=0.0, trace=None
    )
    return Action(Do.NOTHING, observed, "no worker lives, as wished")


def _decide_paused(connector: Connector, now: float) -> Action:
    seen = connector.observed
    if seen.phase is Phase.FAILED and seen.generation == connector.generation:
        return Action(Do.NOTHING, seen, "failed; a pause does not mend it")
    return _settle(seen, Phase.NONE if seen.phase is Phase.NONE else Phase.ENDED, now)


def _decide_revival(
    connector: Connector, dead: Worker | None, now: float, *, policy: Policy, starting: int
) -> Action:
    seen = connector.observed
    resumed = seen.phase is Phase.STARTING and dead is None
    renewed = seen.generation != connector.generation
    if not resumed and not renewed:
        if seen.phase in (Phase.STARTING, Phase.RUNNING):
            return _fail(connector, ending_of(connector.name, dead), dead, now, policy=policy)
        if seen.phase is Phase.FAILED:
            return Action(Do.NOTHING, seen, "failed; a new start needs a person")
        if seen.phase is Phase.WAITING and now < seen.retry_at:
            return Action(Do.NOTHING, seen, "waits for its next start", seen.retry_at - now)
    if starting >= policy.max_starting:
        return Action(Do.WAIT, seen, "waits for others to start", policy.start_turn)
    observed = replace(
        seen,
        phase=Phase.STARTING,
        epoch=seen.epoch if resumed else _next_epoch(seen.epoch, now),
        generation=connector.generation,
        since=seen.since if resumed else now,
        failures=0 if renewed else seen.failures,
        failing_since=0.0 if renewed else seen.failing_since,
        retry_at=0.0,
        trace=None,
    )
    why = "its start is resumed" if resumed else "a worker is wanted"
    return Action(Do.START, observed, why, policy.look_soon, (observed.epoch,))


def _is_being_started(connector: Connector) -> bool:
    seen = connector.observed
    return seen.phase is Phase.STARTING and seen.generation == connector.generation


def _next_epoch(epoch: int, now: float) -> int:
    """Grow, and start from the time of day.

    So epochs go on growing when a connector is made anew or the database is lost, while the
    table's ledger still remembers the old ones.
    """
    return max(epoch + 1, int(now))


def _fail(
    connector: Connector, ending: Ending, worker: Worker | None, now: float, *, policy: Policy
) -> Action:
    seen = connector.observed
    status = worker.status if worker else None
    begins = seen.failures == 0 or _has_progressed(seen, status, now, policy)
    failures = 1 if begins else seen.failures + 1
    since = now if begins else seen.failing_since
    delay = (
        policy.retry_delay(connector.name, failures, failing_for=now - since)
        if ending.retriable
        else None
    )
    given_up = ending.retriable and delay is None
    observed = replace(
        seen,
        phase=Phase.FAILED if delay is None else Phase.WAITING,
        since=now,
        failures=failures,
        failing_since=since,
        retry_at=0.0 if delay is None else now + delay,
        trace=f"{ending.trace}\nGiven up: {failures} failures in a row without progress."
        if given_up
        else ending.trace,
    )
    why = ending.trace.partition("\n")[0]
    return Action(Do.NOTHING, observed, why, policy.look_soon if delay is None else delay)


def could_not_start(connector: Connector, reason: str, now: float, *, policy: Policy) -> Action:
    """What to record when no worker could be started."""
    name, why = connector.name, reason.rstrip(".")
    trace = make_trace(f"The worker of {name} could not be started: {why}")
    ending = Ending(retriable=True, trace=trace)
    return _fail(connector, ending, None, now, policy=policy.of(connector.config))

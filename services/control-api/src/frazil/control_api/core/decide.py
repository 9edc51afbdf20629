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


class Do(StrEnum):
    NOTHING = "NOTHING"
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
    """Choose one step; `starting` counts the other connectors whose workers are starting."""
    seen = connector.observed
    living = observation.living
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
        case Target.RUNNING:
            return _decide_revival(connector, dead, now, policy=policy, starting=starting)


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
        return _fail(seen, ending_of(connector.name, worker), worker, now, policy=policy)
    complaint = _complaint(seen, worker, now, policy)
    if complaint is not None:
        ending = Ending(retriable=True, trace=make_trace(f"The worker {complaint}"))
        failed = _fail(seen, ending, worker, now, policy=policy)
        return replace(failed, do=Do.KILL, epochs=(worker.epoch,), why=complaint)
    return _watch(seen, worker.status, now, policy)


def _complaint(seen: Observed, worker: Worker, now: float, policy: Policy) -> str | None:
    if worker.silent_for > policy.silence_timeout:
        return f"gave no answer for {policy.silence_timeout:.0f} s and was killed"
    if seen.phase is Phase.STARTING and now - seen.since > policy.start_timeout:
        return f"did not run {policy.start_timeout:.0f} s after its start and was killed"
    return None


def _see_out(seen: Observed, worker: Worker, now: float, policy: Policy) -> Action:
    """Wait for the death of a worker that has failed, and help it if it takes too long."""
    if now - seen.since > policy.stop_grace:
        return Action(Do.KILL, seen, "it failed and did not end", policy.look_soon, (worker.epoch,))
    return Action(Do.NOTHING, seen, "it failed and is ending", policy.look_soon)


def _watch(seen: Observed, status: WorkerStatus | None, now: float, policy: Policy) -> Action:
    running = status is not None and status.state is WorkerState.RUNNING
    phase = Phase.RUNNING if running else Phase.STARTING
    observed = replace(
        seen,
        phase=phase,
        since=seen.since if phase is seen.phase else now,
        failures=0 if _has_progressed(seen, status, now, policy) else seen.failures,
        trace=None,
        topics=tuple(sorted({*seen.topics, *(status.position if status else ())})),
    )
    after = policy.look_again if running else policy.look_soon
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
    observed = replace(seen, phase=phase, since=now, failures=0, trace=None)
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
            return _fail(seen, ending_of(connector.name, dead), dead, now, policy=policy)
        if seen.phase is Phase.FAILED:
            return Action(Do.NOTHING, seen, "failed; a new start needs a person")
        if seen.phase is Phase.WAITING and now < seen.retry_at:
            return Action(Do.NOTHING, seen, "waits for its next start", seen.retry_at - now)
    if starting >= policy.max_starting:
        return Action(Do.NOTHING, seen, "waits for others to start", policy.look_soon)
    observed = Observed(
        phase=Phase.STARTING,
        epoch=seen.epoch if resumed else _next_epoch(seen.epoch, now),
        generation=connector.generation,
        since=now,
        failures=0 if renewed else seen.failures,
        topics=seen.topics,
    )
    why = "its start is resumed" if resumed else "a worker is wanted"
    return Action(Do.START, observed, why, policy.look_soon, (observed.epoch,))


def _next_epoch(epoch: int, now: float) -> int:
    """Grow, and start from the time of day.

    So epochs go on growing when a connector is made anew or the database is lost, while the
    table's ledger still remembers the old ones.
    """
    return max(epoch + 1, int(now))


def _fail(
    seen: Observed, ending: Ending, worker: Worker | None, now: float, *, policy: Policy
) -> Action:
    status = worker.status if worker else None
    before = 0 if _has_progressed(seen, status, now, policy) else seen.failures
    failures = before + 1
    delay = policy.retry_delay(failures) if ending.retriable else None
    given_up = ending.retriable and delay is None
    observed = replace(
        seen,
        phase=Phase.FAILED if delay is None else Phase.WAITING,
        since=now,
        failures=failures,
        retry_at=0.0 if delay is None else now + delay,
        trace=f"{ending.trace}\nGiven up: {failures} failures in a row without progress."
        if given_up
        else ending.trace,
    )
    why = ending.trace.partition("\n")[0]
    return Action(Do.NOTHING, observed, why, policy.look_soon if delay is None else delay)


def could_not_start(
    name: str, seen: Observed, reason: str, now: float, *, policy: Policy
) -> Action:
    """What to record when the engine refused to start a worker."""
    trace = make_trace(f"The worker of {name} could not be started: {reason.rstrip('.')}")
    return _fail(seen, Ending(retriable=True, trace=trace), None, now, policy=policy)

"""How a connector is: every situation has its verdict, and a sentence that says what to do."""

from dataclasses import replace
from datetime import UTC, datetime

import pytest
from tests.support.control_api import NOW, connector, killed, living, status

from frazil.contracts.offsets import Ending, Mode, Rewind
from frazil.contracts.states import ConnectState, TableState, Target
from frazil.contracts.worker_status import TableStatus
from frazil.control_api.core.condition import Condition, condition
from frazil.control_api.core.connector import Connector, Observed, Phase
from frazil.control_api.core.observation import Observation, Worker

TRACE = "org.apache.kafka.connect.errors.ConnectException: The worker of logs crashed.\n\tat x"


def seen(phase: Phase, **more: object) -> Observed:
    return replace(Observed(phase, epoch=5, generation=1, since=NOW - 40), **more)  # type: ignore[arg-type]


def judged(
    phase: Phase,
    target: Target = Target.RUNNING,
    *,
    workers: tuple[Worker, ...] | None = (),
    trouble: str | None = None,
    interval: str | None = None,
    **more: object,
) -> Condition:
    one: Connector = connector(target=target, observed=seen(phase, **more))
    if interval is not None:
        config = {**one.config, "iceberg.control.commit.interval-ms": interval}
        one = replace(one, config=config)
    observation = None if workers is None else Observation(workers)
    return condition(one, observation, NOW, trouble=trouble)


def working(**changes: object) -> Worker:
    return Worker(5, alive=True, status=status().model_copy(update=changes))


@pytest.mark.parametrize(
    ("found", "state", "healthy", "words"),
    [
        (judged(Phase.NONE), "UNASSIGNED", True, "Waits for its worker to be started."),
        (judged(Phase.STARTING), "UNASSIGNED", True, "has been starting for 40 s."),
        (judged(Phase.STARTING, failures=2), "UNASSIGNED", False, "it has failed 2 times in a row"),
        (judged(Phase.STOPPING), "RESTARTING", True, "then a new one is started"),
        (judged(Phase.RUNNING, workers=(living(),)), "RUNNING", True, "Running."),
        (judged(Phase.RUNNING, workers=None), "RUNNING", True, "Running when last seen."),
        (judged(Phase.RUNNING), "RUNNING", False, "has ended"),
        (judged(Phase.RUNNING, workers=(killed(),)), "RUNNING", False, "has ended"),
        (judged(Phase.RUNNING, Target.PAUSED), "RUNNING", True, "is ending, as wished"),
        (judged(Phase.ENDED, Target.PAUSED), "PAUSED", True, "Paused, as wished"),
        (judged(Phase.NONE, Target.STOPPED), "STOPPED", True, "Stopped, as wished"),
        (judged(Phase.FAILED, Target.STOPPED), "STOPPED", True, "Stopped, as wished"),
        (judged(Phase.FAILED, trace=TRACE), "FAILED", False, "mend the cause"),
        (judged(Phase.FAILED, Target.PAUSED, trace=TRACE), "FAILED", False, "mend the cause"),
    ],
)
def test_every_situation_has_its_verdict(
    found: Condition, state: str, *, healthy: bool, words: str
) -> None:
    assert found.state is ConnectState(state)
    assert found.healthy is healthy
    assert words in found.reason


def test_a_failure_says_its_cause_without_java_and_when_the_next_start_is() -> None:
    found = judged(Phase.WAITING, failures=2, retry_at=NOW + 7.4, trace=TRACE)
    assert found.reason == (
        "The worker of logs crashed. It is started again in 7 s; it has failed 2 times in a row."
    )
    assert found.next_retry_at == NOW + 7.4
    assert judged(Phase.RUNNING, retry_at=NOW - 9).next_retry_at is None


@pytest.mark.parametrize(
    ("trace", "cause"),
    [
        (None, "It failed, and nothing is known of why."),
        ("KeyError: 'x'", "'x'."),
        ("Out of memory: killed", "Out of memory: killed."),
    ],
)
def test_any_trace_has_a_first_sentence(trace: str | None, cause: str) -> None:
    assert judged(Phase.FAILED, trace=trace).reason.startswith(f"{cause} It is not started")


def test_a_worker_that_does_not_answer_is_not_healthy() -> None:
    silent = replace(living(), silent_for=11.0)
    found = judged(Phase.RUNNING, workers=(silent,))
    assert not found.healthy
    assert "has not answered for 11 s" in found.reason
    assert judged(Phase.RUNNING, workers=(replace(silent, silent_for=9.0),)).healthy


def test_a_worker_that_commits_nothing_while_records_wait_is_not_healthy() -> None:
    long_ago = datetime.fromtimestamp(NOW - 700, UTC)
    stalled = working(lag=10, last_commit=long_ago)
    found = judged(Phase.RUNNING, since=NOW - 900, workers=(stalled,))
    assert not found.healthy
    assert "10 records wait and nothing was committed for 700 s" in found.reason
    assert judged(Phase.RUNNING, since=NOW - 900, workers=(working(lag=0),)).healthy


def test_what_a_paused_table_lacks_is_no_stall() -> None:
    paused = {"ns.a": TableStatus(), "ns.b": TableStatus(state=TableState.PAUSED, behind=10)}
    found = judged(Phase.RUNNING, since=NOW - 900, workers=(working(lag=10, tables=paused),))
    assert (found.healthy, found.reason) == (True, "Running, 10 records behind.")
    found = judged(Phase.RUNNING, since=NOW - 900, workers=(working(lag=12, tables=paused),))
    assert not found.healthy
    assert found.reason.startswith("2 records wait and nothing was committed")


def test_a_stall_is_counted_from_the_start_and_beyond_the_connectors_own_pause() -> None:
    waiting = (working(lag=10),)

    def is_healthy(seconds: float, interval: str | None = None) -> bool:
        since = NOW - seconds
        return judged(Phase.RUNNING, since=since, workers=waiting, interval=interval).healthy

    assert is_healthy(200, interval="0")
    assert not is_healthy(400, interval="0")
    assert is_healthy(400, interval="200000")
    # The default pause is of 300 s; a reference is read by the worker alone.
    for interval in (None, "${env:X}"):
        assert is_healthy(500, interval=interval)
        assert not is_healthy(700, interval=interval)


def test_freshness_takes_the_place_of_the_commit_interval_and_files_have_no_pause() -> None:
    one = connector(observed=seen(Phase.RUNNING, since=NOW - 400))
    observation = Observation((working(lag=10),))

    def is_healthy(**config: str) -> bool:
        changed = replace(one, config={**one.config, **config})
        return condition(changed, observation, NOW, trouble=None).healthy

    assert not is_healthy(**{"frazil.freshness.ms": "1000"})
    assert is_healthy(**{"frazil.freshness.ms": "200000"})
    assert not is_healthy(**{"connector.class": "FileStreamSink"})
    assert not is_healthy(**{"connector.class": "Gone"})


def test_a_table_that_was_set_aside_is_named_with_what_is_wrong() -> None:
    failed = TableStatus(state=TableState.FAILED, trace="It has no grant. More of it.")
    tables = {"ns.a": TableStatus(), "ns.b": failed, "ns.c": failed}
    found = judged(Phase.RUNNING, workers=(working(tables=tables),))
    assert not found.healthy
    assert found.reason == (
        "Table ns.b and 1 more was set aside, others go on: It has no grant. More of it. Mend the "
        "cause, then restart the connector; it goes on where the table was left."
    )


def test_a_lag_is_told_of_a_healthy_one() -> None:
    assert judged(Phase.RUNNING, workers=(working(lag=3),)).reason == "Running, 3 records behind."


def test_an_engine_in_trouble_is_shown_where_a_worker_matters() -> None:
    found = judged(Phase.RUNNING, workers=None, trouble="the daemon is away.")
    assert not found.healthy
    assert found.reason.startswith("The engine cannot be worked with: the daemon is away. The")
    assert judged(Phase.NONE, Target.STOPPED, trouble="the daemon is away").healthy


def test_only_the_worker_of_the_last_start_counts() -> None:
    found = judged(Phase.RUNNING, workers=(living(epoch=4),))
    assert found.worker is None
    assert not found.healthy


def test_a_side_branch_is_named_until_its_end_is_wanted() -> None:
    rewind = Rewind(number=7, mode=Mode.BRANCH, branch="side")
    for one, words in (
        (rewind, "Running. Rows go to branch side until it is published or dropped."),
        (rewind.model_copy(update={"ending": Ending.PUBLISH}), "Running."),
    ):
        running = replace(connector(observed=seen(Phase.RUNNING)), rewind=one)
        found = condition(running, Observation((living(),)), NOW, trouble=None)
        assert (found.healthy, found.reason) == (True, words)

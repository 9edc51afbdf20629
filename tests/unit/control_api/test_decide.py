"""decide(): the table of all situations, and what must hold in each."""

from collections.abc import Callable
from dataclasses import replace
from itertools import product

import pytest
from tests.support.control_api import NOW, connector, exited, killed, living

from frazil.contracts.exit_code import ExitCode
from frazil.contracts.states import Target, WorkerState
from frazil.control_api.core.connector import Observed, Phase
from frazil.control_api.core.decide import Action, Do, could_not_start, decide
from frazil.control_api.core.observation import Observation, Worker
from frazil.control_api.core.policy import Policy

POLICY = Policy()
LONG_AGO = NOW - 100.0

WORKERS: dict[str, tuple[Worker, ...]] = {
    "none": (),
    "starting": (living(WorkerState.STARTING),),
    "running": (living(),),
    "wordless": (Worker(5, alive=True),),
    "finished": (replace(living(WorkerState.STOPPED)),),
    "silent": (replace(living(), silent_for=61.0),),
    "killed": (killed(),),
    "exited": (exited(ExitCode.BAD_CONFIG, "why"),),
    "stray": (living(epoch=4),),
    "stray and killed": (living(epoch=4), killed()),
    "stray and running": (living(epoch=4), living()),
    "old and dead": (killed(epoch=4),),
}
PAIRS = list(product(Target, Phase))


def seen(phase: Phase, **more: object) -> Observed:
    since = Observed(phase=phase, epoch=5, generation=1, since=LONG_AGO)
    return replace(since, **more)  # type: ignore[arg-type]


def act(
    phase: Phase,
    workers: tuple[Worker, ...] | str = (),
    *,
    target: Target = Target.RUNNING,
    generation: int = 1,
    starting: int = 0,
    now: float = NOW,
    **more: object,
) -> Action:
    record = connector(target=target, generation=generation, observed=seen(phase, **more))
    there = WORKERS[workers] if isinstance(workers, str) else workers
    return decide(record, Observation(there), now, policy=POLICY, starting=starting)


@pytest.mark.parametrize(("target", "phase"), PAIRS)
def test_what_holds_in_every_situation(target: Target, phase: Phase) -> None:
    cases = product(WORKERS.items(), [1, 2], [0, 1], [0.0, 1000.0])
    for (there, workers), generation, starting, later in cases:
        action = act(
            phase,
            workers,
            target=target,
            generation=generation,
            starting=starting,
            now=NOW + later,
        )
        living_epochs = {worker.epoch for worker in workers if worker.alive}
        situation = (there, generation, starting, later, action)
        # Nothing is started beside something that lives, out of turn, or against a wish.
        if action.do is Do.START:
            assert not living_epochs, situation
            assert target is Target.RUNNING, situation
            assert starting < POLICY.max_starting, situation
            assert action.observed.phase is Phase.STARTING, situation
            assert action.observed.generation == generation, situation
            assert action.epochs == (action.observed.epoch,), situation
        # Only the dead are removed, and always when they are to be.
        is_gone = target is Target.DELETED and not living_epochs
        assert (action.do is Do.REMOVE) == is_gone, situation
        # What lives unwanted is ended.
        if living_epochs and (living_epochs != {5} or target is not Target.RUNNING):
            assert action.do in {Do.STOP, Do.KILL}, situation
            assert set(action.epochs) == living_epochs, situation
        # A failure has a time to try again, or needs a person; a trace has a failure.
        if action.observed.trace is not None:
            assert action.observed.phase.has_failed, situation
        # Whatever is under way is looked at again.
        if action.do in {Do.START, Do.STOP, Do.KILL}:
            assert action.after is not None, situation


@pytest.mark.parametrize(("target", "phase"), PAIRS)
def test_a_pass_that_died_between_record_and_deed_is_repeated_by_the_next(
    target: Target, phase: Phase
) -> None:
    for there, workers in WORKERS.items():
        first = act(phase, workers, target=target)
        record = connector(target=target, observed=first.observed)
        there_still = Observation(workers)
        again = decide(record, there_still, NOW, policy=POLICY, starting=0)
        if first.do in {Do.START, Do.STOP, Do.REMOVE}:
            assert (again.do, again.epochs) == (first.do, first.epochs), there
            assert again.observed == first.observed, there


class TestStarting:
    def test_a_new_connector_gets_an_epoch_that_grows_with_the_time_of_day(self) -> None:
        action = decide(connector(), Observation(), NOW, policy=POLICY, starting=0)
        assert action.do is Do.START
        assert action.observed.epoch == int(NOW)

    def test_epochs_grow_even_when_the_clock_was_set_back(self) -> None:
        record = connector(observed=Observed(phase=Phase.ENDED, epoch=int(NOW) + 50))
        action = decide(record, Observation(), NOW, policy=POLICY, starting=0)
        assert action.observed.epoch == int(NOW) + 51

    def test_a_start_that_was_recorded_and_not_done_is_resumed_under_its_epoch(self) -> None:
        action = act(Phase.STARTING, "none")
        assert (action.do, action.epochs, action.observed.failures) == (Do.START, (5,), 0)

    def test_while_another_worker_starts_it_waits_for_its_turn(self) -> None:
        action = act(Phase.NONE, starting=1)
        assert (action.do, action.observed.phase) == (Do.WAIT, Phase.NONE)
        assert action.after == POLICY.start_turn

    def test_a_living_worker_becomes_running_by_its_own_word_only(self) -> None:
        assert act(Phase.STARTING, "starting").observed.phase is Phase.STARTING
        assert act(Phase.STARTING, "wordless").observed.phase is Phase.STARTING
        assert act(Phase.STARTING, "running").observed.phase is Phase.RUNNING

    def test_one_that_does_not_get_to_run_is_killed_and_tried_again(self) -> None:
        action = act(Phase.STARTING, "starting", since=NOW - 1.0, now=NOW + 301.0)
        assert (action.do, action.observed.phase) == (Do.KILL, Phase.WAITING)
        assert "did not run 300 s after its start" in (action.observed.trace or "")

    def test_what_an_engine_does_before_there_is_a_worker_is_not_the_workers_fault(self) -> None:
        action = act(Phase.STARTING, "starting", since=NOW - 1000.0)
        assert (action.do, action.observed.phase) == (Do.NOTHING, Phase.STARTING)

    def test_a_resumed_start_began_when_it_was_first_recorded(self) -> None:
        assert act(Phase.STARTING, "none").observed.since == LONG_AGO

    def test_a_refused_start_is_a_failure_with_the_reason(self) -> None:
        record = connector(observed=seen(Phase.STARTING))
        action = could_not_start(record, "no java.", NOW, policy=POLICY)
        assert action.observed.phase is Phase.WAITING
        assert (action.observed.trace or "").endswith("could not be started: no java.")


class TestFailing:
    def test_a_killed_worker_is_started_again_at_once_under_a_new_epoch(self) -> None:
        failed = act(Phase.RUNNING, "killed")
        assert (failed.observed.phase, failed.after) == (Phase.WAITING, 0.0)
        assert "signal 9" in (failed.observed.trace or "")
        started = decide(
            connector(observed=failed.observed),
            Observation((killed(),)),
            NOW,
            policy=POLICY,
            starting=0,
        )
        assert started.do is Do.START
        assert started.observed.epoch > 5
        assert started.observed.trace is None

    def test_the_second_failure_in_a_row_waits_and_says_so(self) -> None:
        failed = act(Phase.RUNNING, "killed", failures=1)
        assert NOW + 3.75 <= failed.observed.retry_at <= NOW + 5.0
        waiting = act(Phase.WAITING, "killed", failures=2, retry_at=NOW + 4.0)
        assert (waiting.do, waiting.after) == (Do.NOTHING, 4.0)

    def test_five_failures_without_progress_are_enough(self) -> None:
        failed = act(Phase.STARTING, "killed", failures=4)
        assert failed.observed.phase is Phase.FAILED
        assert (failed.observed.trace or "").endswith(
            "Given up: 5 failures in a row without progress."
        )

    def test_a_run_that_committed_begins_a_new_row(self) -> None:
        failed = act(Phase.RUNNING, (killed(commits=1),), failures=4)
        assert (failed.observed.phase, failed.observed.failures) == (Phase.WAITING, 1)

    def test_a_run_that_lasted_counts_as_progress(self) -> None:
        lasting = act(Phase.RUNNING, "running", failures=3, since=NOW - 300.0)
        assert lasting.observed.failures == 0
        fresh = act(Phase.RUNNING, "running", failures=3, since=NOW - 299.0)
        assert fresh.observed.failures == 3

    def test_a_row_of_failures_began_with_its_first(self) -> None:
        first = act(Phase.RUNNING, "killed")
        assert first.observed.failing_since == NOW
        second = act(Phase.RUNNING, "killed", failures=1, failing_since=NOW - 9.0)
        assert second.observed.failing_since == NOW - 9.0
        mended = act(Phase.RUNNING, (living(commits=1),), failures=1, failing_since=NOW - 9.0)
        assert mended.observed.failing_since == 0.0

    def test_a_connectors_own_patience_counts_from_the_first_failure(self) -> None:
        def fail(since: float) -> Phase:
            record = connector(observed=seen(Phase.RUNNING, failures=99, failing_since=since))
            patient = replace(record, config={**record.config, "errors.retry.timeout": "100000"})
            there = Observation((killed(),))
            return decide(patient, there, NOW, policy=POLICY, starting=0).observed.phase

        assert fail(NOW - 39.0) is Phase.WAITING
        assert fail(NOW - 100.0) is Phase.FAILED

    @pytest.mark.parametrize(
        "code",
        [
            ExitCode.BAD_CONFIG,
            ExitCode.BAD_RECORD,
            ExitCode.SUPERSEDED,
            ExitCode.DATA_LOSS,
            ExitCode.BAD_TABLE,
            ExitCode.REFUSED,
        ],
    )
    def test_what_a_new_start_cannot_mend_stays_failed(self, code: ExitCode) -> None:
        failed = act(Phase.RUNNING, (exited(code, "why"),))
        assert (failed.observed.phase, failed.observed.trace) == (Phase.FAILED, "why")
        assert act(Phase.FAILED, (exited(code),), trace="why").do is Do.NOTHING

    def test_a_new_generation_starts_anew_with_a_clean_slate(self) -> None:
        started = act(Phase.FAILED, "exited", generation=2, trace="why", failures=5)
        assert (started.do, started.observed.failures) == (Do.START, 0)

    def test_a_worker_that_ended_in_peace_unasked_is_missed(self) -> None:
        assert act(Phase.RUNNING, (exited(ExitCode.OK),)).observed.phase is Phase.WAITING

    def test_a_silent_worker_is_killed_and_its_silence_is_the_reason(self) -> None:
        action = act(Phase.RUNNING, "silent")
        assert (action.do, action.epochs, action.observed.phase) == (Do.KILL, (5,), Phase.WAITING)
        assert "gave no answer for 60 s" in (action.observed.trace or "")

    def test_a_worker_that_does_not_answer_is_asked_ever_more_rarely(self) -> None:
        def after(silent_for: float) -> float | None:
            worker = living()
            assert worker.status is not None
            asked = worker.status.model_copy(update={"port": 4711})
            silent = replace(worker, status=asked, silent_for=silent_for)
            record = connector(observed=seen(Phase.RUNNING))
            return decide(record, Observation((silent,)), NOW, policy=policy, starting=0).after

        policy = Policy(look_again=1.0, silence_timeout=60.0)
        assert [after(seconds) for seconds in (0.0, 3.0, 50.0)] == [1.0, 3.0, 6.0]

    def test_last_words_count_at_once_and_the_process_gets_time_to_end(self) -> None:
        last = replace(living(WorkerState.FAILED))
        failed = act(Phase.RUNNING, (last,))
        assert failed.observed.phase is Phase.WAITING
        assert act(Phase.WAITING, (last,), since=NOW - 20.0).do is Do.NOTHING
        assert act(Phase.WAITING, (last,), since=NOW - 21.0).do is Do.KILL


class TestEnding:
    @pytest.mark.parametrize("target", [Target.PAUSED, Target.STOPPED, Target.DELETED])
    def test_a_worker_that_is_not_wanted_is_asked_then_killed(self, target: Target) -> None:
        asked = act(Phase.RUNNING, "running", target=target)
        assert (asked.do, asked.observed.phase) == (Do.STOP, Phase.STOPPING)
        assert act(Phase.STOPPING, "running", target=target, since=NOW - 20).do is Do.STOP
        assert act(Phase.STOPPING, "running", target=target, since=NOW - 21).do is Do.KILL

    def test_a_pause_leaves_a_task_and_a_stop_leaves_none(self) -> None:
        paused = act(Phase.STOPPING, "exited", target=Target.PAUSED)
        stopped = act(Phase.STOPPING, "exited", target=Target.STOPPED)
        assert (paused.observed.phase, stopped.observed.phase) == (Phase.ENDED, Phase.NONE)

    def test_a_pause_does_not_mend_a_failure_but_a_restart_clears_it(self) -> None:
        kept = act(Phase.FAILED, target=Target.PAUSED, trace="why")
        assert (kept.do, kept.observed.phase) == (Do.NOTHING, Phase.FAILED)
        cleared = act(Phase.FAILED, target=Target.PAUSED, trace="why", generation=2)
        assert (cleared.observed.phase, cleared.observed.trace) == (Phase.ENDED, None)

    def test_a_stop_forgets_a_failure(self) -> None:
        stopped = act(Phase.FAILED, target=Target.STOPPED, trace="why", failures=5)
        assert stopped.observed == seen(Phase.NONE, since=NOW)

    def test_a_changed_configuration_ends_the_run_and_the_next_is_no_failure(self) -> None:
        ended = act(Phase.RUNNING, "running", generation=2)
        assert (ended.do, ended.observed.phase) == (Do.STOP, Phase.STOPPING)
        assert act(Phase.STOPPING, "exited", generation=2).do is Do.START

    def test_a_worker_asked_to_stop_is_seen_out_even_if_it_is_wanted_again(self) -> None:
        assert act(Phase.STOPPING, "running", since=NOW).do is Do.STOP
        assert act(Phase.STOPPING, "exited").do is Do.START

    def test_beside_a_worker_of_another_epoch_nothing_goes_on(self) -> None:
        action = act(Phase.RUNNING, "stray and running")
        assert (action.do, action.epochs) == (Do.STOP, (4, 5))

    @pytest.mark.parametrize("phase", [Phase.RUNNING, Phase.STOPPING, Phase.WAITING])
    @pytest.mark.parametrize("make", [living, killed])
    def test_the_last_rewind_is_what_the_worker_told_last_dead_or_alive(
        self, phase: Phase, make: Callable[[], Worker]
    ) -> None:
        worker = make()
        assert worker.status is not None
        told = replace(worker, status=worker.status.model_copy(update={"rewind": 7}))
        assert act(phase, (told,), rewind=3).observed.rewind == 7
        assert act(phase, (told,), rewind=9).observed.rewind == 9

    def test_a_new_worker_begins_with_the_rewind_that_the_last_one_told(self) -> None:
        started = act(Phase.ENDED, rewind=7)
        assert (started.do, started.observed.rewind) == (Do.START, 7)

    def test_topics_add_up_over_runs(self) -> None:
        said = living()
        assert said.status is not None
        reading = replace(said, status=said.status.model_copy(update={"position": {"b": {0: 1}}}))
        assert act(Phase.RUNNING, (reading,), topics=("a",)).observed.topics == ("a", "b")


@pytest.mark.parametrize(
    ("phase", "generation", "done"),
    [
        (Phase.STARTING, 1, Do.NOTHING),
        (Phase.STARTING, 2, Do.START),
        (Phase.WAITING, 1, Do.START),
        (Phase.NONE, 1, Do.START),
    ],
)
def test_a_start_whose_image_is_on_its_way_is_waited_for(
    phase: Phase, generation: int, done: Do
) -> None:
    record = connector(generation=generation, observed=seen(phase))
    pulling = Observation(preparing="pulling image x:1: 43 %")
    action = decide(record, pulling, NOW, policy=POLICY, starting=0)
    assert action.do is done
    if done is Do.NOTHING:
        assert (action.observed, action.why) == (record.observed, "pulling image x:1: 43 %")
        assert action.after == POLICY.look_soon

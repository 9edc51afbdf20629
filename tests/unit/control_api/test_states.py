"""The table of public states."""

from itertools import product

import pytest
from tests.support.control_api import connector

from frazil.contracts.states import ConnectState, Target
from frazil.control_api.core.connector import Observed, Phase
from frazil.control_api.core.states import public_state

SHOWN_TARGETS = [target for target in Target if target is not Target.DELETED]
PAIRS = list(product(SHOWN_TARGETS, Phase))


def shown(target: Target, phase: Phase) -> tuple[ConnectState, ConnectState | None]:
    state = public_state(connector(target=target, observed=Observed(phase=phase)))
    return state.connector, state.task


@pytest.mark.parametrize(("target", "phase"), PAIRS)
def test_every_pair_has_a_state_and_no_task_is_ever_stopped(target: Target, phase: Phase) -> None:
    assert shown(target, phase)[1] is not ConnectState.STOPPED


@pytest.mark.parametrize(("target", "phase"), PAIRS)
def test_running_is_shown_only_while_a_worker_runs_or_is_still_ending(
    target: Target, phase: Phase
) -> None:
    is_running = shown(target, phase)[0] is ConnectState.RUNNING
    leaving = phase is Phase.STOPPING and target is not Target.RUNNING
    assert is_running == (phase is Phase.RUNNING or leaving)


@pytest.mark.parametrize("phase", [Phase.WAITING, Phase.FAILED])
def test_a_failure_is_shown_on_the_connector_and_on_its_task(phase: Phase) -> None:
    assert shown(Target.RUNNING, phase) == (ConnectState.FAILED, ConnectState.FAILED)


@pytest.mark.parametrize("phase", [Phase.WAITING, Phase.FAILED])
def test_a_pause_is_shown_on_the_connector_and_does_not_mend_its_task(phase: Phase) -> None:
    assert shown(Target.PAUSED, phase) == (ConnectState.PAUSED, ConnectState.FAILED)
    overall = public_state(connector(target=Target.PAUSED, observed=Observed(phase=phase))).overall
    assert overall is ConnectState.FAILED


@pytest.mark.parametrize("phase", [Phase.NONE, Phase.ENDED, Phase.WAITING, Phase.FAILED])
def test_a_stopped_connector_has_no_tasks(phase: Phase) -> None:
    assert shown(Target.STOPPED, phase) == (ConnectState.STOPPED, None)


def test_a_pause_keeps_the_task_of_one_that_ran_and_makes_none_for_one_that_never_did() -> None:
    assert shown(Target.PAUSED, Phase.ENDED) == (ConnectState.PAUSED, ConnectState.PAUSED)
    assert shown(Target.PAUSED, Phase.NONE) == (ConnectState.PAUSED, None)


def test_a_worker_on_its_way_to_a_new_configuration_is_restarting() -> None:
    assert shown(Target.RUNNING, Phase.STOPPING)[0] is ConnectState.RESTARTING

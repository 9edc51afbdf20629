"""The loop: killed anywhere it goes on, told of a refusal it does nothing at all."""

import pytest
from tests.support.local_state import local_state
from tests.support.provisioner_world import Told, World, apply

from frazil.provisioner.converge import plan_all
from frazil.provisioner.desired import DesiredState
from frazil.provisioner.errors import (
    NotReadyError,
    RefusedError,
    StepFailedError,
    StepNotSeenError,
    UnavailableError,
)
from frazil.provisioner.plan import Plan, TopicState

STEPS = 12


@pytest.fixture(scope="module")
def desired() -> DesiredState:
    return local_state()


@pytest.mark.parametrize("step", range(STEPS))
async def test_killed_at_any_step_a_second_run_does_only_the_rest(
    desired: DesiredState, step: int
) -> None:
    world = World(desired, fails_at=step)
    with pytest.raises(StepFailedError, match="killed"):
        await apply(world)
    assert len(world.applied) == step
    world.fails_at = None
    done = await apply(world)
    assert len(done.steps) == STEPS - step
    assert len(set(world.applied)) == len(world.applied) == STEPS


async def test_run_twice_it_changes_nothing(desired: DesiredState) -> None:
    world = World(desired)
    await apply(world)
    assert await apply(world) == Plan()
    assert len(world.applied) == STEPS


async def test_what_shows_late_is_waited_for(desired: DesiredState) -> None:
    world = World(desired, blind_looks=5)
    done = await apply(world)
    assert len(done.steps) == len(world.applied) == STEPS


async def test_what_never_shows_is_an_error_that_names_the_step(desired: DesiredState) -> None:
    world = World(desired, blind_looks=10**6)
    with pytest.raises(StepNotSeenError, match="create topic apilogs with 3 partitions"):
        await apply(world)
    assert len(world.applied) == 1


async def test_a_refusal_stops_all_before_the_first_step(desired: DesiredState) -> None:
    world = World(desired, topics={"control-iceberg": TopicState(2, 1, {})})
    with pytest.raises(RefusedError, match="cannot shrink"):
        await apply(world)
    assert world.applied == []


async def test_planning_changes_nothing(desired: DesiredState) -> None:
    world = World(desired)
    plan = await plan_all([world, world])
    assert len(plan.steps) == 2 * STEPS
    assert world.applied == []


async def test_the_journal_has_each_step_below_its_system(desired: DesiredState) -> None:
    world, told = World(desired), Told()
    await apply(world, journal=told)
    assert told.lines == ["The world answers", "The world:", *world.applied]
    await apply(world, journal=(again := Told()))
    assert again.lines == ["The world answers"]


async def test_a_step_that_failed_is_not_told_as_done(desired: DesiredState) -> None:
    told = Told()
    with pytest.raises(StepFailedError):
        await apply(World(desired, fails_at=0), journal=told)
    assert told.lines == ["The world answers", "The world:"]


async def test_a_system_that_sleeps_is_waited_for_before_any_step(desired: DesiredState) -> None:
    first, second = World(desired), World(desired, absent_looks=5)
    told = Told()
    await apply(first, second, journal=told, seconds=60)
    assert told.lines[:4] == [
        "The world answers",
        "  waiting, 0 s of at most 60 s: The world does not answer at nowhere: it sleeps.",
        "The world answers",
        "The world:",
    ]
    assert len(first.applied) == len(second.applied) == STEPS


async def test_without_patience_nothing_is_done_if_one_system_sleeps(
    desired: DesiredState,
) -> None:
    first = World(desired)
    with pytest.raises(UnavailableError, match="it sleeps"):
        await apply(first, World(desired, absent_looks=1))
    assert first.applied == []


async def test_connectors_are_waited_for_until_they_run(desired: DesiredState) -> None:
    world, told = World(desired, idle_looks=9), Told()
    done = await apply(world, journal=told, seconds=60)
    assert len(done.steps) == STEPS
    assert world.idle_looks == 0
    assert told.lines[-1] == "The world has everything at work"


async def test_without_patience_connectors_need_not_run(desired: DesiredState) -> None:
    world = World(desired, idle_looks=10**6)
    assert len((await apply(world)).steps) == STEPS


async def test_a_connector_that_never_runs_is_an_error_that_names_it(
    desired: DesiredState,
) -> None:
    with pytest.raises(NotReadyError, match="Connector iceberg-sink-apilogs is UNASSIGNED"):
        await apply(World(desired, idle_looks=10**6), seconds=0.01)

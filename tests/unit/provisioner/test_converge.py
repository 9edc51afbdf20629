"""The loop: killed anywhere it goes on, told of a refusal it does nothing at all."""

from contextlib import AbstractContextManager

import pytest
from tests.support.local_state import local_state
from tests.support.provisioner_world import World, unannounced

from frazil.provisioner.converge import apply_all, plan_all
from frazil.provisioner.desired import DesiredState
from frazil.provisioner.errors import RefusedError, StepFailedError, StepNotSeenError
from frazil.provisioner.plan import Plan, TopicState

STEPS = 12


@pytest.fixture(scope="module")
def desired() -> DesiredState:
    return local_state()


async def apply(world: World) -> Plan:
    return await apply_all([world], unannounced, pause=0)


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


async def test_steps_are_announced_one_by_one(desired: DesiredState) -> None:
    world = World(desired)
    said: list[str] = []

    def announce(sentence: str) -> AbstractContextManager[None]:
        said.append(sentence)
        return unannounced(sentence)

    await apply_all([world], announce, pause=0)
    assert said == world.applied

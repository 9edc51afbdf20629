"""The loop: look, take the first step, look again. It can be killed anywhere and run again."""

import asyncio
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from typing import Protocol

from frazil.provisioner.errors import RefusedError, StepNotSeenError
from frazil.provisioner.plan import Plan, Step

Announce = Callable[[str], AbstractContextManager[None]]

_LOOKS = 50
_PAUSE_SECONDS = 0.2


class System(Protocol):
    """One system that is provisioned."""

    async def plan(self) -> Plan:
        """Look at what is there, changing nothing, and plan what is left to do."""

    async def apply(self, step: Step) -> None:
        """Take one step of the plan; what somebody else has done meanwhile is fine."""


async def plan_all(systems: Sequence[System]) -> Plan:
    return sum([await system.plan() for system in systems], Plan())


async def apply_all(
    systems: Sequence[System], announce: Announce, *, pause: float = _PAUSE_SECONDS
) -> Plan:
    """Take every step, in order; return what has been done, and the drift that stays.

    Raises:
        RefusedError: something cannot be changed in place; no step has been taken.
    """
    plan = await plan_all(systems)
    if plan.refusals:
        raise RefusedError(plan.refusals)
    return sum([await _converge(system, announce, pause) for system in systems], Plan())


async def _converge(system: System, announce: Announce, pause: float) -> Plan:
    done: list[Step] = []
    plan = await system.plan()
    while plan.steps:
        step = plan.steps[0]
        with announce(step.sentence):
            await system.apply(step)
            plan = await _look_again(system, step, pause)
        done.append(step)
    return Plan(steps=tuple(done), drifts=plan.drifts)


async def _look_again(system: System, step: Step, pause: float) -> Plan:
    """Wait until the step is no longer asked for: brokers show what they did a bit later."""
    for _ in range(_LOOKS):
        plan = await system.plan()
        if step not in plan.steps:
            return plan
        await asyncio.sleep(pause)
    raise StepNotSeenError(step.sentence)

"""The loop: look, take the first step, look again. It can be killed anywhere and run again."""

import asyncio
from collections.abc import Sequence
from contextlib import AbstractContextManager
from typing import Protocol

from frazil.provisioner.errors import NotReadyError, RefusedError, StepNotSeenError
from frazil.provisioner.patience import Patience
from frazil.provisioner.plan import Plan, Step

_LOOKS = 50
_PAUSE_SECONDS = 0.2


class System(Protocol):
    """One system that is provisioned."""

    title: str

    async def plan(self) -> Plan:
        """Look at what is there, changing nothing, and plan what is left to do."""

    async def apply(self, step: Step) -> None:
        """Take one step of the plan; what somebody else has done meanwhile is fine."""


class Journal(Protocol):
    """Is told what happens."""

    def note(self, line: str) -> None: ...

    def step(self, sentence: str) -> AbstractContextManager[None]:
        """Last as long as what the sentence says."""


async def plan_all(systems: Sequence[System]) -> Plan:
    return sum([await system.plan() for system in systems], Plan())


async def apply_all(
    systems: Sequence[System],
    journal: Journal,
    *,
    patience: Patience,
    pause: float = _PAUSE_SECONDS,
) -> Plan:
    """Take every step, in order; return what has been done, and the drift that stays.

    Raises:
        RefusedError: something cannot be changed in place; no step has been taken.
    """
    plan = Plan()
    for system in systems:
        with journal.step(f"{system.title} answers"):
            plan += await patience.until(system.plan, journal.note)
    if plan.refusals:
        raise RefusedError(plan.refusals)
    done = [await _converge(one, journal, patience=patience, pause=pause) for one in systems]
    return sum(done, Plan())


async def _converge(system: System, journal: Journal, *, patience: Patience, pause: float) -> Plan:
    done: list[Step] = []
    plan = await system.plan()
    if plan.steps:
        journal.note(f"{system.title}:")
    while plan.steps:
        step = plan.steps[0]
        with journal.step(step.sentence):
            await system.apply(step)
            plan = await _look_again(system, step, pause)
        done.append(step)
    if patience.seconds and plan.pending:
        with journal.step(f"{system.title} has everything at work"):
            plan = await patience.until(lambda: _at_work(system), journal.note)
    return Plan(steps=tuple(done), drifts=plan.drifts)


async def _look_again(system: System, step: Step, pause: float) -> Plan:
    """Wait until the step is no longer asked for: brokers show what they did a bit later."""
    for _ in range(_LOOKS):
        plan = await system.plan()
        if step not in plan.steps:
            return plan
        await asyncio.sleep(pause)
    raise StepNotSeenError(step.sentence)


async def _at_work(system: System) -> Plan:
    plan = await system.plan()
    if plan.pending:
        raise NotReadyError("\n".join(plan.pending))
    return plan

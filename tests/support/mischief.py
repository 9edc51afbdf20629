"""Mischief for the reconciler's tests: a fake machine, and things that happen between two calls."""

import asyncio
from collections.abc import Callable
from typing import TypeVar

from frazil.contracts.assignment import Assignment
from frazil.control_api.core.observation import Worker
from frazil.control_api.engine.fake import Behaviour, FakeEngine

T = TypeVar("T")


class KilledApi(BaseException):
    """Stands for kill -9 of the control API: nothing handles it."""


def nothing() -> None:
    return None


def kill() -> None:
    raise KilledApi


class Fuse:
    """Lets something happen right before one of the next calls to the world outside."""

    def __init__(self) -> None:
        self._calls = 0
        self._happening: Callable[[], None] = nothing

    def light(self, calls: int, happening: Callable[[], None]) -> None:
        self._calls, self._happening = calls, happening

    def put_out(self) -> None:
        self._happening = nothing

    def burn(self) -> None:
        self._calls -= 1
        if self._calls == 0:
            self._happening()


class Fused:
    """A port of which each call burns the fuse."""

    def __init__(self, port: object, fuse: Fuse) -> None:
        self._port, self._fuse = port, fuse

    def __getattr__(self, name: str) -> Callable[..., object]:
        def call(*args: object) -> object:
            self._fuse.burn()
            return getattr(self._port, name)(*args)

        return call


class Machine(FakeEngine):
    """A fake engine that watches over the workers it is asked to start."""

    async def start(self, assignment: Assignment, kind: str) -> None:
        name, epoch = assignment.connector, assignment.epoch
        before = [started for other, started in self.starts if other == name]
        assert all(epoch >= other for other in before), "epochs grow"
        await super().start(assignment, kind)
        assert len(self.living(name)) <= 1, "a worker was started beside another"

    def intrude(self, assignment: Assignment) -> None:
        """Have a worker that was not started through the port."""
        name, epoch = assignment.connector, assignment.epoch
        status = self._status(assignment, Behaviour())
        self._workers.setdefault(name, {})[epoch] = Worker(epoch, alive=True, status=status)
        self._written.setdefault(name, [])

    def fall_silent(self, connector: str) -> None:
        if self.living(connector):
            super().fall_silent(connector)

    def living(self, connector: str) -> list[Worker]:
        return self._all_living(connector)

    def is_silent(self, connector: str) -> bool:
        return connector in self._silent_since


async def inline(function: Callable[..., T], *args: object) -> T:
    """Stand for asyncio.to_thread: others get their turn, in an order that can be repeated."""
    await asyncio.sleep(0)
    return function(*args)

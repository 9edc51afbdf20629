"""The queue of names, against a simple model of it."""

import asyncio
from collections.abc import Iterable

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from frazil.control_api.loops.queue import WorkQueue

NAMES = st.sampled_from(["a", "b", "c"])
DELAYS = st.sampled_from([0.0, 0.5, 2.0])


class Queue(RuleBasedStateMachine):
    """The model: when each name is due, and whose hands it is in."""

    def __init__(self) -> None:
        super().__init__()
        self.now = 0.0
        self.queue = WorkQueue(lambda: self.now)
        self.due: dict[str, float] = {}
        self.active: set[str] = set()
        self.failures: dict[str, int] = {}

    def expect(self, name: str, delay: float) -> None:
        self.due[name] = min(self.now + delay, self.due.get(name, float("inf")))

    @rule(name=NAMES, delay=DELAYS)
    def put(self, name: str, delay: float) -> None:
        self.queue.put(name, delay)
        self.expect(name, delay)

    @rule(seconds=DELAYS)
    def time_goes_by(self, seconds: float) -> None:
        self.now += seconds

    @rule()
    def take(self) -> None:
        ready = {name for name, due in self.due.items() if due <= self.now} - self.active
        name = self.queue.take()
        if name is None:
            assert not ready
            return
        assert name in ready
        assert self.due[name] == min(self.due[other] for other in ready)
        del self.due[name]
        self.active.add(name)

    @precondition(lambda self: self.active)
    @rule(data=st.data(), delay=st.none() | DELAYS)
    def done(self, data: st.DataObject, delay: float | None) -> None:
        name = data.draw(st.sampled_from(sorted(self.active)))
        self.queue.done(name, delay)
        self.active.remove(name)
        self.failures.pop(name, None)
        if delay is not None:
            self.expect(name, delay)

    @precondition(lambda self: self.active)
    @rule(data=st.data())
    def failed(self, data: st.DataObject) -> None:
        name = data.draw(st.sampled_from(sorted(self.active)))
        self.queue.failed(name)
        self.active.remove(name)
        self.failures[name] = self.failures.get(name, 0) + 1
        self.expect(name, min(0.1 * 2.0 ** (self.failures[name] - 1), 60.0))

    @invariant()
    def nothing_that_is_in_hand_is_given_out_again(self) -> None:
        assert self.queue.in_hand == self.active


TestQueue = Queue.TestCase
TestQueue.settings = settings(max_examples=50, stateful_step_count=30)


def take_all(queue: WorkQueue) -> Iterable[str]:
    while (name := queue.take()) is not None:
        yield name


def test_a_name_put_often_comes_once() -> None:
    queue = WorkQueue(lambda: 0.0)
    for _ in range(3):
        queue.put("a")
    assert list(take_all(queue)) == ["a"]


def test_a_name_put_while_it_is_worked_on_comes_again_afterwards() -> None:
    queue = WorkQueue(lambda: 0.0)
    queue.put("a")
    assert queue.take() == "a"
    queue.put("a")
    assert queue.take() is None
    queue.done("a")
    assert queue.take() == "a"


def test_back_off_ends_at_a_minute_and_success_resets_it() -> None:
    now = 0.0
    queue = WorkQueue(lambda: now)
    queue.put("a")
    for _ in range(30):
        assert queue.take() == "a"
        queue.failed("a")
        assert queue.take() is None
        now += 60.0
    assert queue.take() == "a"
    queue.done("a", 0.0)
    assert queue.take() == "a"
    queue.failed("a")
    now += 0.1
    assert queue.take() == "a"


async def test_whoever_waits_is_woken_by_a_put() -> None:
    queue = WorkQueue(asyncio.get_running_loop().time)
    waiting = [asyncio.ensure_future(queue.get()) for _ in range(2)]
    await asyncio.sleep(0)
    queue.put("a")
    queue.put("b")
    assert sorted(await asyncio.gather(*waiting)) == ["a", "b"]


async def test_whoever_waits_is_woken_when_a_delay_is_over() -> None:
    queue = WorkQueue(asyncio.get_running_loop().time)
    queue.put("a", 0.01)
    assert await queue.get() == "a"


async def test_draining_gives_nothing_more_out_and_waits_for_what_is_in_hand() -> None:
    queue = WorkQueue(asyncio.get_running_loop().time)
    queue.put("a")
    queue.put("b")
    name = await queue.get()
    draining = asyncio.ensure_future(queue.drain(10.0))
    await asyncio.sleep(0)
    assert not draining.done()
    assert queue.take() is None
    queue.done(name)
    assert await draining


async def test_draining_gives_up_when_its_time_is_over() -> None:
    queue = WorkQueue(asyncio.get_running_loop().time)
    queue.put("a")
    await queue.get()
    assert not await queue.drain(0.01)

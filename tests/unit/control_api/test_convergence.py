"""The reconciler under random wishes, accidents and deaths: it always comes to what is wanted."""

import asyncio
from collections.abc import Callable, Coroutine
from dataclasses import replace
from functools import partial
from typing import Any, TypeVar, cast
from unittest.mock import patch

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule
from tests.support.control_api import FakeClock, assignment, sink_config
from tests.support.memory_store import MemoryStore
from tests.support.mischief import Fuse, Fused, KilledApi, Machine, inline, kill

from frazil.contracts.exit_code import ExitCode
from frazil.contracts.offsets import Rewind
from frazil.contracts.states import ConnectState, Target
from frazil.control_api.core.connector import Connector, Phase
from frazil.control_api.core.errors import AlreadyExistsError, EngineError, NotFoundError
from frazil.control_api.core.policy import Policy
from frazil.control_api.core.ports import ConnectorStore, Engine
from frazil.control_api.core.service import ConnectorService, Submission
from frazil.control_api.core.states import public_state
from frazil.control_api.engine.fake import Behaviour
from frazil.control_api.loops.outfitter import Outfitter
from frazil.control_api.loops.queue import WorkQueue
from frazil.control_api.loops.reconciler import Reconciler
from frazil.control_api.loops.timers import Resync

POLICY = Policy(
    max_failures=3,
    first_delay=1.0,
    max_delay=4.0,
    settled_after=10.0,
    start_timeout=5.0,
    silence_timeout=4.0,
    stop_grace=2.0,
    start_turn=2.0,
    look_again=1.0,
    look_soon=0.5,
)
STEP = 0.5
PATIENCE = 200  # steps of time within which everything has to be as wished

T = TypeVar("T")

names = st.sampled_from(["a", "b", "c"])
wishes = st.sampled_from([Target.RUNNING, Target.PAUSED, Target.STOPPED])
behaviours = st.builds(
    Behaviour,
    refuses_to_start=st.sampled_from([None, None, "the disk is full"]),
    exits_with=st.sampled_from([None, None, *ExitCode]),
    preparing=st.sampled_from([None, None, "pulling the image"]),
    never_ready=st.booleans(),
    ignores_stop=st.booleans(),
    commits=st.sampled_from([0, 5]),
)


class World(RuleBasedStateMachine):
    """Users, workers, an engine and a control API, all of whom may do anything at any time."""

    def __init__(self) -> None:
        super().__init__()
        self.runner = asyncio.Runner()
        self.threads = patch.object(asyncio, "to_thread", inline)
        self.threads.start()
        self.clock = FakeClock()
        self.machine = Machine(self.clock)
        self.store = MemoryStore()
        self.wanted: dict[str, Target] = {}
        self.versions = 0
        self.outfitter = Outfitter(worker_id="x", kafka={})
        self.boot()

    def boot(self) -> None:
        """Start a control API; only the store and the machine outlive it."""
        self.fuse = Fuse()
        engine = cast("Engine", Fused(self.machine, self.fuse))
        store = cast("ConnectorStore", Fused(self.store, self.fuse))
        self.queue = WorkQueue(self.clock.now)
        self.service = ConnectorService(cast("ConnectorStore", self.store), self.queue.put)
        self.reconciler = Reconciler(
            self.queue,
            store,
            engine,
            clock=self.clock,
            policy=POLICY,
            outfitter=Outfitter(worker_id="x", kafka={}),
        )
        self.resync = Resync(self.queue, store, engine)

    # What users do.

    @rule(name=names, wish=wishes)
    def create(self, name: str, wish: Target) -> None:
        submission = Submission(name, sink_config(), wish)
        if name in self.wanted:
            self.refused(AlreadyExistsError, partial(self.service.create, submission))
        else:
            self.service.create(submission)
            self.wanted[name] = wish

    @rule(name=names)
    def put(self, name: str) -> None:
        self.versions += 1
        config = sink_config(**{"tasks.max": str(self.versions)})
        _, created = self.service.configure(name, config)
        assert created is (name not in self.wanted)
        self.wanted.setdefault(name, Target.RUNNING)

    @rule(name=names, wish=wishes)
    def aim(self, name: str, wish: Target) -> None:
        self.ask(name, partial(self.service.set_target, name, wish))
        if name in self.wanted:
            self.wanted[name] = wish

    @rule(name=names, only_failed=st.booleans())
    def restart(self, name: str, only_failed: bool) -> None:
        self.ask(name, partial(self.service.restart, name, only_failed=only_failed))

    @rule(name=names)
    def delete(self, name: str) -> None:
        self.ask(name, partial(self.service.delete, name))
        self.wanted.pop(name, None)

    @rule(name=names)
    def rewind(self, name: str) -> None:
        """Have a sink begin anew, which is allowed while it is stopped."""
        self.versions += 1
        if self.wanted.get(name) is Target.STOPPED:
            wish = Rewind(number=self.versions, everything=True)
            self.store.change(name, lambda old: replace(cast("Connector", old), rewind=wish))

    def ask(self, name: str, call: Callable[[], object]) -> None:
        if name in self.wanted:
            call()
        else:
            self.refused(NotFoundError, call)

    def refused(self, error: type[Exception], call: Callable[[], object]) -> None:
        try:
            call()
        except error:
            return
        raise AssertionError(f"{error.__name__} was expected")

    # What workers and the machine do.

    @rule(name=names, behaviour=behaviours)
    def behave(self, name: str, behaviour: Behaviour) -> None:
        self.machine.behaviours[name] = behaviour

    @rule(name=names)
    def die(self, name: str) -> None:
        self.machine.die(name)

    @rule(name=names, code=st.sampled_from(ExitCode))
    def exit(self, name: str, code: ExitCode) -> None:
        self.machine.exit(name, code, "a.B: it could not go on")

    @rule(name=names)
    def fall_silent(self, name: str) -> None:
        self.machine.fall_silent(name)

    @rule(name=names)
    def vanish(self, name: str) -> None:
        self.machine.vanish(name)

    @rule(name=names, epoch=st.sampled_from([1, 2_000_000_000]))
    def intrude(self, name: str, epoch: int) -> None:
        self.machine.intrude(assignment(name, epoch))

    @rule()
    def engine_goes_away(self) -> None:
        self.machine.go_away("the engine is away")

    @rule()
    def engine_comes_back(self) -> None:
        self.machine.come_back()

    # What the control API does.

    @rule(seconds=st.sampled_from([0.1, 0.5, 1.0, 3.0, 6.0]))
    def time_passes(self, seconds: float) -> None:
        self.clock.move(seconds)
        self.turn()

    @rule()
    def turn(self) -> None:
        """Make a pass for each name that is due, side by side."""
        due = list(iter(self.queue.take, None))
        try:
            self.run(self.passes(due))
        except* KilledApi:
            self.boot()

    @rule(calls=st.integers(1, 12))
    def api_killed(self, calls: int) -> None:
        """Die right before a call; whatever the turn has done up to there is done."""
        self.fuse.light(calls, kill)
        self.look()
        self.boot()

    @rule(
        name=names,
        calls=st.integers(1, 12),
        happening=st.sampled_from(["die", "vanish", "fall_silent", "delete", "put"]),
    )
    def meanwhile(self, name: str, calls: int, happening: str) -> None:
        """In the middle of a turn something happens."""
        self.fuse.light(calls, partial(getattr(self, happening), name))
        self.look()
        self.fuse.put_out()

    @rule()
    def look(self) -> None:
        try:
            self.run(self.resync.resync())
        except KilledApi:
            self.boot()
        except EngineError:
            return
        self.turn()

    async def passes(self, names: list[str]) -> None:
        async with asyncio.TaskGroup() as group:
            for name in names:
                group.create_task(self.make_pass(name))

    async def make_pass(self, name: str) -> None:
        try:
            again_after = await self.reconciler.reconcile(name)
        except EngineError:
            self.queue.failed(name)
        else:
            self.queue.done(name, again_after)

    def run(self, work: Coroutine[Any, Any, T]) -> T:
        return self.runner.run(work)

    # What has to be true.

    @invariant()
    def nothing_writes_that_is_shown_at_rest(self) -> None:
        for name in self.wanted:
            connector = self.store.get(name)
            assert connector is not None
            if public_state(connector).connector in (ConnectState.PAUSED, ConnectState.STOPPED):
                living = {worker.epoch for worker in self.machine.living(name)}
                assert connector.observed.epoch not in living, name

    def teardown(self) -> None:
        try:
            self.settle()
            for name in list(self.wanted):
                self.delete(name)
            self.settle()
        finally:
            self.threads.stop()
            self.runner.close()

    def settle(self) -> None:
        """Let all troubles end; from then on time alone has to bring what is wanted."""
        stubborn = [name for name, how in self.machine.behaviours.items() if how.ignores_stop]
        self.machine.behaviours = dict.fromkeys(stubborn, Behaviour(ignores_stop=True))
        self.machine.come_back()
        self.look()
        self.until_as_wanted()
        for name in self.wanted:
            self.restart(name, only_failed=True)
        self.until_as_wanted()
        assert not any(self.phase(name).has_failed for name in self.wanted)
        started = len(self.machine.starts)
        for _ in range(20):
            self.clock.move(STEP)
            self.turn()
            assert self.all_as_wanted(), "it stays as it is wanted"
        assert len(self.machine.starts) == started

    def until_as_wanted(self) -> None:
        for _ in range(PATIENCE):
            self.turn()
            if self.all_as_wanted():
                return
            self.clock.move(STEP)
        raise AssertionError(f"not as wanted: {self.wanted}, {self.store.all()}")

    def all_as_wanted(self) -> bool:
        stored = {connector.name for connector in self.store.all()}
        left_over = set(self.run(self.machine.connectors())) - stored
        return (
            stored == self.wanted.keys()
            and not left_over
            and all(self.is_as_wanted(name) for name in self.wanted)
        )

    def is_as_wanted(self, name: str) -> bool:
        connector = self.store.get(name)
        assert connector is not None
        living = [worker.epoch for worker in self.machine.living(name)]
        if self.has_given_up(connector):
            return not living and self.wanted[name] is not Target.STOPPED
        state = public_state(connector).connector
        if self.wanted[name] is not Target.RUNNING:
            return not living and state == self.wanted[name].value
        seen, number = connector.observed, connector.rewind.number if connector.rewind else 0
        return (
            state is ConnectState.RUNNING
            and living == [seen.epoch]
            and not self.machine.is_silent(name)
            and (seen.generation, seen.rewind) == (connector.generation, number)
        )

    def has_given_up(self, connector: Connector) -> bool:
        seen = connector.observed
        current = seen.generation == connector.generation
        return seen.phase is Phase.FAILED and bool(seen.trace) and current

    def phase(self, name: str) -> Phase:
        connector = self.store.get(name)
        assert connector is not None
        return connector.observed.phase


TestConvergence = World.TestCase
TestConvergence.settings = settings(max_examples=150, stateful_step_count=40)

"""One suite for every engine: what the reconciler may rely on, whoever runs the workers."""

from abc import ABC, abstractmethod
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from tests.support.control_api import FakeClock, assignment, eventually
from tests.support.stand_in import signal_worker, stand_in

from frazil.contracts.assignment import Assignment
from frazil.contracts.exit_code import ExitCode
from frazil.contracts.states import WorkerState
from frazil.control_api.core.errors import EngineError
from frazil.control_api.core.observation import Worker
from frazil.control_api.core.ports import Engine
from frazil.control_api.engine.fake import Behaviour, FakeEngine
from frazil.control_api.engine.process import ProcessEngine

KIND = "stand-in"


class Machine(ABC):
    """What engines work on. It outlives them, as a computer outlives the control API."""

    @abstractmethod
    def engine(self) -> Engine:
        """Return the engine of a control API that has just been started."""

    @abstractmethod
    async def die(self, name: str, epoch: int) -> None:
        """End a worker as kill -9 does."""

    @abstractmethod
    def told(self, name: str, epoch: int, behaviour: Behaviour) -> Assignment:
        """Make an assignment whose worker will behave like this."""


@dataclass
class FakeMachine(Machine):
    fake: FakeEngine = field(default_factory=lambda: FakeEngine(FakeClock()))

    def engine(self) -> Engine:
        return self.fake

    async def die(self, name: str, epoch: int) -> None:
        del epoch  # here a connector has but one living worker
        self.fake.die(name)

    def told(self, name: str, epoch: int, behaviour: Behaviour) -> Assignment:
        self.fake.behaviours[name] = behaviour
        return assignment(name, epoch)


@dataclass
class ProcessMachine(Machine):
    root: Path

    def engine(self) -> Engine:
        return ProcessEngine(self.root, self.command)

    def command(self, _kind: str, folder: Path) -> Sequence[str]:
        if "refuse" in (folder / "assignment.json").read_text():
            return ["/nowhere/python"]
        return stand_in(folder)

    async def die(self, name: str, epoch: int) -> None:
        signal_worker(self.root, name, epoch)

    def told(self, name: str, epoch: int, behaviour: Behaviour) -> Assignment:
        keys: dict[str, str] = {}
        if behaviour.exits_with is not None:
            keys |= {"exit": str(behaviour.exits_with.value), "trace": behaviour.trace or ""}
        if behaviour.ignores_stop:
            keys["deaf"] = "true"
        if behaviour.refuses_to_start:
            keys["refuse"] = behaviour.refuses_to_start
        return assignment(name, epoch, **keys)


@pytest.fixture(params=["fake", "process"])
def machine(request: pytest.FixtureRequest, tmp_path: Path) -> Machine:
    return FakeMachine() if request.param == "fake" else ProcessMachine(tmp_path / "runs")


@pytest.fixture
async def engine(machine: Machine) -> AsyncIterator[Engine]:
    engine = machine.engine()
    yield engine
    for name in await engine.connectors():
        for worker in (await engine.inspect(name)).living:
            await engine.kill(name, worker.epoch)
            await until_dead(engine, name)
    await engine.close()


async def until(engine: Engine, name: str, state: WorkerState) -> Worker:
    async def says_so() -> bool:
        workers = (await engine.inspect(name)).workers
        return any(one.status is not None and one.status.state is state for one in workers)

    await eventually(f"the worker of {name} says {state}", says_so)
    return (await engine.inspect(name)).workers[-1]


async def until_dead(engine: Engine, name: str) -> Worker:
    async def is_dead() -> bool:
        return not (await engine.inspect(name)).living

    await eventually(f"no worker of {name} lives", is_dead)
    return (await engine.inspect(name)).workers[-1]


async def test_nothing_is_known_of_a_connector_that_never_had_a_worker(engine: Engine) -> None:
    assert (await engine.inspect("logs")).workers == ()
    assert await engine.connectors() == []
    await engine.stop("logs", 1)
    await engine.kill("logs", 1)
    await engine.remove("logs")


@pytest.mark.parametrize("name", ["logs", "a/b", "..", "ünï cödé", "100%"])
async def test_a_worker_runs_under_any_name(engine: Engine, machine: Machine, name: str) -> None:
    await engine.start(machine.told(name, 3, Behaviour()), KIND)
    worker = await until(engine, name, WorkerState.RUNNING)
    assert (worker.epoch, worker.alive) == (3, True)
    assert worker.status is not None
    assert (worker.status.connector, worker.status.epoch) == (name, 3)
    assert await engine.connectors() == [name]


async def test_a_second_start_of_the_same_epoch_changes_nothing(
    engine: Engine, machine: Machine
) -> None:
    await engine.start(machine.told("logs", 1, Behaviour()), KIND)
    before = await until(engine, "logs", WorkerState.RUNNING)
    await engine.start(machine.told("logs", 1, Behaviour()), KIND)
    (after,) = (await engine.inspect("logs")).workers
    assert before.status is not None
    assert after.status is not None
    assert (after.status.pid, after.status.since) == (before.status.pid, before.status.since)


async def test_a_stopped_worker_ends_in_peace_and_stopping_again_is_no_error(
    engine: Engine, machine: Machine
) -> None:
    await engine.start(machine.told("logs", 1, Behaviour()), KIND)
    await until(engine, "logs", WorkerState.RUNNING)
    await engine.stop("logs", 1)
    worker = await until_dead(engine, "logs")
    assert worker.exit_status == 0
    assert worker.status is not None
    assert worker.status.exit_code is ExitCode.OK
    await engine.stop("logs", 1)
    await engine.kill("logs", 1)


async def test_a_worker_that_ignores_a_stop_is_ended_by_a_kill(
    engine: Engine, machine: Machine
) -> None:
    await engine.start(machine.told("logs", 1, Behaviour(ignores_stop=True)), KIND)
    await until(engine, "logs", WorkerState.RUNNING)
    await engine.stop("logs", 1)
    assert (await engine.inspect("logs")).living
    await engine.kill("logs", 1)
    assert (await until_dead(engine, "logs")).exit_status == -9


async def test_last_words_outlive_the_worker(engine: Engine, machine: Machine) -> None:
    says = Behaviour(exits_with=ExitCode.BAD_TABLE, trace="a.B: no such table")
    await engine.start(machine.told("logs", 1, says), KIND)
    worker = await until(engine, "logs", WorkerState.FAILED)
    worker = await until_dead(engine, "logs")
    assert worker.exit_status == ExitCode.BAD_TABLE.value
    assert worker.status is not None
    assert worker.status.exit_code is ExitCode.BAD_TABLE
    assert worker.status.trace == "a.B: no such table"


async def test_a_killed_worker_is_dead_at_once_and_its_words_are_old(
    engine: Engine, machine: Machine
) -> None:
    await engine.start(machine.told("logs", 1, Behaviour()), KIND)
    await until(engine, "logs", WorkerState.RUNNING)
    await machine.die("logs", 1)
    worker = await until_dead(engine, "logs")
    assert worker.exit_status == -9
    assert worker.status is not None
    assert worker.status.state is WorkerState.RUNNING
    assert worker.status.exit_code is None


async def test_a_new_engine_adopts_what_lives(engine: Engine, machine: Machine) -> None:
    await engine.start(machine.told("logs", 1, Behaviour()), KIND)
    before = await until(engine, "logs", WorkerState.RUNNING)
    successor = machine.engine()
    (adopted,) = (await successor.inspect("logs")).workers
    assert adopted.alive
    assert before.status is not None
    assert adopted.status is not None
    assert adopted.status.pid == before.status.pid
    await successor.start(machine.told("logs", 1, Behaviour()), KIND)
    assert len((await successor.inspect("logs")).workers) == 1
    await successor.stop("logs", 1)
    await until_dead(successor, "logs")
    await successor.close()


async def test_of_the_dead_only_the_last_is_seen(engine: Engine, machine: Machine) -> None:
    for epoch in (1, 2):
        await engine.start(machine.told("logs", epoch, Behaviour()), KIND)
        await until(engine, "logs", WorkerState.RUNNING)
        await machine.die("logs", epoch)
        await until_dead(engine, "logs")
    assert [worker.epoch for worker in (await engine.inspect("logs")).workers] == [2]
    await engine.start(machine.told("logs", 3, Behaviour()), KIND)
    await until(engine, "logs", WorkerState.RUNNING)
    epochs = {worker.epoch: worker.alive for worker in (await engine.inspect("logs")).workers}
    assert epochs == {2: False, 3: True}


async def test_removing_forgets_the_dead_and_spares_the_living(
    engine: Engine, machine: Machine
) -> None:
    await engine.start(machine.told("logs", 1, Behaviour()), KIND)
    await until(engine, "logs", WorkerState.RUNNING)
    await engine.remove("logs")
    assert (await engine.inspect("logs")).living
    await machine.die("logs", 1)
    await until_dead(engine, "logs")
    await engine.remove("logs")
    assert (await engine.inspect("logs")).workers == ()
    assert await engine.connectors() == []


async def test_a_refused_start_says_why_and_leaves_no_worker(
    engine: Engine, machine: Machine
) -> None:
    refusing = machine.told("logs", 1, Behaviour(refuses_to_start="/nowhere/python"))
    with pytest.raises(EngineError, match="/nowhere/python"):
        await engine.start(refusing, KIND)
    assert (await engine.inspect("logs")).workers == ()

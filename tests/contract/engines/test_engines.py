"""One suite for every engine: what the reconciler may rely on, whoever runs the workers."""

import pytest
from tests.support.engines import KIND, until, until_dead
from tests.support.machines import Machine

from frazil.contracts.exit_code import ExitCode
from frazil.contracts.states import WorkerState
from frazil.control_api.core.errors import EngineError
from frazil.control_api.core.ports import Engine
from frazil.control_api.engine.fake import Behaviour


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
    assert not machine.has_processes or worker.exit_status == 0
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
    worker = await until_dead(engine, "logs")
    assert not machine.has_processes or worker.exit_status == -9


async def test_last_words_outlive_the_worker(engine: Engine, machine: Machine) -> None:
    says = Behaviour(exits_with=ExitCode.BAD_TABLE, trace="a.B: no such table")
    await engine.start(machine.told("logs", 1, says), KIND)
    worker = await until(engine, "logs", WorkerState.FAILED)
    worker = await until_dead(engine, "logs")
    assert not machine.has_processes or worker.exit_status == ExitCode.BAD_TABLE.value
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
    assert not machine.tells_deaths or worker.exit_status == -9
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
        await until(engine, "logs", WorkerState.RUNNING, epoch)
        await machine.die("logs", epoch)
        await until_dead(engine, "logs")
    assert [worker.epoch for worker in (await engine.inspect("logs")).workers] == [2]
    await engine.start(machine.told("logs", 3, Behaviour()), KIND)
    await until(engine, "logs", WorkerState.RUNNING, 3)
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


async def test_a_worker_that_is_long_in_starting_lives_and_says_so(
    engine: Engine, machine: Machine
) -> None:
    await engine.start(machine.told("logs", 1, Behaviour(never_ready=True)), KIND)
    worker = await until(engine, "logs", WorkerState.STARTING)
    assert worker.alive


async def test_of_a_worker_that_vanished_nothing_is_left(engine: Engine, machine: Machine) -> None:
    await engine.start(machine.told("logs", 1, Behaviour()), KIND)
    await until(engine, "logs", WorkerState.RUNNING)
    await machine.vanish("logs", 1)
    assert (await engine.inspect("logs")).workers == ()
    await engine.stop("logs", 1)
    await engine.kill("logs", 1)
    await engine.remove("logs")


async def test_a_worker_without_memory_is_killed_and_the_way_out_is_said(
    engine: Engine, machine: Machine
) -> None:
    await engine.start(machine.told("logs", 1, Behaviour()), KIND)
    await until(engine, "logs", WorkerState.RUNNING)
    await machine.exhaust("logs", 1)
    worker = await until_dead(engine, "logs")
    assert not machine.tells_deaths or worker.exit_status == -9
    if machine.bounds_memory:
        assert worker.cause is not None
        assert "raise frazil.container.memory" in worker.cause


async def test_workers_belong_to_one_control_api_at_a_time(machine: Machine) -> None:
    if not machine.has_claims:
        pytest.skip("has one engine object only")
    engine, rival = machine.engine(), machine.engine()
    await engine.claim()
    await engine.claim()
    with pytest.raises(EngineError, match="another control API looks after the workers"):
        await rival.claim()
    await engine.release()
    await engine.release()
    await rival.claim()
    await rival.close()
    await engine.claim()
    await engine.close()


@pytest.mark.usefixtures("forgetful_client")
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
async def test_a_daemon_that_is_away_is_a_sentence_and_no_surprise(
    engine: Engine, machine: Machine
) -> None:
    if not machine.has_daemon:
        pytest.skip("needs no daemon")
    await engine.start(machine.told("logs", 1, Behaviour()), KIND)
    await until(engine, "logs", WorkerState.RUNNING)
    assert engine.trouble is None
    await machine.go_away()
    for attempt in (
        engine.inspect("logs"),
        engine.connectors(),
        engine.stop("logs", 1),
        engine.kill("logs", 1),
        engine.remove("logs"),
        engine.start(machine.told("logs", 2, Behaviour()), KIND),
    ):
        with pytest.raises(EngineError) as told:
            await attempt
        assert engine.trouble == str(told.value)
    await machine.come_back()
    assert (await engine.inspect("logs")).living
    assert engine.trouble is None

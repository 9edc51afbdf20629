"""What only the process engine promises: locks, files, logs, children."""

import asyncio
import stat
import subprocess
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from tests.support.control_api import assignment, eventually
from tests.support.engines import KIND, end, until_dead
from tests.support.stand_in import signal_worker, stand_in

from frazil.control_api.core.errors import EngineError
from frazil.control_api.engine.commands import command
from frazil.control_api.engine.process import ProcessEngine
from frazil.control_api.engine.run_folder import RunFolder


def make_engine(root: Path) -> ProcessEngine:
    return ProcessEngine(root, lambda _kind, folder: stand_in(folder))


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return tmp_path / "runs"


@pytest.fixture
async def engine(root: Path) -> AsyncIterator[ProcessEngine]:
    engine = make_engine(root)
    yield engine
    await end(engine)


async def until_it_runs(engine: ProcessEngine, name: str) -> None:
    async def has_port() -> bool:
        return any(w.status and w.status.port for w in (await engine.inspect(name)).living)

    await eventually(f"{name} runs", has_port)


async def test_the_assignment_is_for_the_workers_eyes_only(
    engine: ProcessEngine, root: Path
) -> None:
    await engine.start(assignment("logs", 1), KIND)
    mode = (root / "logs" / "1" / "assignment.json").stat().st_mode
    assert stat.S_IMODE(mode) == 0o600


async def test_output_goes_to_the_log_and_its_end_is_known_of_the_dead(
    engine: ProcessEngine,
) -> None:
    await engine.start(assignment("logs", 1), KIND)
    await until_it_runs(engine, "logs")
    await engine.kill("logs", 1)
    await until_dead(engine, "logs")
    (worker,) = (await engine.inspect("logs")).workers
    assert worker.log_tail == "worker 1 starts"


async def test_the_workers_answer_counts_more_than_its_file(engine: ProcessEngine) -> None:
    await engine.start(assignment("logs", 1), KIND)
    await until_it_runs(engine, "logs")
    (worker,) = (await engine.inspect("logs")).workers
    assert worker.status is not None
    assert worker.status.commits == 7
    assert worker.silent_for == 0


async def test_a_worker_that_does_not_answer_is_silent_ever_longer(engine: ProcessEngine) -> None:
    await engine.start(assignment("logs", 1, mute="true"), KIND)

    async def is_silent() -> bool:
        return any(worker.silent_for > 0.05 for worker in (await engine.inspect("logs")).living)

    await eventually("silence is counted", is_silent)


async def test_an_answer_of_somebody_else_on_its_port_is_no_answer(
    engine: ProcessEngine, root: Path
) -> None:
    for name in ("logs", "other"):
        await engine.start(assignment(name, 1), KIND)
        await until_it_runs(engine, name)
    status_file = root / "logs" / "1" / "status.json"
    others = RunFolder(root / "other" / "1").status()
    own = RunFolder(root / "logs" / "1").status()
    assert others is not None
    assert own is not None
    status_file.write_text(own.model_copy(update={"port": others.port}).model_dump_json())
    (worker,) = (await engine.inspect("logs")).workers
    assert worker.status is not None
    assert (worker.status.connector, worker.status.commits) == ("logs", 0)


async def test_ended_children_do_not_stay_as_zombies(engine: ProcessEngine, root: Path) -> None:
    await engine.start(assignment("logs", 1, exit="0"), KIND)
    pid = (root / "logs" / "1" / "pid").read_text()
    await until_dead(engine, "logs")
    ps = await asyncio.to_thread(subprocess.run, ["ps", "-o", "stat=", "-p", pid], check=False)
    assert ps.returncode == 1, "the process table still has it"


async def test_an_adopted_worker_is_killed_without_a_word_and_nobody_knows_how(
    engine: ProcessEngine, root: Path
) -> None:
    await engine.start(assignment("logs", 1), KIND)
    await until_it_runs(engine, "logs")
    successor = make_engine(root)
    signal_worker(root, "logs", 1)
    await until_dead(successor, "logs")
    (worker,) = (await successor.inspect("logs")).workers
    assert worker.exit_status is None
    await successor.close()


async def test_a_start_cut_off_before_the_spawn_is_no_worker_and_can_be_resumed(
    engine: ProcessEngine, root: Path
) -> None:
    folder = root / "logs" / "1"
    folder.mkdir(parents=True)
    (folder / "assignment.json").write_text("{")
    (folder / "lock").touch()
    (folder / "worker.log").touch()
    assert (await engine.inspect("logs")).workers == ()
    await engine.start(assignment("logs", 1), KIND)
    await until_it_runs(engine, "logs")


async def test_a_start_cut_off_before_the_pid_was_written_is_adopted_and_can_be_stopped(
    engine: ProcessEngine, root: Path
) -> None:
    await engine.start(assignment("logs", 1), KIND)
    await until_it_runs(engine, "logs")
    (root / "logs" / "1" / "pid").unlink()
    successor = make_engine(root)
    assert (await successor.inspect("logs")).living
    await successor.stop("logs", 1)
    await until_dead(successor, "logs")
    await successor.close()


async def test_folders_of_the_last_runs_are_kept_for_their_logs(
    engine: ProcessEngine, root: Path
) -> None:
    for epoch in range(1, 7):
        await engine.start(assignment("logs", epoch, exit="1"), KIND)
        await until_dead(engine, "logs")
    assert sorted(path.name for path in (root / "logs").iterdir()) == ["3", "4", "5", "6"]


async def test_torn_files_are_no_words(engine: ProcessEngine, root: Path) -> None:
    await engine.start(assignment("logs", 1, mute="true"), KIND)
    (root / "logs" / "1" / "status.json").write_text('{"connector":')
    (worker,) = (await engine.inspect("logs")).living
    assert worker.alive


def test_a_kind_that_nobody_has_heard_of_is_refused_with_a_sentence() -> None:
    with pytest.raises(EngineError, match="kind nope"):
        command("nope", Path("x"))
    assert command("spark-sink", Path("x"))[1:] == ["-m", "frazil.spark_sink", "x"]

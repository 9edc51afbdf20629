"""What only the docker engine promises: closed containers, owners, images, a daemon to lose."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import suppress
from pathlib import Path

import pytest
from docker.errors import NotFound
from tests.support.control_api import assignment, eventually
from tests.support.docker_lab import BASE_IMAGE, daemon, missing
from tests.support.engines import KIND, until, until_dead
from tests.support.machines import INSTALLATION_KEY, DockerMachine

from frazil.contracts.states import WorkerState
from frazil.control_api.core.errors import EngineError
from frazil.control_api.core.ports import Engine
from frazil.control_api.engine.claim import Claim
from frazil.control_api.engine.docker import Daemon
from frazil.control_api.engine.docker_engine import DockerEngine
from frazil.control_api.engine.docker_spec import DockerOptions, create_options
from frazil.control_api.engine.fake import Behaviour

pytestmark = [pytest.mark.docker, pytest.mark.timeout(180)]
NOWHERE = "127.0.0.1:1/nowhere:1"


@pytest.fixture
async def machine(tmp_path: Path) -> AsyncIterator[DockerMachine]:
    if reason := missing(BASE_IMAGE):
        pytest.skip(reason)
    machine = DockerMachine(tmp_path, images=(NOWHERE,))
    await machine.come_back()
    yield machine
    await machine.clear()
    await machine.go_away()


@pytest.fixture
async def engine(machine: DockerMachine) -> AsyncIterator[Engine]:
    engine = machine.engine()
    yield engine
    await engine.close()


async def run(machine: DockerMachine, name: str, command: str) -> str:
    """Run a shell command in the container of a worker."""
    container = machine.container(name, 1)
    done = await asyncio.to_thread(container.exec_run, ["sh", "-c", f"({command}) 2>&1"])
    output = done.output
    assert isinstance(output, bytes)
    return output.decode()


HOSTILE = {
    "HostConfig": '{"Privileged": true}',
    "frazil.container.privileged": "true",
    "frazil.container.user": "0",
    "frazil.container.volumes": "/:/host",
}


async def test_a_container_is_closed_as_far_as_can_be_whatever_the_connector_says(
    engine: Engine, machine: DockerMachine
) -> None:
    told = machine.told("logs", 1, Behaviour())
    await engine.start(told.model_copy(update={"config": told.config | HOSTILE}), KIND)
    await until(engine, "logs", WorkerState.RUNNING)
    host_config = machine.container("logs", 1).attrs["HostConfig"]
    assert (host_config["Privileged"], host_config["Binds"]) == (False, [])
    seen = await run(
        machine,
        "logs",
        "id -u; grep -E 'CapEff|NoNewPrivs' /proc/1/status; touch /x; "
        "stat -c '%a %u' /run/frazil/worker/assignment.json; ls /var/run/docker.sock",
    )
    assert seen.splitlines()[:4] == [
        "10001",
        "CapEff:\t0000000000000000",
        "NoNewPrivs:\t1",
        "touch: cannot touch '/x': Read-only file system",
    ]
    assert "600 10001" in seen
    assert "cannot access" in seen


async def test_no_value_of_a_connector_is_shown_by_the_daemon_or_in_its_log(
    engine: Engine, machine: DockerMachine
) -> None:
    told = machine.told("logs", 1, Behaviour())
    secret = told.model_copy(update={"config": {**told.config, "iceberg.catalog.token": "hush-1"}})
    await engine.start(secret, KIND)
    await until(engine, "logs", WorkerState.RUNNING)
    container = machine.container("logs", 1)
    assert "hush-1" not in json.dumps(container.attrs)
    assert b"hush-1" not in container.logs()
    assert "hush-1" in await run(machine, "logs", "cat /run/frazil/worker/assignment.json")


async def test_installations_that_share_a_daemon_do_not_see_each_other(
    engine: Engine, machine: DockerMachine, tmp_path: Path
) -> None:
    (tmp_path / "other").mkdir()
    other = DockerMachine(tmp_path / "other")
    await other.come_back()
    stranger = other.engine()
    try:
        for one, owner in ((engine, machine), (stranger, other)):
            await one.start(owner.told("logs", 1, Behaviour()), KIND)
            await until(one, "logs", WorkerState.RUNNING)
        await stranger.kill("logs", 1)
        await until_dead(stranger, "logs")
        await stranger.remove("logs")
        assert await stranger.connectors() == []
        assert (await engine.inspect("logs")).living
    finally:
        await stranger.close()
        await other.clear()
        await other.go_away()


async def test_a_start_cut_off_before_the_process_is_no_worker_and_is_resumed(
    engine: Engine, machine: DockerMachine
) -> None:
    worker = machine.told("logs", 1, Behaviour())
    name, description = create_options(worker, "stand_in_worker", machine.options)
    daemon().api.create_container_from_config(description, name)  # type: ignore[no-untyped-call]
    assert (await engine.inspect("logs")).workers == ()
    assert await engine.connectors() == ["logs"]
    await engine.stop("logs", 1)
    await engine.start(worker, KIND)
    await until(engine, "logs", WorkerState.RUNNING)


async def test_the_last_dead_containers_are_kept_for_their_logs_and_no_volume_stays(
    engine: Engine, machine: DockerMachine
) -> None:
    volumes = []
    for epoch in range(1, 6):
        await engine.start(machine.told("logs", epoch, Behaviour()), KIND)
        volumes.append(machine.container("logs", epoch).attrs["Mounts"][0]["Name"])
        await machine.die("logs", epoch)
        await until_dead(engine, "logs")
    await engine.start(machine.told("logs", 6, Behaviour()), KIND)
    with pytest.raises(NotFound):
        machine.container("logs", 2)
    assert machine.container("logs", 3).status == "exited"
    await machine.die("logs", 6)
    await until_dead(engine, "logs")
    await engine.remove("logs")
    left = {volume.name for volume in daemon().volumes.list()}
    assert not left & set(volumes)


async def test_a_worker_that_does_not_answer_is_silent_but_its_file_is_read(
    engine: Engine, machine: DockerMachine
) -> None:
    told = machine.told("logs", 1, Behaviour())
    mute = told.model_copy(update={"config": {**told.config, "mute": "true"}})
    await engine.start(mute, KIND)
    worker = await until(engine, "logs", WorkerState.RUNNING)
    assert worker.silent_for > 0


async def test_an_image_that_cannot_be_had_fails_the_start_with_the_reason(
    machine: DockerMachine, tmp_path: Path
) -> None:
    engine = DockerEngine(
        Daemon(machine.proxy.url),
        machine.options,
        Claim(tmp_path / ".lock"),
        installation_key=INSTALLATION_KEY,
    )
    worker = assignment("logs", 1, **{"frazil.container.image": NOWHERE})
    await engine.start(worker, "spark-sink")
    assert (await engine.inspect("logs")).workers == ()

    async def is_over() -> bool:
        return (await engine.inspect("logs")).preparing is None

    await eventually("the pull is over", is_over)
    with pytest.raises(EngineError, match=f"the image {NOWHERE} cannot be pulled: .*refused"):
        await engine.start(worker, "spark-sink")
    assert engine.trouble is None, "a registry is not the daemon"
    await engine.close()


async def test_a_silent_log_is_followed_for_longer_than_a_call_may_take(
    machine: DockerMachine, tmp_path: Path
) -> None:
    impatient = Daemon(machine.proxy.url, timeout=1.0)
    claim = Claim(tmp_path / ".lock")
    engine = DockerEngine(
        impatient,
        machine.options,
        claim,
        lambda _kind: "stand_in_worker",
        installation_key=INSTALLATION_KEY,
    )
    await engine.start(machine.told("logs", 1, Behaviour()), KIND)
    await until(engine, "logs", WorkerState.RUNNING)
    log = engine.logs("logs", tail=1, follow=True)
    assert await anext(log) == "worker 1 starts"
    await asyncio.sleep(1.5)
    await engine.stop("logs", 1)
    assert await anext(log) == "worker 1 ends"
    await engine.close()


OPTIONS = DockerOptions(instance="nobody", image="nothing")


@pytest.mark.usefixtures("forgetful_client")
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
@pytest.mark.parametrize("there", [False, True])
async def test_without_a_daemon_every_call_says_so(there: bool, tmp_path: Path) -> None:
    socket = tmp_path / "docker.sock"
    if there:
        (await asyncio.start_unix_server(lambda *_: None, socket)).close()
        assert socket.exists()
    engine = DockerEngine(
        Daemon(f"unix://{socket}"),
        OPTIONS,
        Claim(tmp_path / ".lock"),
        installation_key=INSTALLATION_KEY,
    )
    why = "Connection refused" if there else "No such file or directory"
    sentence = f"the Docker engine at unix://{socket} is out of reach: {why}"
    with pytest.raises(EngineError, match=sentence):
        await engine.connectors()
    assert engine.trouble == sentence
    with pytest.raises(EngineError, match=sentence):
        await anext(engine.changes())
    await engine.close()


@pytest.mark.usefixtures("forgetful_client")
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
async def test_a_daemon_that_hangs_is_given_up_without_blocking_anybody(tmp_path: Path) -> None:
    socket, over = tmp_path / "docker.sock", asyncio.Event()
    hanging: list[asyncio.Task[None] | None] = []

    async def hang(_reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        hanging.append(asyncio.current_task())
        await over.wait()
        writer.close()
        with suppress(ConnectionError):
            await writer.wait_closed()

    server = await asyncio.start_unix_server(hang, socket)
    engine = DockerEngine(
        Daemon(f"unix://{socket}", 0.3),
        OPTIONS,
        Claim(tmp_path / ".lock"),
        installation_key=INSTALLATION_KEY,
    )
    before = asyncio.get_running_loop().time()
    asked = asyncio.ensure_future(engine.connectors())
    await asyncio.sleep(0)
    assert asyncio.get_running_loop().time() - before < 0.2
    with pytest.raises(EngineError, match=r"it does not answer within 0\.3 s"):
        await asked
    await engine.close()
    server.close()
    # A connection that outlives its loop is found by the collector, in whatever test comes then.
    over.set()
    await asyncio.gather(*filter(None, hanging))

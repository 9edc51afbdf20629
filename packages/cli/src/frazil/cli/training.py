"""The training run behind the class archive: one small real job, so that later ones start fast.

A throw-away stack is provisioned like any other, but its control API starts no workers (engine
`fake`): it only answers with the configuration that the one worker of the training then gets.
"""

import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from frazil.cli import stack as stacks
from frazil.cli.connectors import connector_config, connector_views
from frazil.cli.folder import StackFolder
from frazil.cli.generator import generator_command
from frazil.cli.ports import free_ports
from frazil.cli.screen import quiet_step
from frazil.cli.stack import Stack, Tools
from frazil.cli.waiting import ServiceFailedError, wait_until_ready
from frazil.contracts.assignment import ASSIGNMENT_FILE, STATUS_FILE, Assignment
from frazil.contracts.worker_status import WorkerStatus
from frazil.runtime.alone import alone
from frazil.runtime.child import Child
from frazil.runtime.errors import UserError

_RECORDS_A_SECOND = 300
_COMMITS = 3
# Some machines are busy, and an image without an archive is not built.
_COMMIT_SECONDS = 300
# Writing the archive is the last thing that the JVM does; it takes 20 s on a slow machine.
_DUMP_SECONDS = 120
_STOP_SECONDS = 10


class NoArchiveError(UserError):
    """The JVM did not do its part."""


def archive_path(tools: Tools) -> Path:
    """Ask the worker's own code, which is not for this process to import."""
    command = [sys.executable, "-m", "frazil.worker", "archive-path"]
    done = subprocess.run(
        command, env=tools.environment, stdout=subprocess.PIPE, text=True, check=True
    )
    return Path(done.stdout.strip())


def train(archive: Path, home: Path, *, tools: Tools, desired_state: Path) -> None:
    """Make the archive, or raise; whatever was started is gone afterwards."""
    _require_base_archive(tools.java)
    folder = StackFolder(home, "training")
    with alone(folder.start_lock):
        if archive.exists():
            return
        _remove(folder)  # what a killed set-up left behind
        stack, is_whole = Stack(folder, free_ports(), tools, engine="fake"), False
        try:
            stacks.start(stack, desired_state, quiet_step)
            _run_worker(stack)
            if not archive.exists():
                raise NoArchiveError("Java wrote none at the end of the training run.")
            is_whole = True
        finally:
            _remove(folder)
            if not is_whole:
                archive.unlink(missing_ok=True)


def _remove(folder: StackFolder) -> None:
    stacks.stop(folder)
    shutil.rmtree(folder.root, ignore_errors=True)


def _require_base_archive(java: Path) -> None:
    """See to the archive of Java's own classes, which ours builds upon; slim Javas lack it."""
    base = java.resolve().parents[1] / "lib" / "server" / "classes.jsa"
    if not base.exists():
        subprocess.run([java, "-Xshare:dump"], capture_output=True, check=False)
    if not base.exists():
        raise NoArchiveError(f"{java} has no class archive of its own and could not make one.")


def _run_worker(stack: Stack) -> None:
    assignment = _assignment(stack)
    worker = Child(stack.folder.runs / "training" / "1")
    worker.folder.mkdir(parents=True)
    (worker.folder / ASSIGNMENT_FILE).write_text(assignment.model_dump_json())
    log = worker.folder / "worker.log"
    command = [sys.executable, "-m", "frazil.spark_sink", str(worker.folder)]
    environment = {**stack.tools.environment, "FRAZIL_ARCHIVE": "train"}
    worker.start(command, environment=environment, log=log)
    with _trickle(stack, assignment.config["topics"]):
        wait_until_ready(
            "The training run",
            lambda: _commits(worker) >= _COMMITS,
            child=worker,
            log=log,
            seconds=_COMMIT_SECONDS,
        )
    if not worker.stop(_DUMP_SECONDS):
        raise ServiceFailedError("The training run", reason="did not end", log=log)


def _assignment(stack: Stack) -> Assignment:
    name = connector_views(stack.ports.api_url)[0].name
    key = stack.folder.catalog_key
    # The control API resolves references for workers that it starts; this one is ours.
    config = {
        name: value.replace(key.reference, key.secret)
        for name, value in connector_config(stack.ports.api_url, name).items()
    }
    return Assignment(
        connector=name,
        epoch=1,
        generation=1,
        worker_id="training",
        config=config,
        kafka={"bootstrap.servers": stack.ports.bootstrap_servers},
        secrets=(key.secret,),
    )


@contextmanager
def _trickle(stack: Stack, topic: str) -> Iterator[None]:
    """Send records all the while, so that there are several commits."""
    servers = stack.ports.bootstrap_servers
    command = generator_command(topic, "--rate", str(_RECORDS_A_SECOND), servers=servers)
    generator = stack.folder.service("log-generator")
    log = stack.folder.log("log-generator")
    generator.start(command, environment=stack.tools.environment, log=log)
    try:
        yield
    finally:
        generator.stop(_STOP_SECONDS)


def _commits(worker: Child) -> int:
    file = worker.folder / STATUS_FILE
    return WorkerStatus.model_validate_json(file.read_text()).commits if file.exists() else 0

"""A worker process for one connector: assignment in, exit code out."""

import signal
import threading
from pathlib import Path

from frazil.contracts.exit_code import ExitCode
from frazil.contracts.secrets import is_secret
from frazil.runtime import logs
from frazil.runtime.hiding import Hiding
from frazil.worker.board import StatusBoard
from frazil.worker.drive import run_job
from frazil.worker.errors import BadConfigError
from frazil.worker.job import JobFactory
from frazil.worker.jvm import running_jvm
from frazil.worker.life import live, read_assignment
from frazil.worker.probes import Boards, Probes
from frazil.worker.session import open_session
from frazil.worker.settings import WorkerSettings

log = logs.get_logger(__name__)


def begin(hiding: Hiding) -> WorkerSettings:
    """Do what comes first in each worker process."""
    settings = WorkerSettings()
    logs.configure(settings.log_level, settings.log_format, is_secret=is_secret, hiding=hiding)
    return settings


def stop_signal() -> threading.Event:
    """Return what is set when this process is asked to end."""
    stop = threading.Event()
    for name in (signal.SIGTERM, signal.SIGINT):
        signal.signal(name, lambda *_: stop.set())
    return stop


def run_worker(folder: Path, make_job: JobFactory) -> ExitCode:
    """Run one connector until it is told to stop, or fails."""
    hiding = Hiding()
    settings = begin(hiding)
    try:
        assignment = read_assignment(folder)
    except BadConfigError as error:
        # Without an assignment there is no status to leave behind, only the code and the log.
        log.error("no_assignment", why=str(error))
        return error.exit_code
    boards, stop = Boards(), stop_signal()
    board = boards.add(StatusBoard(folder, assignment))
    board.update(port=Probes(boards, settings.probe_host, settings.probe_port).start())

    def work() -> None:
        job = make_job(assignment, board)
        with (
            running_jvm(settings, folder, job.memory, hiding=hiding) as jvm,
            jvm.explained(),
            open_session(jvm.gateway, job.spark_conf) as spark,
        ):
            run_job(job, spark, board, stop)

    return live(assignment, board, work, hiding=hiding)

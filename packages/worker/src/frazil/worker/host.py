"""A worker process for connectors that come and go: those of a group, or one that comes later."""

import threading
import time
from pathlib import Path

from frazil.contracts.exit_code import ExitCode
from frazil.contracts.hosting import HOSTING_FILE, MEMBERS_FOLDER, Hosting
from frazil.runtime import logs
from frazil.runtime.hiding import Hiding
from frazil.worker.connector import Jobs
from frazil.worker.driver import Driver
from frazil.worker.loop import begin, stop_signal
from frazil.worker.member import Member
from frazil.worker.probes import Boards, Probes

log = logs.get_logger(__name__)

_LOOK_SECONDS = 0.1
# A connector that is started anew finds a driver that runs.
_LINGER_SECONDS = 30.0
# Nobody may be left who knows of it.
_PATIENCE_SECONDS = 3600.0
_END_SECONDS = 15.0


def run_host(folder: Path, jobs: Jobs) -> ExitCode:
    """Take up members until there are none, or until told to stop."""
    hiding, boards = Hiding(), Boards()
    settings = begin(hiding)
    stop = stop_signal()
    hosting = Hosting.model_validate_json((folder / HOSTING_FILE).read_text())
    port = Probes(boards, settings.probe_host, settings.probe_port).start()
    driver = Driver(settings, folder, hosting, jobs, hiding=hiding)
    driver.start()
    log.info("host_started", group=hosting.group, port=port)
    try:
        Host(folder, hosting, driver, boards, port=port, hiding=hiding).serve(stop)
    finally:
        driver.end()
    log.info("host_ended", group=hosting.group)
    return ExitCode.OK


class Host:
    def __init__(
        self,
        folder: Path,
        hosting: Hosting,
        driver: Driver,
        boards: Boards,
        *,
        port: int,
        hiding: Hiding,
    ) -> None:
        self._inbox = folder / MEMBERS_FOLDER
        self._alone = hosting.group is None
        self._driver = driver
        self._boards = boards
        self._port = port
        self._hiding = hiding
        self._members: dict[Path, Member] = {}
        self._idle_until = time.monotonic() + (
            _PATIENCE_SECONDS if self._alone else _LINGER_SECONDS
        )

    def serve(self, stop: threading.Event) -> None:
        while not (stop.wait(_LOOK_SECONDS) or self._is_done()):
            self._take_up()
            for member in self._members.values():
                if member.look() and member.name is not None:
                    self._driver.cancel(member.name)
        self._end_all()

    def _is_done(self) -> bool:
        """Tell whether there is nothing more to come; members that have ended are forgotten."""
        had = bool(self._members)
        self._members = {link: one for link, one in self._members.items() if one.is_alive}
        if self._members:
            return False
        if had:
            self._idle_until = time.monotonic() + (0 if self._alone else _LINGER_SECONDS)
        is_gone = self._driver.has_ended or not self._inbox.exists()
        return is_gone or time.monotonic() > self._idle_until

    def _take_up(self) -> None:
        for link in sorted(self._inbox.iterdir()):
            if self._driver.has_ended or link in self._members or (self._alone and self._members):
                continue
            member = Member(link, self._boards, self._driver.work, hiding=self._hiding)
            if member.begin(self._port):
                self._members[link] = member

    def _end_all(self) -> None:
        for member in self._members.values():
            member.stop.set()
        deadline = time.monotonic() + _END_SECONDS
        for member in self._members.values():
            member.join(max(0.0, deadline - time.monotonic()))

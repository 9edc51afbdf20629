"""The hosts of the process engine: one for each group, and some that wait for a connector."""

import subprocess
import uuid
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

from frazil.contracts.assignment import Assignment
from frazil.contracts.hosting import HOST_LINK, HOSTS_FOLDER, Hosting
from frazil.contracts.naming import run_folder
from frazil.control_api.engine.host_folder import HostFolder
from frazil.control_api.engine.resources import (
    WAITING_KIND,
    driver_for,
    fits_waiting,
    is_enough,
    larger_driver,
    waiting_driver,
)
from frazil.control_api.engine.run_folder import RunFolder

_WAITING = "%waiting"


class Hosts:
    """Kept in memory are the children of this process alone, to reap them. All methods block."""

    def __init__(
        self,
        root: Path,
        command: Callable[[str, Path], Sequence[str]],
        environment: Mapping[str, str] | None,
    ) -> None:
        self._runs = root
        self._root = root / HOSTS_FOLDER
        self._command = command
        self._environment = environment
        self._children: list[subprocess.Popen[bytes]] = []
        # What those that were too small are to be followed by.
        self._outgrown: dict[Path, Hosting] = {}

    def run(self, run: RunFolder, assignment: Assignment, *, kind: str, group: str) -> None:
        """Have the group's driver take it up, which is started anew if it has too little."""
        host = HostFolder(self._root / kind / run_folder(group))
        configs = [told.config for told in map(_assignment, host.members()) if told is not None]
        wanted, there = driver_for(group, [assignment.config, *configs]), host.hosting
        if there is not None and host.is_alive() and not is_enough(there, wanted):
            # Its members come back one by one: what they all want is to be known by the first.
            self._outgrown[host.path] = wanted
            host.ask_to_end()
            return
        if not host.has_link(run.path):
            run.lay_down(assignment, host)
        if not host.is_alive() and host.path in self._outgrown:
            wanted = larger_driver(wanted, self._outgrown.pop(host.path))
        self._start(host, wanted, kind)

    def run_waiting(self, run: RunFolder, assignment: Assignment, kind: str) -> bool:
        """Have one that waits take it up, if there is one that fits."""
        if run.host is not None and run.host.is_alive():
            return True
        host = next(self._waiting(), None) if fits_waiting(assignment, kind) else None
        if host is not None:
            run.lay_down(assignment, host)
        return host is not None

    def keep_waiting(self, count: int) -> int:
        """Start or end some, until so many wait; with none wanted, idle drivers end too."""
        waiting, living = list(self._waiting()), [one for one in self._folders() if one.is_alive()]
        idle = [host for host in living if not host.members()]
        if len(waiting) < count:
            host = HostFolder(self._root / _WAITING / uuid.uuid4().hex)
            self._start(host, waiting_driver(), WAITING_KIND)
        for host in waiting[count:] if count else idle:
            host.ask_to_end()
        self._sweep()
        return len(idle)

    def let_go(self) -> None:
        """Leave living hosts to themselves."""
        for child in self._children:
            if child.poll() is None:
                # A Popen that is dropped unfinished would complain.
                child.returncode = 0

    def _start(self, host: HostFolder, hosting: Hosting, kind: str) -> None:
        self._sweep()
        child = host.start(hosting, lambda path: self._command(kind, path), self._environment)
        if child is not None:
            self._children.append(child)

    def _waiting(self) -> Iterator[HostFolder]:
        of_nobody = (HostFolder(path) for path in sorted(self._root.glob(f"{_WAITING}/*")))
        return (host for host in of_nobody if not host.is_taken and host.is_alive())

    def _sweep(self) -> None:
        """Reap dead children, and remove the folders of the dead that no run folder refers to."""
        self._children = [child for child in self._children if child.poll() is None]
        dead = [host for host in self._folders() if not host.is_alive()]
        used = {link.resolve() for link in self._runs.glob(f"*/*/{HOST_LINK}")} if dead else ()
        for host in dead:
            if host.path not in used:
                host.remove()

    def _folders(self) -> list[HostFolder]:
        return [HostFolder(path) for path in self._root.glob("*/*")]


def _assignment(run: Path) -> Assignment | None:
    return RunFolder(run).assignment

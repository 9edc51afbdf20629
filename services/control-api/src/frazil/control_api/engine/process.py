"""The process engine: a worker is a child process that outlives its parent and is found again."""

import asyncio
import subprocess
import threading
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import aclosing
from pathlib import Path

from frazil.contracts.assignment import Assignment
from frazil.contracts.hosting import HOSTS_FOLDER
from frazil.contracts.naming import connector_of, run_folder
from frazil.control_api.core.errors import EngineError
from frazil.control_api.core.observation import Observation, Worker
from frazil.control_api.engine.claim import Claim
from frazil.control_api.engine.commands import command
from frazil.control_api.engine.hosts import Hosts
from frazil.control_api.engine.log_stream import log_lines
from frazil.control_api.engine.polling import StatusPoll
from frazil.control_api.engine.resources import ABOUT_TO_BEGIN, group_of
from frazil.control_api.engine.run_folder import RunFolder
from frazil.control_api.engine.run_watch import RunWatch

_KEPT_FOLDERS = 3
_REAP_TIMEOUT = 1.0
_WATCH_SECONDS = 0.4

_Key = tuple[str, int]


class ProcessEngine:
    """Run folders are `root/<connector>/<epoch>`; the file system is the only memory that counts.

    Kept in memory are the children of this process, to reap them and learn how they ended, and
    when each worker last answered.
    """

    def __init__(
        self,
        root: Path,
        command: Callable[[str, Path], Sequence[str]] = command,
        *,
        environment: Mapping[str, str] | None = None,
    ) -> None:
        self._root = root.resolve()
        self._command = command
        self._environment = environment
        self._hosts = Hosts(self._root, command, environment)
        self._children: dict[_Key, subprocess.Popen[bytes]] = {}
        # Two connectors must not be given to the same host that waits for one.
        self._starting = threading.Lock()
        self._claim = Claim(self._root / ".lock")
        self._poll = StatusPoll()

    @property
    def trouble(self) -> str | None:
        """There is nothing between us and our own machine that could be away."""
        return None

    async def claim(self) -> None:
        await asyncio.to_thread(self._claim.take)

    async def release(self) -> None:
        await asyncio.to_thread(self._claim.release)

    async def start(self, assignment: Assignment, kind: str) -> None:
        try:
            await asyncio.to_thread(self._start, assignment, kind)
        except OSError as error:
            raise EngineError(str(error)) from error

    async def inspect(self, connector: str) -> Observation:
        seen = await asyncio.to_thread(self._look, connector)
        workers = [
            await self._poll.ask(connector, worker, _address(worker)) if worker.alive else worker
            for worker in seen.workers
        ]
        return Observation(tuple(workers), seen.preparing)

    async def stop(self, connector: str, epoch: int) -> None:
        await asyncio.to_thread(self._folder(connector, epoch).stop)

    async def kill(self, connector: str, epoch: int) -> None:
        await asyncio.to_thread(self._folder(connector, epoch).kill)

    async def remove(self, connector: str) -> None:
        await asyncio.to_thread(self._remove, connector)

    async def connectors(self) -> list[str]:
        return await asyncio.to_thread(self._connectors)

    async def changes(self) -> AsyncIterator[str]:
        try:
            watch = await asyncio.to_thread(RunWatch, self._newest_folders)
            while True:
                await asyncio.sleep(_WATCH_SECONDS)
                for name in await asyncio.to_thread(watch.changed):
                    yield name
        except OSError as error:
            raise EngineError(str(error)) from error

    async def logs(self, connector: str, *, tail: int, follow: bool) -> AsyncIterator[str]:
        folders = await asyncio.to_thread(self._folders, connector)
        for folder in folders[-1:]:
            lines = log_lines(
                folder.log,
                tail=tail,
                follow=follow,
                is_alive=folder.is_alive,
                concerns=folder.concern(),
            )
            async with aclosing(lines):
                async for line in lines:
                    yield line

    async def keep_waiting(self, count: int) -> int:
        try:
            return await asyncio.to_thread(self._keep_waiting, count)
        except OSError as error:
            raise EngineError(str(error)) from error

    async def close(self) -> None:
        await self._poll.close()
        await asyncio.to_thread(self._hosts.let_go)
        self._claim.release()

    def _start(self, assignment: Assignment, kind: str) -> None:
        folder, group = self._folder(assignment.connector, assignment.epoch), group_of(assignment)
        with self._starting:
            if folder.is_alive():
                return
            if group is not None:
                self._hosts.run(folder, assignment, kind=kind, group=group)
            elif not self._hosts.run_waiting(folder, assignment, kind):
                self._spawn(folder, assignment, kind)
        older = [one for one in self._folders(assignment.connector) if not one.is_alive()]
        self._forget(assignment.connector, older[:-_KEPT_FOLDERS])

    def _keep_waiting(self, count: int) -> int:
        with self._starting:
            return self._hosts.keep_waiting(count)

    def _spawn(self, folder: RunFolder, assignment: Assignment, kind: str) -> None:
        key = (assignment.connector, assignment.epoch)
        child = folder.spawn(
            assignment, lambda folder: self._command(kind, folder), environment=self._environment
        )
        if child is not None:
            self._children[key] = child

    def _look(self, connector: str) -> Observation:
        """Return the living and, of the dead, the newest that got as far as a process."""
        self._reap(connector)
        folders = self._folders(connector)
        alive = {folder.epoch for folder in folders if folder.is_alive()}
        dead = [f for f in folders if f.epoch not in alive and f.was_spawned()]
        living = [f for f in folders if f.epoch in alive]
        seen = (
            *(Worker(f.epoch, alive=True, status=f.status()) for f in living),
            *(self._autopsy(connector, f) for f in dead[-1:]),
        )
        return Observation(seen, ABOUT_TO_BEGIN if any(f.waits() for f in folders[-1:]) else None)

    def _reap(self, connector: str) -> None:
        """Fetch the exit status of dead children, or they would stay as zombies."""
        for (name, _), child in list(self._children.items()):
            if name == connector:
                child.poll()

    def _autopsy(self, connector: str, folder: RunFolder) -> Worker:
        child = self._children.get((connector, folder.epoch))
        # The lock goes a moment before the kernel has the exit status ready.
        exit_status = None if child is None else child.wait(_REAP_TIMEOUT)
        return Worker(
            folder.epoch,
            alive=False,
            status=folder.status(),
            exit_status=exit_status,
            log_tail=folder.log_tail(),
        )

    def _remove(self, connector: str) -> None:
        folders = self._folders(connector)
        dead = [folder for folder in folders if not folder.is_alive()]
        self._forget(connector, dead)
        if len(dead) == len(folders):
            RunFolder(self._root / run_folder(connector)).remove()

    def _forget(self, connector: str, folders: Iterable[RunFolder]) -> None:
        for folder in folders:
            child = self._children.pop((connector, folder.epoch), None)
            if child is not None:
                child.wait(_REAP_TIMEOUT)
            self._poll.forget(connector, folder.epoch)
            folder.remove()

    def _connectors(self) -> list[str]:
        if not self._root.exists():
            return []
        folders = (path.name for path in self._root.iterdir() if path.is_dir())
        return sorted(connector_of(name) for name in folders if name != HOSTS_FOLDER)

    def _newest_folders(self) -> Iterator[tuple[str, RunFolder]]:
        for connector in self._connectors():
            for folder in self._folders(connector)[-1:]:
                yield connector, folder

    def _folder(self, connector: str, epoch: int) -> RunFolder:
        return RunFolder(self._root / run_folder(connector) / str(epoch))

    def _folders(self, connector: str) -> list[RunFolder]:
        """Return the run folders of a connector, oldest epoch first."""
        home = self._root / run_folder(connector)
        paths = home.iterdir() if home.exists() else iter(())
        folders = (RunFolder(path) for path in paths if path.name.isdecimal())
        return sorted(folders, key=lambda folder: folder.epoch)


def _address(worker: Worker) -> str | None:
    return f"127.0.0.1:{worker.status.port}" if worker.status and worker.status.port else None

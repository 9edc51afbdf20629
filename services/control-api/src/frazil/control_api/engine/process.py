"""The process engine: a worker is a child process that outlives its parent and is found again."""

import asyncio
import fcntl
import os
import signal
import subprocess
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import IO

import httpx
from pydantic import ValidationError

from frazil.contracts.assignment import Assignment
from frazil.contracts.naming import connector_of, run_folder
from frazil.contracts.worker_status import WorkerStatus
from frazil.control_api.core.errors import EngineError
from frazil.control_api.core.observation import Observation, Worker
from frazil.control_api.engine.commands import command
from frazil.control_api.engine.run_folder import RunFolder
from frazil.runtime.child import try_lock

_KEPT_FOLDERS = 3
_POLL_TIMEOUT = 1.0
_REAP_TIMEOUT = 1.0

_Key = tuple[str, int]


class ProcessEngine:
    """Run folders are `root/<connector>/<epoch>`; the file system is the only memory that counts.

    Kept in memory are the children of this process, to reap them and learn how they ended, and
    when each worker last answered.
    """

    def __init__(self, root: Path, command: Callable[[str, Path], Sequence[str]] = command) -> None:
        self._root = root.resolve()
        self._command = command
        self._children: dict[_Key, subprocess.Popen[bytes]] = {}
        self._answered: dict[_Key, float] = {}
        self._claim: IO[str] | None = None
        # Workers are on this machine: a proxy from the environment has no business here.
        self._http = httpx.AsyncClient(timeout=_POLL_TIMEOUT, trust_env=False)

    def claim(self) -> None:
        """Make the run folders this engine's alone, for as long as this process lives.

        Two reconcilers on the same workers would end each other's. Raises EngineError.
        """
        self._root.mkdir(parents=True, exist_ok=True)
        claim = (self._root / ".lock").open("w")
        if not try_lock(claim, fcntl.LOCK_EX):
            claim.close()
            raise EngineError(f"another control API looks after the workers in {self._root}")
        self._claim = claim

    async def start(self, assignment: Assignment, kind: str) -> None:
        try:
            await asyncio.to_thread(self._spawn, assignment, kind)
        except OSError as error:
            raise EngineError(str(error)) from error

    async def inspect(self, connector: str) -> Observation:
        seen = await asyncio.to_thread(self._look, connector)
        workers = [
            await self._ask(connector, worker) if worker.alive else worker for worker in seen
        ]
        return Observation(tuple(workers))

    async def stop(self, connector: str, epoch: int) -> None:
        await asyncio.to_thread(self._folder(connector, epoch).signal, _terminate)

    async def kill(self, connector: str, epoch: int) -> None:
        await asyncio.to_thread(self._folder(connector, epoch).signal, _kill_group)

    async def remove(self, connector: str) -> None:
        await asyncio.to_thread(self._remove, connector)

    async def connectors(self) -> list[str]:
        return await asyncio.to_thread(self._connectors)

    async def close(self) -> None:
        await self._http.aclose()
        if self._claim is not None:
            self._claim.close()

    def _spawn(self, assignment: Assignment, kind: str) -> None:
        key = (assignment.connector, assignment.epoch)
        child = self._folder(*key).spawn(assignment, lambda folder: self._command(kind, folder))
        if child is not None:
            self._children[key] = child
        older = [folder for folder in self._folders(key[0]) if not folder.is_alive()]
        self._forget(assignment.connector, older[:-_KEPT_FOLDERS])

    def _look(self, connector: str) -> list[Worker]:
        """Return the living and, of the dead, the newest that got as far as a process."""
        self._reap(connector)
        folders = self._folders(connector)
        alive = {folder.epoch for folder in folders if folder.is_alive()}
        dead = [f for f in folders if f.epoch not in alive and f.was_spawned()]
        living = [f for f in folders if f.epoch in alive]
        return [
            *(Worker(f.epoch, alive=True, status=f.status()) for f in living),
            *(self._autopsy(connector, f) for f in dead[-1:]),
        ]

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

    async def _ask(self, connector: str, worker: Worker) -> Worker:
        """Prefer the worker's own answer to its file, and count how long it has been silent."""
        key = (connector, worker.epoch)
        now = time.monotonic()
        answer = await self._answer(connector, worker)
        if answer is not None:
            self._answered[key] = now
            return replace(worker, status=answer)
        return replace(worker, silent_for=now - self._answered.setdefault(key, now))

    async def _answer(self, connector: str, worker: Worker) -> WorkerStatus | None:
        if worker.status is None or not worker.status.port:
            return None
        try:
            response = await self._http.get(f"http://127.0.0.1:{worker.status.port}/status")
            status = WorkerStatus.model_validate_json(response.content)
        except (httpx.HTTPError, ValidationError):
            return None
        # Another process may have come into possession of the port.
        return status if (status.connector, status.epoch) == (connector, worker.epoch) else None

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
            self._answered.pop((connector, folder.epoch), None)
            folder.remove()

    def _connectors(self) -> list[str]:
        if not self._root.exists():
            return []
        return sorted(connector_of(path.name) for path in self._root.iterdir() if path.is_dir())

    def _folder(self, connector: str, epoch: int) -> RunFolder:
        return RunFolder(self._root / run_folder(connector) / str(epoch))

    def _folders(self, connector: str) -> list[RunFolder]:
        """Return the run folders of a connector, oldest epoch first."""
        home = self._root / run_folder(connector)
        paths = home.iterdir() if home.exists() else iter(())
        folders = (RunFolder(path) for path in paths if path.name.isdecimal())
        return sorted(folders, key=lambda folder: folder.epoch)


def _terminate(pid: int) -> None:
    os.kill(pid, signal.SIGTERM)


def _kill_group(pid: int) -> None:
    os.killpg(pid, signal.SIGKILL)

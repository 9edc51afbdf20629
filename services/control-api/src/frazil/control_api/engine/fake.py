"""The fake engine: workers in memory that obey, unless they are told how to misbehave."""

import asyncio
from collections.abc import AsyncIterator, Mapping, MutableMapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime

from frazil.contracts.assignment import Assignment
from frazil.contracts.exit_code import ExitCode
from frazil.contracts.preview import Preview
from frazil.contracts.states import WorkerState
from frazil.contracts.worker_status import TableStatus, WorkerStatus
from frazil.control_api.core.errors import EngineError
from frazil.control_api.core.observation import Observation, Worker
from frazil.control_api.core.ports import Clock

_SIGKILL = -9


@dataclass(frozen=True, slots=True)
class Behaviour:
    """How the workers of a connector behave from their next start on.

    `preparing` keeps a start from getting as far as a worker.
    """

    refuses_to_start: str | None = None
    exits_with: ExitCode | None = None
    trace: str | None = None
    preparing: str | None = None
    says: tuple[str, ...] = ()
    never_ready: bool = False
    ignores_stop: bool = False
    commits: int = 0
    tables: Mapping[str, TableStatus] = field(default_factory=dict)
    preview: Preview | None = None


@dataclass(slots=True)
class FakeEngine:
    """Keeps its workers when the control API around it is made anew, as a machine would."""

    clock: Clock
    behaviours: MutableMapping[str, Behaviour] = field(default_factory=dict)
    starts: list[tuple[str, int]] = field(default_factory=list)
    trouble: str | None = None
    claimed_elsewhere: bool = False
    _workers: dict[str, dict[int, Worker]] = field(default_factory=dict)
    _silent_since: dict[str, float] = field(default_factory=dict)
    _written: dict[str, list[str]] = field(default_factory=dict)
    _listeners: list[asyncio.Queue[str | None]] = field(default_factory=list)

    async def claim(self) -> None:
        if self.claimed_elsewhere:
            raise EngineError("another control API looks after the workers in memory")

    async def release(self) -> None:
        return None

    async def start(self, assignment: Assignment, kind: str) -> None:
        self._require_presence()
        name, epoch = assignment.connector, assignment.epoch
        behaviour = self._behaviour(
            name if assignment.preview is None else assignment.config["name"]
        )
        if behaviour.refuses_to_start is not None:
            raise EngineError(f"{kind}: {behaviour.refuses_to_start}")
        workers = self._workers.setdefault(name, {})
        if behaviour.preparing is not None or (epoch in workers and workers[epoch].alive):
            return
        self.starts.append((name, epoch))
        worker = Worker(epoch, alive=True, status=self._status(assignment, behaviour))
        workers[epoch] = worker
        self._written[name] = [f"worker {epoch} starts", *behaviour.says]
        self._tell(name)
        exit_code = behaviour.exits_with
        if assignment.preview is not None and not behaviour.never_ready:
            exit_code = exit_code or ExitCode.OK
        if exit_code is not None:
            self.exit(name, exit_code, behaviour.trace)

    async def inspect(self, connector: str) -> Observation:
        self._require_presence()
        workers = self._workers.get(connector, {})
        silent_since = self._silent_since.get(connector)
        silent_for = 0.0 if silent_since is None else self.clock.now() - silent_since
        dead = [epoch for epoch, worker in workers.items() if not worker.alive][-1:]
        return Observation(
            tuple(
                replace(worker, silent_for=silent_for) if worker.alive else worker
                for epoch, worker in sorted(workers.items())
                if worker.alive or epoch in dead
            ),
            preparing=None if workers else self._behaviour(connector).preparing,
        )

    async def stop(self, connector: str, epoch: int) -> None:
        self._require_presence()
        worker = self._living(connector, epoch)
        if worker is not None and not self._behaviour(connector).ignores_stop:
            self._end(connector, worker, ExitCode.OK, None)

    async def kill(self, connector: str, epoch: int) -> None:
        self._require_presence()
        worker = self._living(connector, epoch)
        if worker is not None:
            self._bury(connector, replace(worker, alive=False, exit_status=_SIGKILL))

    async def remove(self, connector: str) -> None:
        self._require_presence()
        workers = self._workers.pop(connector, {})
        living = {epoch: worker for epoch, worker in workers.items() if worker.alive}
        if living:
            self._workers[connector] = living
        else:
            self._written.pop(connector, None)

    async def keep_waiting(self, count: int) -> int:
        """Keep none: starts cost nothing here."""
        del count
        return 0

    async def connectors(self) -> list[str]:
        self._require_presence()
        return sorted(self._workers)

    async def changes(self) -> AsyncIterator[str]:
        self._require_presence()
        heard: asyncio.Queue[str | None] = asyncio.Queue()
        self._listeners.append(heard)
        try:
            while (name := await heard.get()) is not None:
                yield name
        finally:
            self._listeners.remove(heard)
        self._require_presence()

    async def logs(self, connector: str, *, tail: int, follow: bool) -> AsyncIterator[str]:
        self._require_presence()
        written = self._written.get(connector, [])
        shown = max(len(written) - tail, 0)
        while True:
            alive = bool(self._all_living(connector))
            while shown < len(written):
                yield written[shown]
                shown += 1
            if not follow or not alive:
                return
            await asyncio.sleep(0.01)

    async def close(self) -> None:
        return None

    def exit(self, connector: str, code: ExitCode, trace: str | None = None) -> None:
        """Let the living worker end by itself with its last words."""
        for worker in self._all_living(connector):
            self._end(connector, worker, code, trace)

    def die(self, connector: str) -> None:
        """Let the living worker die without a word, as by kill -9."""
        for worker in self._all_living(connector):
            self._bury(connector, replace(worker, alive=False, exit_status=_SIGKILL))

    def fall_silent(self, connector: str) -> None:
        self._silent_since[connector] = self.clock.now()

    def run_out_of_memory(self, connector: str) -> None:
        cause = "ran out of its 512 MB of memory; raise frazil.container.memory"
        for worker in self._all_living(connector):
            self._bury(connector, replace(worker, alive=False, exit_status=_SIGKILL, cause=cause))

    def vanish(self, connector: str) -> None:
        """Let all workers be gone without a trace, as if somebody had cleaned up."""
        self._workers.pop(connector, None)
        self._tell(connector)

    def write(self, connector: str, line: str) -> None:
        """Let the living worker write a line to its log."""
        self._written[connector].append(line)

    @property
    def is_listened_to(self) -> bool:
        return bool(self._listeners)

    def go_away(self, sentence: str) -> None:
        """Be out of reach, as a daemon that has ended; workers go on."""
        self.trouble = sentence
        for listener in self._listeners:
            listener.put_nowait(None)

    def come_back(self) -> None:
        self.trouble = None

    def _require_presence(self) -> None:
        if self.trouble is not None:
            raise EngineError(self.trouble)

    def _tell(self, connector: str) -> None:
        for listener in self._listeners:
            listener.put_nowait(connector)

    def _status(self, assignment: Assignment, behaviour: Behaviour) -> WorkerStatus:
        topics = assignment.config.get("topics", "").split(",")
        return WorkerStatus(
            connector=assignment.connector,
            epoch=assignment.epoch,
            generation=assignment.generation,
            pid=0,
            state=WorkerState.STARTING if behaviour.never_ready else WorkerState.RUNNING,
            since=datetime.fromtimestamp(self.clock.now(), UTC),
            position={topic.strip(): {0: 0} for topic in topics if topic.strip()},
            commits=behaviour.commits,
            rewind=assignment.rewind.newest if assignment.rewind else 0,
            tables=dict(behaviour.tables),
            preview=None if assignment.preview is None else behaviour.preview,
        )

    def _end(self, connector: str, worker: Worker, code: ExitCode, trace: str | None) -> None:
        state = WorkerState.STOPPED if code is ExitCode.OK else WorkerState.FAILED
        words = {"state": state, "exit_code": code, "trace": trace}
        status = worker.status.model_copy(update=words) if worker.status else None
        self._bury(connector, replace(worker, alive=False, status=status, exit_status=int(code)))

    def _bury(self, connector: str, worker: Worker) -> None:
        self._workers[connector][worker.epoch] = worker
        self._silent_since.pop(connector, None)
        self._written[connector].append(f"worker {worker.epoch} ends")
        self._tell(connector)

    def _living(self, connector: str, epoch: int) -> Worker | None:
        worker = self._workers.get(connector, {}).get(epoch)
        return worker if worker is not None and worker.alive else None

    def _all_living(self, connector: str) -> list[Worker]:
        return [worker for worker in self._workers.get(connector, {}).values() if worker.alive]

    def _behaviour(self, connector: str) -> Behaviour:
        return self.behaviours.get(connector, Behaviour())

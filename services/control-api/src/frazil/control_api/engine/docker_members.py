"""The members of hosts that are containers: how each fares, or how it ended."""

import time
from collections.abc import Collection
from contextlib import suppress
from dataclasses import replace

from frazil.contracts.hosting import KILL_FILE, STOP_FILE
from frazil.contracts.states import WorkerState
from frazil.contracts.worker_status import WorkerStatus
from frazil.control_api.core.observation import Worker
from frazil.control_api.engine.docker import Daemon, GoneError
from frazil.control_api.engine.docker_host_spec import (
    Note,
    asking_archive,
    forgetting_archive,
    member_folder,
)
from frazil.control_api.engine.docker_register import Register
from frazil.control_api.engine.docker_spec import VOLUME
from frazil.control_api.engine.docker_states import Host, autopsy, lack_of_memory
from frazil.control_api.engine.docker_steps import (
    discard,
    signal,
    status_in,
)
from frazil.control_api.engine.log_file import LOG_TAIL_LINES, as_tail, is_about
from frazil.control_api.engine.polling import StatusPoll

# A member that has not ended by then is beyond help, and so is its host.
_KILL_SECONDS = 10.0
# Among the lines of many, those of one are looked for in so many.
_LOG_LINES = 1000

_Key = tuple[str, str, int]


class Members:
    """Kept in memory is only what is cheaper to know than to ask: who has begun, who has ended."""

    def __init__(self, daemon: Daemon, register: Register, poll: StatusPoll) -> None:
        self._daemon = daemon
        self._register = register
        self._poll = poll
        self._begun: set[_Key] = set()
        self._dead: dict[_Key, Worker] = {}
        self._killed: dict[_Key, float] = {}

    async def look(self, host: Host, note: Note) -> Worker | None:
        """Return the worker; None if it never began, and is nobody's fault."""
        key = _key(host, note)
        if key in self._dead:
            return self._dead[key]
        if host.is_alive:
            return await self._look(host, note)
        return await self._autopsy(host, note) if host.is_dead else None

    def has_ended(self, host: Host, note: Note) -> bool:
        """Tell whether it is known to have ended, without asking anybody."""
        return _key(host, note) in self._dead

    async def stop(self, host: Host, note: Note) -> None:
        await self._ask(host, note, STOP_FILE)

    async def kill(self, host: Host, note: Note) -> None:
        """End it; one that does not obey takes its host with it."""
        key = _key(host, note)
        first = self._killed.setdefault(key, time.monotonic())
        if time.monotonic() - first <= _KILL_SECONDS:
            await self._ask(host, note, KILL_FILE)
        elif (worker := await self.look(host, note)) is not None and worker.alive:
            await signal(self._daemon, host.id, "SIGKILL")

    async def forget(self, host: Host, note: Note) -> None:
        """Leave nothing of a dead one, nor of a dead host that had no other."""
        self._register.drop(host.id, note)
        for known in (self._dead, self._killed):
            known.pop(_key(host, note), None)
        self._begun.discard(_key(host, note))
        self._poll.forget(note.connector, note.epoch)
        if host.is_dead and not await self._register.notes(host.id, host.salt):
            await discard(self._daemon, host.id)
            return
        with suppress(GoneError):
            await self._daemon.put(host.id, VOLUME, forgetting_archive(note))

    def keep(self, hosts: Collection[str]) -> None:
        """Forget the members of all other hosts."""
        for key in [
            key for key in (*self._dead, *self._killed, *self._begun) if key[0] not in hosts
        ]:
            self._dead.pop(key, None)
            self._killed.pop(key, None)
            self._begun.discard(key)

    async def _ask(self, host: Host, note: Note, file: str) -> None:
        if not self.has_ended(host, note):
            with suppress(GoneError):
                await self._daemon.put(host.id, VOLUME, asking_archive(note, file))

    async def _look(self, host: Host, note: Note) -> Worker | None:
        """Ask a living one, and where it cannot be reached its file."""
        if _key(host, note) not in self._begun:
            if await self._status(host, note) is None:
                return None
            self._begun.add(_key(host, note))
        worker = Worker(note.epoch, alive=True)
        asked = await self._poll.ask(note.connector, worker, host.address)
        status = asked.status or await self._status(host, note)
        if status is not None and status.state.is_final:
            return await self._ended(host, note, status)
        return replace(asked, status=status)

    async def _autopsy(self, host: Host, note: Note) -> Worker | None:
        """Look at one whose host is dead: it has ended before, or with it."""
        status = await self._status(host, note)
        if status is not None and status.state.is_final:
            return await self._ended(host, note, status)
        try:
            found = await self._daemon.inspect(host.id)
            log_tail = await self._log_tail(host, note)
        except GoneError:
            return None
        dead = autopsy(note.epoch, found, status=status, log_tail=log_tail)
        if status is None and dead.exit_status == 0:
            return None  # it came when the host was about to go, and is to be started again
        return self._dead.setdefault(_key(host, note), dead)

    async def _ended(self, host: Host, note: Note, status: WorkerStatus) -> Worker | None:
        """Describe one that has ended by itself, of which the system has nothing to say."""
        try:
            found = await self._daemon.inspect(host.id)
            log_tail = await self._log_tail(host, note)
        except GoneError:
            return None
        # Of its JVM it only sees that it is gone.
        cause = lack_of_memory(found) if status.state is WorkerState.FAILED else None
        dead = Worker(note.epoch, alive=False, status=status, cause=cause, log_tail=log_tail)
        return self._dead.setdefault(_key(host, note), dead)

    async def _status(self, host: Host, note: Note) -> WorkerStatus | None:
        return await status_in(self._daemon, host.id, member_folder(note))

    async def _log_tail(self, host: Host, note: Note) -> str:
        lines = (await self._daemon.log_tail(host.id, _LOG_LINES)).splitlines()
        own = [line for line in lines if is_about(line, note.connector, note.epoch)]
        return as_tail(b"\n".join(own[-LOG_TAIL_LINES:]))


def _key(host: Host, note: Note) -> _Key:
    return host.id, note.connector, note.epoch

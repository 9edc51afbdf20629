"""The hosts of the docker engine: containers of groups, and some that wait for a connector."""

import asyncio
from collections.abc import AsyncGenerator, Callable, Mapping
from secrets import token_hex

from frazil.contracts.assignment import Assignment
from frazil.control_api.core.observation import Worker
from frazil.control_api.engine.docker import Daemon
from frazil.control_api.engine.docker_host_spec import (
    HOST_LABEL,
    Note,
    Room,
    fits,
    host_archive,
    host_name,
    host_options,
    larger,
    link_archive,
    member_archive,
    note_of,
    room_for,
    waiting_room,
)
from frazil.control_api.engine.docker_member_log import MemberLog, member_lines
from frazil.control_api.engine.docker_members import Members
from frazil.control_api.engine.docker_register import Register
from frazil.control_api.engine.docker_spec import INSTANCE_LABEL, VOLUME, DockerOptions
from frazil.control_api.engine.docker_states import Host
from frazil.control_api.engine.docker_steps import discard, launch, signal
from frazil.control_api.engine.polling import StatusPoll
from frazil.control_api.engine.resources import WAITING_KIND

_WATCH_SECONDS = 1.0


class DockerHosts:
    """A member is known by a note in its host's volume, for labels cannot change."""

    def __init__(
        self,
        daemon: Daemon,
        options: DockerOptions,
        program: Callable[[str], str],
        poll: StatusPoll,
        installation_key: str,
    ) -> None:
        self._daemon = daemon
        self._options = options
        self._program = program
        self._poll = poll
        self._register = Register(daemon, installation_key)
        self._members = Members(daemon, self._register, poll)
        # Two connectors must not be given to the same host that waits for one.
        self._starting = asyncio.Lock()
        self._ending: set[str] = set()
        # What those that were too small are to be followed by.
        self._outgrown: dict[str, Room] = {}
        self._living: list[Host] = []
        # Who uses neither groups nor spares is to pay nothing for them.
        self._sole = self._are_none = self._has_started = False

    def trust(self, *, sole: bool) -> None:
        """Begin or end to believe that nobody else starts anything."""
        self._register.trust(sole=sole)
        self._sole, self._are_none = sole, False

    async def run(self, assignment: Assignment, *, kind: str, group: str, image: str) -> None:
        """Have the group's host take it up, which is started anew if it has too little."""
        name = host_name(kind, group, image)
        room = room_for(group, [assignment.config], self._options)
        async with self._starting:
            hosts = [host for host in await self._hosts() if host.name == name]
            living = [host for host in hosts if host.is_alive]
            if not living:
                room = larger(room, self._outgrown.get(name))
                await self._start(name, kind, room, hosts, assignment)
                self._outgrown.pop(name, None)
            for host in living:
                if host.id in self._ending or await self._was_given(host, assignment):
                    continue
                if host.room.has(room):
                    await self._give(host, assignment)
                else:
                    await self._outgrow(host, room)

    async def run_waiting(self, assignment: Assignment, kind: str) -> bool:
        """Have one that waits take it up, if there is one that fits."""
        name = host_name(WAITING_KIND, None, self._options.image)
        async with self._starting:
            for host in await self._hosts():
                if host.is_alive and await self._was_given(host, assignment):
                    return True
            for host in await self._waiting():
                if host.name == name and fits(host.room, assignment, kind, self._options):
                    await self._give(host, assignment)
                    return True
        return False

    async def keep_waiting(self, count: int) -> int:
        """Start or end some, until so many wait; with none wanted, idle hosts end too.

        None is started before there is the image, which the first connector has loaded.
        """
        name = host_name(WAITING_KIND, None, self._options.image)
        async with self._starting:
            waiting = await self._waiting()
            of_use = [host for host in waiting if host.name == name]
            if len(of_use) < count and await self._daemon.has_image(self._options.image):
                others = [host for host in await self._hosts() if host.name == name]
                await self._start(name, WAITING_KIND, waiting_room(self._options), others)
            surplus = [host for host in waiting if host not in of_use[:count]]
            idle = await self._idle()
            for host in surplus if count else idle:
                await self._ask_to_end(host)
            await self._sweep(await self._hosts())
            return len(idle)

    async def look(self, connector: str) -> tuple[list[Worker], bool]:
        """Return its workers, and whether one is about to be taken up."""
        workers, waits = [], False
        for host, note in await self.of(connector):
            worker = await self._members.look(host, note)
            if worker is not None:
                workers.append(worker)
            waits = waits or (worker is None and host.is_alive)
        return workers, waits

    async def stop(self, connector: str, epoch: int) -> None:
        for host, note in await self.of(connector):
            if host.is_alive and note.epoch == epoch:
                await self._members.stop(host, note)

    async def kill(self, connector: str, epoch: int) -> None:
        for host, note in await self.of(connector):
            if host.is_alive and note.epoch == epoch:
                await self._members.kill(host, note)

    async def forget_dead(self, connector: str, keep: int = 0) -> None:
        """Forget the dead of a connector, but for the newest."""
        dead = []
        for host, note in await self.of(connector):
            worker = await self._members.look(host, note)
            if not host.is_alive or (worker is not None and not worker.alive):
                dead.append((host, note))
        for host, note in dead[: max(0, len(dead) - keep)]:
            await self._members.forget(host, note)

    async def connectors(self) -> set[str]:
        notes = [await self._notes(host) for host in await self._hosts()]
        return {note.connector for some in notes for note in some}

    async def names_in(self, host: str, salt: str) -> list[str]:
        """Name the connectors that the container was given."""
        return sorted({note.connector for note in await self._register.noticed(host, salt)})

    async def changes(self) -> AsyncGenerator[str, None]:
        """Yield names of members that hosts have taken up, or have no more, or in a new state."""
        before: Mapping[str, Mapping[str, str]] = {}
        while True:
            await asyncio.sleep(_WATCH_SECONDS)
            now = {host.id: await self._states(host, before) for host in self._living}
            for host, states in now.items():
                old = before.get(host, {})
                for name in sorted(states.keys() | old.keys()):
                    if states.get(name) != old.get(name):
                        yield name
            before = now

    def lines(
        self, host: Host, note: Note, *, tail: int, follow: bool
    ) -> AsyncGenerator[str, None]:
        async def is_alive() -> bool:
            found = [one for one, _ in await self.of(note.connector) if one.id == host.id]
            workers = [await self._members.look(one, note) for one in found]
            return any(worker is not None and worker.alive for worker in workers)

        log = MemberLog(self._daemon, host.id, note.connector, note.epoch)
        return member_lines(log, tail=tail, follow=follow, is_alive=is_alive)

    async def of(self, connector: str) -> list[tuple[Host, Note]]:
        """Return where it was given to a host, oldest epoch first."""
        found = [
            (host, note)
            for host in await self._hosts()
            for note in await self._notes(host)
            if note.connector == connector
        ]
        return sorted(found, key=lambda one: (one[1].epoch, one[0].number))

    async def _states(
        self, host: Host, before: Mapping[str, Mapping[str, str]]
    ) -> Mapping[str, str]:
        states = await self._poll.members(host.address) if host.address else None
        return before.get(host.id, {}) if states is None else states

    async def _was_given(self, host: Host, assignment: Assignment) -> bool:
        """Tell whether a host has it, and see to it that it is taken up."""
        for note in await self._notes(host):
            if note.is_of(assignment):
                if await self._members.look(host, note) is None:
                    await self._daemon.put(host.id, VOLUME, link_archive(note))
                return True
        return False

    async def _notes(self, host: Host) -> list[Note]:
        return await self._register.notes(host.id, host.salt)

    async def _give(self, host: Host, assignment: Assignment) -> None:
        key = self._register.key_of(host.salt)
        await self._daemon.put(host.id, VOLUME, member_archive(assignment, key))
        self._register.add(host.id, note_of(assignment))

    async def _outgrow(self, host: Host, room: Room) -> None:
        """End a host, for one to follow that has enough for its members and one more."""
        notes = await self._notes(host)
        rest = [note.config for note in notes if not self._members.has_ended(host, note)]
        group = room.hosting.group
        staying = room_for(group, rest, self._options) if rest else None
        self._outgrown[host.name] = larger(room, staying)
        await self._ask_to_end(host)

    async def _ask_to_end(self, host: Host) -> None:
        self._ending.add(host.id)
        await signal(self._daemon, host.id, "SIGTERM")

    async def _start(
        self, name: str, kind: str, room: Room, others: list[Host], *given: Assignment
    ) -> None:
        self._has_started = True
        await self._sweep(others)
        number = max((host.number for host in others), default=0) + 1
        salt = token_hex(16)
        container, description = host_options(
            name, number, self._program(kind), room, self._options, salt=salt
        )
        key = self._register.key_of(salt)
        members = (member_archive(assignment, key) for assignment in given)
        files = [host_archive(room.hosting), *members]
        started = await launch(self._daemon, container, description, *files)
        for assignment in given:
            self._register.add(started, note_of(assignment))

    async def _waiting(self) -> list[Host]:
        return [
            host
            for host in await self._hosts()
            if host.is_alive
            and host.room.hosting.group is None
            and host.id not in self._ending
            and not await self._notes(host)
        ]

    async def _idle(self) -> list[Host]:
        return [host for host in await self._hosts() if host.is_alive and await self._is_idle(host)]

    async def _is_idle(self, host: Host) -> bool:
        notes = await self._notes(host)
        workers = [await self._members.look(host, note) for note in notes]
        return all(worker is not None and not worker.alive for worker in workers)

    async def _sweep(self, hosts: list[Host]) -> None:
        """Remove those that do not live and that nobody refers to, or never began to."""
        for host in hosts:
            is_left = host.is_dead and not await self._notes(host)
            if is_left or not (host.is_alive or host.is_dead):
                await discard(self._daemon, host.id)

    async def _hosts(self) -> list[Host]:
        """List the hosts of this instance, oldest first."""
        if self._are_none and not self._has_started:
            return []
        labels = [f"{INSTANCE_LABEL}={self._options.instance}", HOST_LABEL]
        listed = map(Host.of, await self._daemon.containers(labels))
        hosts = sorted(listed, key=lambda host: (host.name, host.number))
        ids = {host.id for host in hosts}
        self._register.keep(ids)
        self._members.keep(ids)
        self._ending &= ids
        self._living = [host for host in hosts if host.is_alive]
        self._are_none = self._sole and not hosts
        return hosts

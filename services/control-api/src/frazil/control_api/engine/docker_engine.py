"""The docker engine: a worker is a container of its own, or a member of one that is a host.

Labels, and notes in the volumes of hosts, are the only memory that counts.
"""

import asyncio
import time
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Iterable
from contextlib import aclosing
from dataclasses import replace

from frazil.contracts.assignment import Assignment
from frazil.contracts.naming import container_name
from frazil.control_api.core.errors import EngineError
from frazil.control_api.core.observation import Observation, Worker
from frazil.control_api.engine.claim import Claim
from frazil.control_api.engine.commands import module_of
from frazil.control_api.engine.docker import Answer, Daemon, GoneError
from frazil.control_api.engine.docker_host_spec import SALT_LABEL
from frazil.control_api.engine.docker_hosts import DockerHosts
from frazil.control_api.engine.docker_pull import Pulls
from frazil.control_api.engine.docker_spec import (
    CONNECTOR_LABEL,
    INSTANCE_LABEL,
    RUN_FOLDER,
    DockerOptions,
    assignment_archive,
    create_options,
)
from frazil.control_api.engine.docker_states import Container, autopsy, lack_of_memory
from frazil.control_api.engine.docker_steps import (
    discard,
    launch,
    signal,
    status_in,
)
from frazil.control_api.engine.log_file import LOG_TAIL_LINES, as_tail, decoded
from frazil.control_api.engine.polling import StatusPoll
from frazil.control_api.engine.pump import merged
from frazil.control_api.engine.resources import ABOUT_TO_BEGIN, group_of

_KEPT_CONTAINERS = 3


class DockerEngine:
    """Kept in memory are only what is cheaper to know than to ask: answers, and how the dead died.

    Two of them share a daemon without seeing each other when their instances have two names.
    `installation_key` is a secret of all processes with the same store.
    """

    def __init__(
        self,
        daemon: Daemon,
        options: DockerOptions,
        claim: Claim,
        program: Callable[[str], str] = module_of,
        *,
        installation_key: str,
    ) -> None:
        self._daemon = daemon
        self._options = options
        self._claim = claim
        self._program = program
        self._poll = StatusPoll()
        self._hosts = DockerHosts(daemon, options, program, self._poll, installation_key)
        self._pulls = Pulls(daemon.pull)
        self._waiting: dict[str, str] = {}
        self._dead: dict[str, Worker] = {}
        self._heard_until = time.time()

    @property
    def trouble(self) -> str | None:
        return self._daemon.trouble

    async def claim(self) -> None:
        await asyncio.to_thread(self._claim.take)
        self._hosts.trust(sole=True)

    async def release(self) -> None:
        self._hosts.trust(sole=False)
        self._claim.release()

    async def start(self, assignment: Assignment, kind: str) -> None:
        name, description = create_options(assignment, self._program(kind), self._options)
        image = description["Image"]
        if not await self._has_image(assignment.connector, image):
            return  # the same epoch is started again until the image is there
        group = group_of(assignment)
        if group is not None:
            await self._hosts.run(assignment, kind=kind, group=group, image=image)
        elif not await self._hosts.run_waiting(assignment, kind):
            await self._start(assignment, name, description)
        await self._forget_old(assignment.connector)

    async def inspect(self, connector: str) -> Observation:
        containers = await self._containers(connector)
        living = [await self._look(one) for one in containers if one.is_alive]
        newest_dead = [one for one in containers if one.is_dead][-1:]
        dead = [await self._autopsy(one) for one in newest_dead]
        members, is_about_to = await self._hosts.look(connector)
        found = [worker for worker in (*living, *dead, *members) if worker is not None]
        preparing = ABOUT_TO_BEGIN if is_about_to else None
        waits_for = self._pulls.sentence(self._waiting.get(connector))
        return Observation(_of_concern(found), waits_for or preparing)

    async def stop(self, connector: str, epoch: int) -> None:
        await self._signal(connector, epoch, "SIGTERM")
        await self._hosts.stop(connector, epoch)

    async def kill(self, connector: str, epoch: int) -> None:
        await self._signal(connector, epoch, "SIGKILL")
        await self._hosts.kill(connector, epoch)

    async def remove(self, connector: str) -> None:
        self._waiting.pop(connector, None)
        containers = await self._containers(connector)
        await self._forget(one for one in containers if not one.is_alive)
        await self._hosts.forget_dead(connector)

    async def keep_waiting(self, count: int) -> int:
        return await self._hosts.keep_waiting(count)

    async def connectors(self) -> list[str]:
        own = {container.connector for container in await self._containers()}
        return sorted(own | await self._hosts.connectors())

    async def changes(self) -> AsyncIterator[str]:
        async with aclosing(merged(self._events(), self._hosts.changes())) as names:
            async for name in names:
                yield name
        raise EngineError("the Docker engine has ended its stream of events")

    async def logs(self, connector: str, *, tail: int, follow: bool) -> AsyncIterator[str]:
        begun = [one for one in await self._containers(connector) if one.is_alive or one.is_dead]
        logs = {
            one.epoch: in_lines(self._daemon.log(one.id, tail=tail, follow=follow))
            for one in begun[-1:]
        } | {
            note.epoch: self._hosts.lines(host, note, tail=tail, follow=follow)
            for host, note in (await self._hosts.of(connector))[-1:]
        }
        for newest in sorted(logs)[-1:]:
            async with aclosing(logs[newest]) as lines:
                async for line in lines:
                    yield line

    async def close(self) -> None:
        await self._poll.close()
        self._daemon.close()
        self._claim.release()

    async def _start(self, assignment: Assignment, name: str, description: Answer) -> None:
        """Start it in a container of its own."""
        containers = await self._containers(assignment.connector)
        if any(one.is_alive and one.epoch == assignment.epoch for one in containers):
            return
        await launch(self._daemon, name, description, assignment_archive(assignment))

    async def _events(self) -> AsyncGenerator[str, None]:
        """Yield whose container has started, ended or gone."""
        filters = {
            "type": ["container"],
            "label": [f"{INSTANCE_LABEL}={self._options.instance}"],
            "event": ["start", "die", "destroy"],
        }
        events = self._daemon.events(filters, self._heard_until)
        # Whatever was missed while nobody listened concerns one of these.
        for connector in await self.connectors():
            yield connector
        async with aclosing(events):
            async for event in events:
                self._heard_until = event["timeNano"] / 1e9
                for name in await self._names(event["Actor"]):
                    yield name

    async def _names(self, container: Answer) -> list[str]:
        """Name those whom an event of a container concerns."""
        labels = container["Attributes"]
        connector = labels.get(CONNECTOR_LABEL)
        if connector is not None:
            return [connector]
        return await self._hosts.names_in(container["ID"], labels.get(SALT_LABEL, ""))

    async def _has_image(self, connector: str, image: str) -> bool:
        """Tell whether the image is there, and else see to it that it is on its way."""
        if not await self._daemon.has_image(image):
            self._waiting[connector] = image
            self._pulls.begin(image)
            return False
        self._waiting.pop(connector, None)
        return True

    async def _containers(self, connector: str | None = None) -> list[Container]:
        """List containers of this instance, of all connectors or of one, oldest epoch first."""
        whose = CONNECTOR_LABEL if connector is None else f"{CONNECTOR_LABEL}={connector}"
        labels = [f"{INSTANCE_LABEL}={self._options.instance}", whose]
        listed = await self._daemon.containers(labels)
        return sorted(map(Container.of, listed), key=lambda container: container.epoch)

    async def _look(self, container: Container) -> Worker:
        """Ask a living worker, and where it cannot be reached its file."""
        worker = Worker(container.epoch, alive=True)
        asked = await self._poll.ask(container.connector, worker, container.address)
        status = asked.status or await status_in(self._daemon, container.id, RUN_FOLDER)
        cause = await self._cause(container) if status and status.state.is_final else None
        return replace(asked, status=status, cause=cause)

    async def _cause(self, container: Container) -> str | None:
        """Know better than a worker what has ended it: of its JVM it only sees that it is gone."""
        try:
            return lack_of_memory(await self._daemon.inspect(container.id))
        except GoneError:
            return None

    async def _autopsy(self, container: Container) -> Worker | None:
        """Look at a dead worker, once; None if it is gone in the meantime."""
        known = self._dead.get(container.id)
        if known is not None:
            return known
        status = await status_in(self._daemon, container.id, RUN_FOLDER)
        try:
            found = await self._daemon.inspect(container.id)
            log = await self._daemon.log_tail(container.id, LOG_TAIL_LINES)
        except GoneError:
            return None
        dead = autopsy(container.epoch, found, status=status, log_tail=as_tail(log))
        self._dead[container.id] = dead
        return dead

    async def _signal(self, connector: str, epoch: int, number: str) -> None:
        await signal(self._daemon, container_name(self._options.instance, connector, epoch), number)

    async def _forget_old(self, connector: str) -> None:
        dead = [one for one in await self._containers(connector) if not one.is_alive]
        await self._forget(dead[:-_KEPT_CONTAINERS])
        await self._hosts.forget_dead(connector, keep=_KEPT_CONTAINERS)

    async def _forget(self, containers: Iterable[Container]) -> None:
        for container in containers:
            await discard(self._daemon, container.id)
            self._dead.pop(container.id, None)
            self._poll.forget(container.connector, container.epoch)


def _of_concern(workers: Iterable[Worker]) -> tuple[Worker, ...]:
    """Keep the living and, of the dead, the newest."""
    by_epoch = sorted(workers, key=lambda worker: worker.epoch)
    dead = [worker for worker in by_epoch if not worker.alive][-1:]
    return (*(worker for worker in by_epoch if worker.alive), *dead)


async def in_lines(parts: AsyncGenerator[bytes, None]) -> AsyncGenerator[str, None]:
    """Cut a stream of bytes into lines."""
    rest = b""
    async with aclosing(parts):
        async for part in parts:
            *lines, rest = (rest + part).split(b"\n")
            for line in lines:
                yield decoded(line)
    if rest:
        yield decoded(rest)

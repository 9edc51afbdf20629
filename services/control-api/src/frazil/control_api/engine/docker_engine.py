"""The docker engine: a worker is a container of its own; labels are the only memory that counts."""

import asyncio
import time
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Iterable
from contextlib import aclosing, suppress
from dataclasses import replace

from pydantic import ValidationError

from frazil.contracts.assignment import STATUS_FILE, Assignment
from frazil.contracts.naming import container_name
from frazil.contracts.worker_status import WorkerStatus
from frazil.control_api.core.errors import EngineError
from frazil.control_api.core.observation import Observation, Worker
from frazil.control_api.engine.claim import Claim
from frazil.control_api.engine.commands import module_of
from frazil.control_api.engine.docker import ConflictError, Daemon, GoneError
from frazil.control_api.engine.docker_pull import Pulls
from frazil.control_api.engine.docker_spec import (
    CONNECTOR_LABEL,
    INSTANCE_LABEL,
    RUN_FOLDER,
    VOLUME,
    DockerOptions,
    assignment_archive,
    create_options,
    only_file,
)
from frazil.control_api.engine.docker_states import Container, autopsy, lack_of_memory
from frazil.control_api.engine.log_file import decoded
from frazil.control_api.engine.polling import StatusPoll

_KEPT_CONTAINERS = 3
_LOG_TAIL_LINES = 20
_LOG_TAIL_BYTES = 4000


class DockerEngine:
    """Kept in memory are only what is cheaper to know than to ask: answers, and how the dead died.

    Two of them share a daemon without seeing each other when their instances have two names.
    """

    def __init__(
        self,
        daemon: Daemon,
        options: DockerOptions,
        claim: Claim,
        program: Callable[[str], str] = module_of,
    ) -> None:
        self._daemon = daemon
        self._options = options
        self._claim = claim
        self._program = program
        self._poll = StatusPoll()
        self._pulls = Pulls(daemon.pull)
        self._waiting: dict[str, str] = {}
        self._dead: dict[str, Worker] = {}
        self._heard_until = time.time()

    @property
    def trouble(self) -> str | None:
        return self._daemon.trouble

    async def claim(self) -> None:
        await asyncio.to_thread(self._claim.take)

    async def release(self) -> None:
        self._claim.release()

    async def start(self, assignment: Assignment, kind: str) -> None:
        name, description = create_options(assignment, self._program(kind), self._options)
        if not await self._has_image(assignment.connector, description["Image"]):
            return  # the same epoch is started again until the image is there
        if any(
            container.is_alive and container.epoch == assignment.epoch
            for container in await self._containers(assignment.connector)
        ):
            return
        await self._discard(name)
        try:
            await self._daemon.create(name, description)
            await self._daemon.put(name, VOLUME, assignment_archive(assignment))
            await self._daemon.start(name)
        except EngineError:
            with suppress(EngineError):
                await self._discard(name)
            raise
        await self._forget_old(assignment.connector)

    async def inspect(self, connector: str) -> Observation:
        containers = await self._containers(connector)
        living = [await self._look(one) for one in containers if one.is_alive]
        newest_dead = [one for one in containers if one.is_dead][-1:]
        dead = [await self._autopsy(one) for one in newest_dead]
        preparing = self._pulls.sentence(self._waiting.get(connector))
        found = tuple(worker for worker in (*living, *dead) if worker is not None)
        return Observation(found, preparing)

    async def stop(self, connector: str, epoch: int) -> None:
        await self._signal(connector, epoch, "SIGTERM")

    async def kill(self, connector: str, epoch: int) -> None:
        await self._signal(connector, epoch, "SIGKILL")

    async def remove(self, connector: str) -> None:
        self._waiting.pop(connector, None)
        containers = await self._containers(connector)
        await self._forget(one for one in containers if not one.is_alive)

    async def connectors(self) -> list[str]:
        return sorted({container.connector for container in await self._containers()})

    async def changes(self) -> AsyncIterator[str]:
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
                yield event["Actor"]["Attributes"][CONNECTOR_LABEL]
        raise EngineError("the Docker engine has ended its stream of events")

    async def logs(self, connector: str, *, tail: int, follow: bool) -> AsyncIterator[str]:
        begun = [one for one in await self._containers(connector) if one.is_alive or one.is_dead]
        for newest in begun[-1:]:
            parts = self._daemon.log(newest.id, tail=tail, follow=follow)
            async with aclosing(in_lines(parts)) as lines:
                async for line in lines:
                    yield line

    async def close(self) -> None:
        await self._poll.close()
        self._daemon.close()
        self._claim.release()

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
        labels = [f"{INSTANCE_LABEL}={self._options.instance}"]
        if connector is not None:
            labels.append(f"{CONNECTOR_LABEL}={connector}")
        listed = await self._daemon.containers(labels)
        return sorted(map(Container.of, listed), key=lambda container: container.epoch)

    async def _look(self, container: Container) -> Worker:
        """Ask a living worker, and where it cannot be reached its file."""
        worker = Worker(container.epoch, alive=True)
        asked = await self._poll.ask(container.connector, worker, container.address)
        status = asked.status or await self._status(container.id)
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
        status = await self._status(container.id)
        try:
            found = await self._daemon.inspect(container.id)
            log = await self._daemon.log_tail(container.id, _LOG_TAIL_LINES)
        except GoneError:
            return None
        log_tail = log[-_LOG_TAIL_BYTES:].decode(errors="replace").rstrip("\n")
        dead = autopsy(container.epoch, found, status=status, log_tail=log_tail)
        self._dead[container.id] = dead
        return dead

    async def _status(self, container_id: str) -> WorkerStatus | None:
        """Fetch what the worker wrote last; a dead one's file is still in its volume."""
        try:
            packed = await self._daemon.get(container_id, RUN_FOLDER / STATUS_FILE)
            return WorkerStatus.model_validate_json(only_file(packed))
        except (GoneError, ValidationError):
            return None

    async def _signal(self, connector: str, epoch: int, number: str) -> None:
        name = container_name(self._options.instance, connector, epoch)
        # There is none, or it has ended.
        with suppress(GoneError, ConflictError):
            await self._daemon.signal(name, number)

    async def _forget_old(self, connector: str) -> None:
        dead = [one for one in await self._containers(connector) if not one.is_alive]
        await self._forget(dead[:-_KEPT_CONTAINERS])

    async def _forget(self, containers: Iterable[Container]) -> None:
        for container in containers:
            await self._discard(container.id)
            self._dead.pop(container.id, None)
            self._poll.forget(container.connector, container.epoch)

    async def _discard(self, container: str) -> None:
        """Remove a container that does not live, with its volume."""
        # It is gone, or is being removed already.
        with suppress(GoneError, ConflictError):
            await self._daemon.remove(container)


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

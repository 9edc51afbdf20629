"""What engines work on. It outlives them, as a computer outlives the control API."""

import asyncio
import uuid
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from docker.models.containers import Container
from tests.support.control_api import FakeClock, assignment, eventually
from tests.support.docker_lab import ConfinedSocket, SocketProxy, daemon, stand_in_image
from tests.support.stand_in import signal_worker, stand_in

from frazil.contracts.assignment import Assignment
from frazil.contracts.hosting import HOSTS_FOLDER
from frazil.contracts.naming import container_name, run_folder
from frazil.contracts.plugins.group_keys import WORKER_GROUP
from frazil.control_api.core.ports import Engine
from frazil.control_api.engine.claim import Claim
from frazil.control_api.engine.docker import Daemon
from frazil.control_api.engine.docker_engine import DockerEngine
from frazil.control_api.engine.docker_host_spec import HOST_LABEL, NUMBER_LABEL
from frazil.control_api.engine.docker_spec import INSTANCE_LABEL, DockerOptions
from frazil.control_api.engine.fake import Behaviour, FakeEngine
from frazil.control_api.engine.host_folder import HostFolder
from frazil.control_api.engine.process import ProcessEngine
from frazil.control_api.engine.run_folder import RunFolder

INSTALLATION_KEY = "of-all-processes-on-one-database"


class Machine(ABC):
    """`bounds_memory`: its workers have a limit of their own. `has_daemon`: it may be away."""

    bounds_memory = True
    has_daemon = True
    has_claims = True
    # A worker that is a member of a host has no process, and so no exit status, of its own.
    has_processes = True
    # Of a host that died its members' exit status may be known.
    tells_deaths = True

    @abstractmethod
    def engine(self) -> Engine:
        """Return the engine of a control API that has just been started."""

    @abstractmethod
    async def die(self, name: str, epoch: int) -> None:
        """End a worker as kill -9 does."""

    @abstractmethod
    async def exhaust(self, name: str, epoch: int) -> None:
        """Let a worker take more memory than there is."""

    @abstractmethod
    async def vanish(self, name: str, epoch: int) -> None:
        """Remove a worker and all that is left of it behind the engine's back."""

    @abstractmethod
    def told(self, name: str, epoch: int, behaviour: Behaviour) -> Assignment:
        """Make an assignment whose worker will behave like this."""

    async def go_away(self) -> None:
        """Let the daemon end; workers go on."""
        return

    async def come_back(self) -> None:
        """Let the daemon be there again."""
        return

    async def clear(self) -> None:
        """Leave nothing behind."""
        return


class GroupMachine(Machine):
    """All workers are members of one host."""

    has_processes = False

    @abstractmethod
    def hosts(self) -> Sequence[object]:
        """Return all hosts, living or dead."""

    @abstractmethod
    async def living_hosts(self) -> int:
        """Count the hosts that live."""


@dataclass
class FakeMachine(Machine):
    fake: FakeEngine = field(default_factory=lambda: FakeEngine(FakeClock()))
    has_claims = False

    def engine(self) -> Engine:
        return self.fake

    async def die(self, name: str, epoch: int) -> None:
        del epoch  # here a connector has but one living worker
        self.fake.die(name)

    async def exhaust(self, name: str, epoch: int) -> None:
        del epoch
        self.fake.run_out_of_memory(name)

    async def vanish(self, name: str, epoch: int) -> None:
        del epoch
        self.fake.vanish(name)

    def told(self, name: str, epoch: int, behaviour: Behaviour) -> Assignment:
        self.fake.behaviours[name] = behaviour
        return assignment(name, epoch)

    async def go_away(self) -> None:
        self.fake.go_away("the fake daemon is away")

    async def come_back(self) -> None:
        self.fake.come_back()


def stand_in_keys(behaviour: Behaviour) -> dict[str, str]:
    """Put a behaviour into the words that the stand-in understands."""
    keys: dict[str, str] = {}
    if behaviour.exits_with is not None:
        keys |= {"exit": str(behaviour.exits_with.value), "trace": behaviour.trace or ""}
    if behaviour.ignores_stop:
        keys["deaf"] = "true"
    if behaviour.never_ready:
        keys["slow"] = "true"
    if behaviour.says:
        keys["says"] = "\n".join(behaviour.says)
    if behaviour.refuses_to_start:
        keys["refuse"] = behaviour.refuses_to_start
    return keys


@dataclass
class ProcessMachine(Machine):
    root: Path
    bounds_memory = False
    has_daemon = False

    def engine(self) -> Engine:
        return ProcessEngine(self.root, self.command)

    def command(self, _kind: str, folder: Path) -> Sequence[str]:
        assignments = (*folder.glob("assignment.json"), *folder.glob("members/*/assignment.json"))
        if any('"refuse"' in file.read_text() for file in assignments):
            return ["/nowhere/python"]
        return stand_in(folder)

    async def die(self, name: str, epoch: int) -> None:
        signal_worker(self.root, name, epoch)

    async def exhaust(self, name: str, epoch: int) -> None:
        """Do as the kernel does when the whole machine has no memory left."""
        await self.die(name, epoch)

    async def vanish(self, name: str, epoch: int) -> None:
        folder = RunFolder(self.root / run_folder(name) / str(epoch))
        await self.die(name, epoch)
        await eventually("it is dead", lambda: asyncio.to_thread(lambda: not folder.is_alive()))
        folder.remove()

    def told(self, name: str, epoch: int, behaviour: Behaviour) -> Assignment:
        return assignment(name, epoch, **stand_in_keys(behaviour))


@dataclass
class ProcessGroupMachine(GroupMachine, ProcessMachine):
    tells_deaths = False

    async def die(self, name: str, epoch: int) -> None:
        host = RunFolder(self.root / run_folder(name) / str(epoch)).host
        assert host is not None
        host.kill()

    async def clear(self) -> None:
        for folder in self.hosts():
            folder.kill()

    async def living_hosts(self) -> int:
        return await asyncio.to_thread(lambda: sum(host.is_alive() for host in self.hosts()))

    def hosts(self) -> list[HostFolder]:
        return [HostFolder(path) for path in (self.root / HOSTS_FOLDER).glob("*/*")]

    def told(self, name: str, epoch: int, behaviour: Behaviour) -> Assignment:
        return in_group(super().told(name, epoch, behaviour))


@dataclass
class DockerMachine(Machine):
    """A name of its own on the real daemon, which may go away.

    It is reached as in the container stack: through the proxy that confines the control API.
    """

    folder: Path
    instance: str = field(default_factory=lambda: f"test-{uuid.uuid4().hex[:8]}")
    images: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        behind = self.folder / "docker.sock"
        self.socket = SocketProxy(behind)
        self.proxy = ConfinedSocket(self.folder / "confined.sock", behind, self.options)
        self.proxy.open()

    @property
    def options(self) -> DockerOptions:
        return DockerOptions(instance=self.instance, image=stand_in_image(), images=self.images)

    def engine(self) -> DockerEngine:
        claim = Claim(self.folder / ".lock")
        return DockerEngine(
            Daemon(self.proxy.url),
            self.options,
            claim,
            lambda _kind: "stand_in_worker",
            installation_key=INSTALLATION_KEY,
        )

    def container(self, name: str, epoch: int) -> Container:
        return daemon().containers.get(container_name(self.instance, name, epoch))

    async def die(self, name: str, epoch: int) -> None:
        await asyncio.to_thread(lambda: self.container(name, epoch).kill())

    async def exhaust(self, name: str, epoch: int) -> None:
        await asyncio.to_thread(lambda: self.container(name, epoch).kill("SIGUSR1"))

    async def vanish(self, name: str, epoch: int) -> None:
        await asyncio.to_thread(lambda: self.container(name, epoch).remove(force=True, v=True))

    def told(self, name: str, epoch: int, behaviour: Behaviour) -> Assignment:
        keys = {"frazil.container.memory": "64m", **stand_in_keys(behaviour)}
        if behaviour.refuses_to_start:
            keys["frazil.container.image"] = behaviour.refuses_to_start
        return assignment(name, epoch, **keys)

    async def go_away(self) -> None:
        self.socket.close()

    async def come_back(self) -> None:
        self.socket.open()

    async def clear(self) -> None:
        await asyncio.to_thread(self._clear)
        self.proxy.close()

    def _clear(self) -> None:
        label = f"{INSTANCE_LABEL}={self.instance}"
        for container in daemon().containers.list(all=True, filters={"label": label}):
            container.remove(force=True, v=True)


@dataclass
class DockerGroupMachine(GroupMachine, DockerMachine):
    def container(self, name: str, epoch: int) -> Container:
        """Find the newest host."""
        del name, epoch
        return max(self.hosts(), key=lambda host: int(host.labels[NUMBER_LABEL]))

    async def living_hosts(self) -> int:
        hosts = await asyncio.to_thread(self.hosts)
        return sum(host.status == "running" for host in hosts)

    def hosts(self) -> list[Container]:
        labels = [f"{INSTANCE_LABEL}={self.instance}", HOST_LABEL]
        return daemon().containers.list(all=True, filters={"label": labels})

    def told(self, name: str, epoch: int, behaviour: Behaviour) -> Assignment:
        return in_group(super().told(name, epoch, behaviour))


def in_group(told: Assignment, group: str = "team") -> Assignment:
    return told.model_copy(update={"config": {**told.config, WORKER_GROUP: group}})

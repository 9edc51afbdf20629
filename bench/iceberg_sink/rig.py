"""What both sinks share: one broker with the topics, catalogs with the tables; and the sinks."""

import asyncio
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

import httpx
from aiokafka.admin import AIOKafkaAdminClient, NewTopic
from bench.iceberg_sink.genuine import JARS, Worker
from bench.iceberg_sink.lake import Lake, lake_on_disk
from bench.iceberg_sink.payloads import NAMESPACE
from bench.iceberg_sink.sink import Sink

from frazil.cli import stack as stacks
from frazil.cli.folder import StackFolder
from frazil.cli.ports import free_ports
from frazil.cli.prepare import prepare
from frazil.cli.screen import Screen
from frazil.cli.settings import read_settings
from frazil.cli.stack import Stack
from frazil.cli.waiting import wait_until_ready
from frazil.runtime.jars import JarStore

WORKER = "genuine-worker"
CONTROL_TOPIC = "control-genuine"
_START_SECONDS = 120
STOP_SECONDS = 20


@dataclass(frozen=True)
class Rig:
    stack: Stack
    lake: Lake
    ours: Sink
    genuine: Sink
    partitions: int

    @property
    def servers(self) -> str:
        return self.stack.ports.bootstrap_servers

    def create_topics(self, *names: str) -> None:
        asyncio.run(_create_topics(self.servers, dict.fromkeys(names, self.partitions)))

    def config(self, topic: str, *tables: str, tasks: int, interval_ms: int) -> dict[str, str]:
        """Return the keys that both sinks get; without tables, records name theirs."""
        names = ",".join(f"{NAMESPACE}.{table}" for table in tables)
        return {
            "connector.class": "org.apache.iceberg.connect.IcebergSinkConnector",
            "tasks.max": str(tasks),
            "topics": topic,
            **({"iceberg.tables": names} if names else {}),
            "iceberg.control.topic": CONTROL_TOPIC,
            "iceberg.control.commit.interval-ms": str(interval_ms),
            "iceberg.control.commit.timeout-ms": "60000",
            **self.lake.config,
            "key.converter": "org.apache.kafka.connect.storage.StringConverter",
            "value.converter": "org.apache.kafka.connect.json.JsonConverter",
            "value.converter.schemas.enable": "false",
        }

    @contextmanager
    def standby(self) -> Iterator[Sink]:
        """Run a second control API, which keeps a worker waiting for a connector."""
        folder = StackFolder(self.stack.folder.home, "standby")
        folder.root.mkdir(parents=True, exist_ok=True)
        environment = {**self.stack.tools.environment, "FRAZIL_WAITING_WORKERS": "1"}
        stack = replace(
            self.stack,
            folder=folder,
            ports=self.stack.ports.model_copy(update={"api": free_ports().api}),
            tools=replace(self.stack.tools, environment=environment),
        )
        try:
            yield _start_control_api(stack, extra=self.ours.extra)
        finally:
            stacks.stop(folder)


@contextmanager
def running(
    home: Path,
    screen: Screen,
    *,
    partitions: int,
    ours: Mapping[str, str],
    genuine: Mapping[str, str],
) -> Iterator[Rig]:
    """Start broker, catalog, control API and the genuine worker; end all of them."""
    stack = new_stack(home, screen)
    jars = JarStore(read_settings().home, JARS / "jars.sha256", JARS / "ivy.xml")
    with screen.step("Jars of the genuine sink"), screen.bar("Jars") as progress:
        jars.resolve(stack.tools.java, progress)
    try:
        with screen.step("Broker, catalog, control API"):
            lake, own = start_stack(stack, extra=ours)
        with screen.step("The genuine worker"):
            peer = start_worker(stack, jars, extra=genuine)
        yield Rig(stack, lake, own, peer, partitions)
    finally:
        stack.folder.service(WORKER).stop(STOP_SECONDS)
        stacks.stop(stack.folder)


def new_stack(home: Path, screen: Screen) -> Stack:
    settings = read_settings()
    tools = prepare(
        settings.home, settings.java_home, environment=settings.environment(), screen=screen
    )
    return Stack(StackFolder(home, "bench"), free_ports(), tools)


def start_stack(stack: Stack, *, extra: Mapping[str, str]) -> tuple[Lake, Sink]:
    stack.folder.root.mkdir(parents=True)
    stack.start_broker()
    stack.start_catalog()
    return lake_on_disk(stack), _start_control_api(stack, extra=extra)


def _start_control_api(stack: Stack, *, extra: Mapping[str, str]) -> Sink:
    stack.start_control_api()
    pid = stack.folder.service(stacks.CONTROL_API).pid
    return Sink("Frazil", stack.ports.api_url, pid or 0, extra)


def start_worker(
    stack: Stack,
    jars: JarStore,
    *,
    extra: Mapping[str, str],
    plugins: Mapping[str, Path] | None = None,
) -> Sink:
    """Start a genuine worker; `plugins` are folders of jars that it gets beside the sink's."""
    asyncio.run(_create_topics(stack.ports.bootstrap_servers, {CONTROL_TOPIC: 1}))
    worker = Worker(
        java=stack.tools.java,
        jars=jars,
        folder=stack.folder.root / WORKER,
        port=free_ports().api,
        bootstrap_servers=stack.ports.bootstrap_servers,
        plugins=plugins or {},
    )
    worker.prepare()
    child, log = stack.folder.service(WORKER), stack.folder.log(WORKER)
    child.start(worker.command(), environment=stack.tools.environment, log=log)
    wait_until_ready(
        "The genuine worker",
        lambda: _lists_connectors(worker.url),
        child=child,
        log=log,
        seconds=_START_SECONDS,
    )
    return Sink("Kafka Connect", worker.url, child.pid or 0, extra)


def _lists_connectors(url: str) -> bool:
    try:
        return httpx.get(f"{url}/connectors", timeout=5).is_success
    except httpx.HTTPError:
        return False


async def _create_topics(servers: str, topics: Mapping[str, int]) -> None:
    admin = AIOKafkaAdminClient(bootstrap_servers=servers)
    await admin.start()
    try:
        await admin.create_topics([NewTopic(name, count, 1) for name, count in topics.items()])
    finally:
        await admin.close()

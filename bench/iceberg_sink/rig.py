"""What both sinks share: one broker with the topics, one catalog with the tables; and the sinks."""

import asyncio
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx
from aiokafka.admin import AIOKafkaAdminClient, NewTopic
from bench.iceberg_sink.genuine import JARS, Worker
from bench.iceberg_sink.payloads import Payload
from bench.iceberg_sink.watch import Processes
from pyiceberg.catalog.rest import RestCatalog
from pyiceberg.table import Table

from frazil.cli import stack as stacks
from frazil.cli.catalog import WAREHOUSE, client_properties
from frazil.cli.folder import StackFolder
from frazil.cli.ports import free_ports
from frazil.cli.prepare import prepare
from frazil.cli.screen import Screen
from frazil.cli.settings import read_settings
from frazil.cli.stack import Stack
from frazil.cli.waiting import wait_until_ready
from frazil.runtime.jars import JarStore

NAMESPACE = "bench"
WORKER = "genuine-worker"
CONTROL_TOPIC = "control-genuine"
_START_SECONDS = 120
STOP_SECONDS = 20
_QUIET_SECONDS = 60
_QUIET_CORES = 0.15


@dataclass(frozen=True, eq=False)
class Sink:
    """A server of Connect's API; `extra` are keys of its connectors alone."""

    label: str
    url: str
    pid: int
    extra: Mapping[str, str]

    @property
    def processes(self) -> Processes:
        return Processes(self.pid)

    def create(self, name: str, config: Mapping[str, str]) -> None:
        body = {"name": name, "config": {**config, **self.extra}}
        answer = httpx.post(f"{self.url}/connectors", json=body, timeout=60)
        if answer.is_error:
            sys.exit(f"{self.label} refused {name}: {answer.text}")

    def delete(self, name: str) -> None:
        """Delete a connector, and wait until what it was is quiet: the other one comes next."""
        httpx.delete(f"{self.url}/connectors/{name}", timeout=60).raise_for_status()
        processes, deadline = self.processes, time.monotonic() + _QUIET_SECONDS
        before, spent = 0.0, 1.0
        while spent - before > _QUIET_CORES and time.monotonic() < deadline:
            before, _ = processes.look()
            time.sleep(1)
            spent, _ = processes.look()

    def status(self, name: str) -> str:
        return httpx.get(f"{self.url}/connectors/{name}/status", timeout=60).text


@dataclass(frozen=True)
class Rig:
    stack: Stack
    catalog: RestCatalog
    ours: Sink
    genuine: Sink
    partitions: int

    @property
    def servers(self) -> str:
        return self.stack.ports.bootstrap_servers

    @property
    def database(self) -> Path:
        return self.stack.folder.catalog / "catalog.db"

    def create_topics(self, *names: str) -> None:
        asyncio.run(_create_topics(self.servers, dict.fromkeys(names, self.partitions)))

    def create_table(self, name: str, payload: Payload) -> Table:
        table: Table = self.catalog.create_table(
            (NAMESPACE, name),
            payload.schema,
            partition_spec=payload.spec,
            properties=payload.properties,
        )
        return table

    def load_table(self, name: str) -> Table:
        table: Table = self.catalog.load_table((NAMESPACE, name))
        return table

    def config(self, table: str, topic: str, *, tasks: int, interval_ms: int) -> dict[str, str]:
        """Return the keys that both sinks get."""
        return {
            "connector.class": "org.apache.iceberg.connect.IcebergSinkConnector",
            "tasks.max": str(tasks),
            "topics": topic,
            "iceberg.tables": f"{NAMESPACE}.{table}",
            "iceberg.control.topic": CONTROL_TOPIC,
            "iceberg.control.commit.interval-ms": str(interval_ms),
            "iceberg.control.commit.timeout-ms": "60000",
            **catalog_keys(self.stack),
            "key.converter": "org.apache.kafka.connect.storage.StringConverter",
            "value.converter": "org.apache.kafka.connect.json.JsonConverter",
            "value.converter.schemas.enable": "false",
        }


def catalog_keys(stack: Stack) -> dict[str, str]:
    """Return the keys by which a sink reaches the stack's catalog."""
    key = stack.folder.catalog_key
    return {
        "iceberg.catalog.type": "rest",
        "iceberg.catalog.uri": f"{stack.ports.catalog_url}/_iceberg",
        "iceberg.catalog.warehouse": WAREHOUSE,
        "iceberg.catalog.client.region": "us-east-1",
        "iceberg.catalog.rest.sigv4-enabled": "true",
        "iceberg.catalog.rest.signing-name": "s3tables",
        "iceberg.catalog.rest.signing-region": "us-east-1",
        "iceberg.catalog.rest.access-key-id": key.access_key,
        "iceberg.catalog.rest.secret-access-key": key.secret,
    }


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
            catalog, own = start_stack(stack, extra=ours)
        with screen.step("The genuine worker"):
            peer = start_worker(stack, jars, extra=genuine)
        yield Rig(stack, catalog, own, peer, partitions)
    finally:
        stack.folder.service(WORKER).stop(STOP_SECONDS)
        stacks.stop(stack.folder)


def new_stack(home: Path, screen: Screen) -> Stack:
    settings = read_settings()
    tools = prepare(
        settings.home, settings.java_home, environment=settings.environment(), screen=screen
    )
    return Stack(StackFolder(home, "bench"), free_ports(), tools)


def start_stack(stack: Stack, *, extra: Mapping[str, str]) -> tuple[RestCatalog, Sink]:
    stack.folder.root.mkdir(parents=True)
    stack.start_broker()
    stack.start_catalog()
    stack.start_control_api()
    ports, key = stack.ports, stack.folder.catalog_key
    catalog = RestCatalog("iceberg", **client_properties(ports.catalog_url, key))
    catalog.create_namespace(NAMESPACE)
    pid = stack.folder.service(stacks.CONTROL_API).pid
    return catalog, Sink("Frazil", ports.api_url, pid or 0, extra)


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

"""A whole local stack for a test, in a folder of its own and on free ports."""

import asyncio
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import httpx
from aiokafka import AIOKafkaProducer
from tests.support.lab import wait_until

from frazil.cli import stack as stacks
from frazil.cli.connectors import ConnectorView, connector_views
from frazil.cli.folder import StackFolder
from frazil.cli.ports import free_ports
from frazil.cli.screen import quiet_step
from frazil.cli.settings import CliSettings
from frazil.cli.stack import CATALOG, CONTROL_API, KAFKA, Stack, Tools
from frazil.cli.tables import Tables
from frazil.contracts.states import ConnectState
from frazil.runtime.jars import JarStore
from frazil.runtime.java import find_java


class LocalStack:
    """The stack of `frazil dev`, with what tests do to it."""

    def __init__(self, stack: Stack) -> None:
        self._stack = stack
        self.url = stack.ports.api_url

    def views(self) -> dict[str, ConnectorView]:
        return {view.name: view for view in connector_views(self.url)}

    def wait_for(self, name: str, state: ConnectState) -> ConnectorView:
        wait_until(f"{name} is {state}", lambda: self.views()[name].state is state)
        return self.views()[name]

    def wait_until_all_run(self) -> None:
        def all_run() -> bool:
            return all(view.state is ConnectState.RUNNING for view in self.views().values())

        wait_until("all connectors run", all_run, 180)

    def start_producing(self, *arguments: str) -> "subprocess.Popen[bytes]":
        servers = self._stack.ports.bootstrap_servers
        command = [sys.executable, "-m", "frazil.log_generator", "produce", *arguments]
        return subprocess.Popen(
            [*command, "--bootstrap-servers", servers],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )

    def send(self, topic: str, value: bytes) -> None:
        """Send one record, whatever is in it."""
        asyncio.run(self._send(topic, value))

    async def _send(self, topic: str, value: bytes) -> None:
        async with AIOKafkaProducer(bootstrap_servers=self.bootstrap_servers) as producer:
            await producer.send_and_wait(topic, value)

    def row(self, table: str, condition: str) -> dict[str, Any] | None:
        """Return the only row that a condition of PyIceberg selects, maps as dictionaries."""
        found = Tables(self._stack.folder).load(table).scan(row_filter=condition).to_arrow()
        rows: list[dict[str, Any]] = found.to_pylist(maps_as_pydicts="strict")
        return rows[0] if len(rows) == 1 else None

    def rows(self, table: str) -> int:
        return Tables(self._stack.folder).rows(table)

    def request_ids(self, table: str, column: str) -> list[str]:
        rows = Tables(self._stack.folder).load(table).scan().to_arrow()
        *structs, name = column.split(".")
        found = rows[structs[0]].combine_chunks().field(name) if structs else rows[name]
        ids: list[str] = found.to_pylist()
        return ids

    def worker_pids(self) -> set[int]:
        return {child.pid for child in self._stack.folder.workers() if child.pid is not None}

    @property
    def secret(self) -> str:
        return self._stack.folder.catalog_key.secret

    def files_with(self, text: str) -> set[Path]:
        """Find the files that hold a text; files and folders come and go meanwhile."""
        found = set()
        for folder, _, names in os.walk(self._stack.folder.root):
            for path in (Path(folder, name) for name in names):
                with suppress(FileNotFoundError):
                    if path.is_file() and text.encode() in path.read_bytes():
                        found.add(path)
        return found

    def pids(self) -> set[int]:
        """List the processes of services and workers."""
        services = (self._stack.folder.service(name).pid for name in stacks.SERVICES)
        return self.worker_pids() | {pid for pid in services if pid is not None}

    def runs(self) -> int:
        """Count the runs that were ever started; a run has a folder."""
        return len(list(self._stack.folder.runs.glob("*/*/assignment.json")))

    @property
    def bootstrap_servers(self) -> str:
        return self._stack.ports.bootstrap_servers

    def kill(self, service: str) -> None:
        child = self._stack.folder.service(service)
        assert child.pid is not None
        os.kill(child.pid, signal.SIGKILL)
        wait_until(f"{service} is gone", lambda: not child.is_alive(), 10)

    def kill_workers(self) -> None:
        for pid in self.worker_pids():
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)

    def start(self, service: str) -> None:
        starts = {
            KAFKA: self._stack.start_broker,
            CATALOG: self._stack.start_catalog,
            CONTROL_API: self._stack.start_control_api,
        }
        starts[service]()

    def column(self, table: str, name: str) -> list[Any]:
        found: list[Any] = (
            Tables(self._stack.folder).load(table).scan().to_arrow()[name].to_pylist()
        )
        return found

    def create(self, name: str, **config: str) -> httpx.Response:
        """Post a connector that is like the stack's first, but for the given keys."""
        body: dict[str, Any] = {"name": name, "config": self._first_config() | config}
        return httpx.post(f"{self.url}/connectors", json=body, timeout=30)

    def _first_config(self) -> dict[str, str]:
        first = sorted(self.views())[0]
        config: dict[str, str] = httpx.get(f"{self.url}/connectors/{first}/config").json()
        del config["name"]
        return config


@contextmanager
def local_stack(home: Path, name: str) -> Iterator[LocalStack]:
    settings = CliSettings()
    java = find_java(settings.java_home)
    tools = Tools(java, JarStore(settings.home).folder("broker"), settings.environment())
    folder = StackFolder(home, name)
    stack = Stack(folder, free_ports(), tools)
    try:
        stacks.start(stack, settings.desired_state, quiet_step)
        yield LocalStack(stack)
    finally:
        stacks.stop(folder)

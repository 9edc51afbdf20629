"""The local stack as processes: broker, table catalog, control API, and its workers."""

import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import NoReturn

import httpx

from frazil.cli.broker import Broker
from frazil.cli.catalog import CATALOG_COMMAND, catalog_environment
from frazil.cli.folder import StackFolder, StackState
from frazil.cli.ports import HOST, Ports, answers
from frazil.cli.screen import Step
from frazil.cli.waiting import wait_until_ready
from frazil.runtime.child import Child
from frazil.runtime.errors import UserError
from frazil.runtime.private import private_folder

KAFKA = "kafka"
CATALOG = "table-catalog"
CONTROL_API = "control-api"
SERVICES = (KAFKA, CATALOG, CONTROL_API)
_TITLES = {
    KAFKA: "The Kafka broker",
    CATALOG: "The table catalog",
    CONTROL_API: "The control API",
}

# People at a terminal want to see rows now; a real cluster wants fewer, larger files.
_COMMIT_INTERVAL_MS = "1000"
_START_SECONDS = 60
_STOP_SECONDS = 20
_WATCH_SECONDS = 0.5

_PROVISIONER = (sys.executable, "-m", "frazil.provisioner")
_SECRETS_PATHS = "FRAZIL_SECRETS_PATHS"
_CATALOG_HOSTS = "FRAZIL_CATALOG_HOSTS"
_CATALOG_FOLDERS = "FRAZIL_CATALOG_FOLDERS"


class AlreadyRunsError(UserError):
    def __init__(self, name: str) -> None:
        super().__init__(f"The stack '{name}' is running. `frazil stop --stack {name}` ends it.")


class ServiceEndedError(UserError):
    def __init__(self, name: str, log: Path) -> None:
        super().__init__(f"{name} has ended; its log is {log}")


class ProvisioningError(UserError):
    def __init__(self, output: str) -> None:
        super().__init__(f"The provisioner could not do its work:\n{output}")


@dataclass(frozen=True)
class Tools:
    """What the machine gives: a Java, the broker's jars, the environment that children get."""

    java: Path
    broker_jars: Path
    environment: Mapping[str, str]


@dataclass(frozen=True)
class Stack:
    folder: StackFolder
    ports: Ports
    tools: Tools
    engine: str = "process"

    def start_broker(self) -> None:
        broker = Broker(self.tools.java, self.tools.broker_jars, self.folder.kafka, self.ports)
        broker.prepare()
        self._start(
            KAFKA, broker.command(), ready=lambda: answers(self.ports.kafka), environment={}
        )

    def start_catalog(self) -> None:
        key = self.folder.catalog_key
        key.make()
        self._start(
            CATALOG,
            CATALOG_COMMAND,
            ready=lambda: _is_up(f"{self.ports.catalog_url}/health"),
            environment=catalog_environment(
                self.folder.catalog, key, host=HOST, port=self.ports.catalog
            ),
        )

    def start_control_api(self) -> None:
        environment = control_api_environment(
            self.folder,
            port=self.ports.api,
            bootstrap_servers=self.ports.bootstrap_servers,
            engine=self.engine,
            inherited=self.tools.environment,
        )
        allowed = self.tools.environment.get(_SECRETS_PATHS, "")
        environment[_SECRETS_PATHS] = f"{allowed},{self.folder.catalog_key.folder}"
        self._start(
            CONTROL_API,
            CONTROL_API_COMMAND,
            ready=lambda: _is_up(self.ports.api_url),
            environment=environment,
        )

    def _start(
        self,
        name: str,
        command: Sequence[str],
        *,
        ready: Callable[[], bool],
        environment: Mapping[str, str],
    ) -> None:
        child, log = self.folder.service(name), self.folder.log(name)
        child.start(command, environment={**self.tools.environment, **environment}, log=log)
        wait_until_ready(_TITLES[name], ready, child=child, log=log, seconds=_START_SECONDS)

    def provision(self, desired_state: Path) -> None:
        """Make the topics, the tables and the connectors what the file says."""
        key = self.folder.catalog_key
        values = {
            "KAFKA_BOOTSTRAP_SERVERS": self.ports.bootstrap_servers,
            "CONNECT_URL": self.ports.api_url,
            "CATALOG_URL": self.ports.catalog_url,
            "CATALOG_ACCESS_KEY": key.access_key,
            "CATALOG_KEYS": str(key.folder),
            "COMMIT_INTERVAL_MS": _COMMIT_INTERVAL_MS,
        }
        settings = [part for item in values.items() for part in ("--set", "=".join(item))]
        # Command lines can be read by everybody on the machine.
        secret = ["--set-file", f"CATALOG_SECRET_KEY={key.secret_file}"]
        command = [*_PROVISIONER, "apply", str(desired_state), *settings, *secret]
        done = subprocess.run(
            command, env=self.tools.environment, capture_output=True, text=True, check=False
        )
        if done.returncode != 0:
            raise ProvisioningError(done.stdout + done.stderr)

    def write_state(self) -> None:
        pids = {name: self.folder.service(name).pid or 0 for name in SERVICES}
        now = datetime.now(UTC)
        state = StackState(name=self.folder.name, started=now, ports=self.ports, pids=pids)
        self.folder.write_state(state)


CONTROL_API_COMMAND = (sys.executable, "-m", "frazil.control_api")


def control_api_environment(
    folder: StackFolder,
    *,
    port: int,
    bootstrap_servers: str,
    engine: str,
    inherited: Mapping[str, str],
) -> dict[str, str]:
    """Return the settings of a control API that keeps its things in the folder.

    Its FileStream connectors find relative names of files where the stack was started. Tables may
    be read there too, and from catalogs of this machine, unless the environment says otherwise.
    """
    catalogs = {_CATALOG_HOSTS: "*,localhost,127.0.0.1", _CATALOG_FOLDERS: str(Path.cwd())}
    return {
        "FRAZIL_HOST": HOST,
        "FRAZIL_PORT": str(port),
        "FRAZIL_BOOTSTRAP_SERVERS": bootstrap_servers,
        "FRAZIL_ENGINE": engine,
        "FRAZIL_DATABASE_URL": f"sqlite:///{folder.control_database}",
        "FRAZIL_RUN_FOLDER": str(folder.runs),
        "FRAZIL_FILES_FOLDER": str(Path.cwd()),
        **{name: inherited.get(name) or value for name, value in catalogs.items()},
    }


def start(stack: Stack, desired_state: Path, step: Step) -> None:
    """Start all parts and provision them. A failure leaves behind what was started so far."""
    private_folder(stack.folder.root)
    with step(f"Kafka broker at {stack.ports.bootstrap_servers}"):
        stack.start_broker()
    with step(f"Table catalog at {stack.ports.catalog_url}"):
        stack.start_catalog()
    with step(f"Control API at {stack.ports.api_url}"):
        stack.start_control_api()
    stack.write_state()
    with step("Topics, tables and connectors"):
        stack.provision(desired_state)


def is_running(folder: StackFolder) -> bool:
    return bool(folder.workers()) or any(folder.service(name).is_alive() for name in SERVICES)


def require_stopped(folder: StackFolder) -> None:
    if is_running(folder):
        raise AlreadyRunsError(folder.name)


def watch(folder: StackFolder) -> NoReturn:
    """Wait until interrupted; raise ServiceEndedError when a part of the stack is gone."""
    while True:
        for name in SERVICES:
            if not folder.service(name).is_alive():
                raise ServiceEndedError(name, folder.log(name))
        time.sleep(_WATCH_SECONDS)


def stop(folder: StackFolder) -> None:
    """End every process of the stack.

    The control API goes first, or it would start the workers again; catalog and broker last, so
    that workers can finish the commit at hand.
    """
    folder.service(CONTROL_API).stop(_STOP_SECONDS)
    _stop_together(folder.workers())
    _stop_together([folder.service(CATALOG), folder.service(KAFKA)])


def _stop_together(children: list[Child]) -> None:
    for child in children:
        child.ask_to_stop()
    for child in children:
        child.stop(_STOP_SECONDS)


def _is_up(url: str) -> bool:
    try:
        return httpx.get(url, timeout=2).is_success
    except httpx.HTTPError:
        return False

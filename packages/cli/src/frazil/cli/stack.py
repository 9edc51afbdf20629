"""The local stack as processes: a broker, the control API, and the workers that it starts."""

import subprocess
import sys
import time
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import NoReturn

import httpx

from frazil.cli.broker import Broker
from frazil.cli.folder import StackFolder, StackState
from frazil.cli.ports import HOST, Ports, answers
from frazil.cli.screen import Step
from frazil.cli.waiting import wait_until_ready
from frazil.runtime.child import Child
from frazil.runtime.errors import UserError

KAFKA = "kafka"
CONTROL_API = "control-api"
SERVICES = (KAFKA, CONTROL_API)

# People at a terminal want to see rows now; a real cluster wants fewer, larger files.
_COMMIT_INTERVAL_MS = "1000"
_START_SECONDS = 60
_STOP_SECONDS = 20
_WATCH_SECONDS = 0.5


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
        child, log = self.folder.service(KAFKA), self.folder.log(KAFKA)
        child.start(broker.command(), environment=self.tools.environment, log=log)
        wait_until_ready(
            "The Kafka broker",
            lambda: answers(self.ports.kafka),
            child=child,
            log=log,
            seconds=_START_SECONDS,
        )

    def start_control_api(self) -> None:
        child, log = self.folder.service(CONTROL_API), self.folder.log(CONTROL_API)
        environment = control_api_environment(
            self.folder,
            port=self.ports.api,
            bootstrap_servers=self.ports.bootstrap_servers,
            engine=self.engine,
        )
        child.start(
            CONTROL_API_COMMAND, environment={**self.tools.environment, **environment}, log=log
        )
        wait_until_ready(
            "The control API",
            lambda: _is_up(self.ports.api_url),
            child=child,
            log=log,
            seconds=_START_SECONDS,
        )

    def provision(self, desired_state: Path) -> None:
        """Make the topics, the tables and the connectors what the file says."""
        values = {
            "KAFKA_BOOTSTRAP_SERVERS": self.ports.bootstrap_servers,
            "CONNECT_URL": self.ports.api_url,
            "CATALOG_FILE": str(self.folder.catalog),
            "WAREHOUSE": str(self.folder.warehouse),
            "COMMIT_INTERVAL_MS": _COMMIT_INTERVAL_MS,
        }
        settings = [part for item in values.items() for part in ("--set", "=".join(item))]
        command = [
            sys.executable,
            "-m",
            "frazil.provisioner",
            "apply",
            str(desired_state),
            *settings,
        ]
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
    folder: StackFolder, *, port: int, bootstrap_servers: str, engine: str
) -> dict[str, str]:
    """Return the settings of a control API that keeps its things in the folder."""
    return {
        "FRAZIL_HOST": HOST,
        "FRAZIL_PORT": str(port),
        "FRAZIL_BOOTSTRAP_SERVERS": bootstrap_servers,
        "FRAZIL_ENGINE": engine,
        "FRAZIL_DATABASE_URL": f"sqlite:///{folder.control_database}",
        "FRAZIL_RUN_FOLDER": str(folder.runs),
    }


def start(stack: Stack, desired_state: Path, step: Step) -> None:
    """Start all parts and provision them. A failure leaves behind what was started so far."""
    stack.folder.root.mkdir(parents=True, exist_ok=True)
    with step(f"Kafka broker at {stack.ports.bootstrap_servers}"):
        stack.start_broker()
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

    The control API goes first, or it would start the workers again; the broker last, so that
    workers can finish the commit at hand.
    """
    folder.service(CONTROL_API).stop(_STOP_SECONDS)
    _stop_together(folder.workers())
    folder.service(KAFKA).stop(_STOP_SECONDS)


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

"""The local broker: one Kafka node (KRaft) from jars, on loopback only."""

import base64
import secrets
import subprocess
from dataclasses import dataclass
from pathlib import Path

from frazil.cli.ports import HOST, Ports
from frazil.runtime.errors import UserError

_LOG_CONFIG = Path(__file__).with_name("log4j2.yaml")
# Most of a broker's start is class loading: the small collector and the quick compiler help.
_FLAGS = ("-Xmx512m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1")


class BrokerFormatError(UserError):
    def __init__(self, output: str) -> None:
        super().__init__(f"Kafka could not prepare its data folder:\n{output}")


@dataclass(frozen=True)
class Broker:
    java: Path
    jars: Path
    folder: Path
    ports: Ports

    def prepare(self) -> None:
        """Write the configuration; format the data folder once."""
        self.folder.mkdir(parents=True, exist_ok=True)
        self._properties.write_text(properties(self._data, self.ports))
        if (self._data / "meta.properties").exists():
            return
        tool = ("kafka.tools.StorageTool", "format", "--standalone", "-t", _cluster_id(), "-c")
        done = subprocess.run(
            self._java(*tool, str(self._properties)), capture_output=True, text=True, check=False
        )
        if done.returncode != 0:
            raise BrokerFormatError(done.stdout + done.stderr)

    def command(self) -> list[str]:
        return self._java("kafka.Kafka", str(self._properties))

    def _java(self, *arguments: str) -> list[str]:
        log_config = f"-Dlog4j2.configurationFile={_LOG_CONFIG}"
        return [str(self.java), *_FLAGS, log_config, "-cp", f"{self.jars}/*", *arguments]

    @property
    def _properties(self) -> Path:
        return self.folder / "server.properties"

    @property
    def _data(self) -> Path:
        return self.folder / "data"


def properties(data: Path, ports: Ports) -> str:
    """Render the configuration of a lone node: every internal topic has one replica."""
    broker, controller = f"{HOST}:{ports.kafka}", f"{HOST}:{ports.controller}"
    settings = {
        "process.roles": "broker,controller",
        "node.id": 1,
        "controller.quorum.bootstrap.servers": controller,
        "listeners": f"PLAINTEXT://{broker},CONTROLLER://{controller}",
        "advertised.listeners": f"PLAINTEXT://{broker}",
        "controller.listener.names": "CONTROLLER",
        "inter.broker.listener.name": "PLAINTEXT",
        "listener.security.protocol.map": "PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT",
        "log.dirs": data,
        "auto.create.topics.enable": "false",
        "offsets.topic.replication.factor": 1,
        "offsets.topic.num.partitions": 5,
        "transaction.state.log.replication.factor": 1,
        "transaction.state.log.min.isr": 1,
        "transaction.state.log.num.partitions": 5,
        "share.coordinator.state.topic.replication.factor": 1,
        "share.coordinator.state.topic.min.isr": 1,
        "group.initial.rebalance.delay.ms": 0,
    }
    return "".join(f"{key}={value}\n" for key, value in settings.items())


def _cluster_id() -> str:
    """Make a Kafka id (16 bytes); the fixed beginning keeps it from starting with a dash."""
    identity = b"frazil" + secrets.token_bytes(10)
    return base64.urlsafe_b64encode(identity).decode().rstrip("=")

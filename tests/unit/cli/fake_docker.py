"""A Docker that says what a test has laid down, and remembers what it was asked to do."""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from frazil.cli.containers.docker import Said

FILES = "/deploy/compose/compose.yaml,/deploy/compose/single.yaml"


def described(
    service: str,
    *,
    state: Mapping[str, Any] | None = None,
    ports: Mapping[int, int] | None = None,
    labels: Mapping[str, str] | None = None,
    restarts: int = 0,
) -> dict[str, Any]:
    """Give what `docker container inspect` says, as far as it is read."""
    own = {
        "com.docker.compose.project": "frazil",
        "com.docker.compose.service": service,
        "com.docker.compose.project.config_files": FILES,
        "com.docker.compose.oneoff": "False",
    }
    published = {
        f"{inside}/tcp": [{"HostIp": "127.0.0.1", "HostPort": str(outside)}]
        for inside, outside in (ports or {}).items()
    }
    running = {"Status": "running", "ExitCode": 0, "OOMKilled": False}
    return {
        "Id": f"id-{service}",
        "Name": f"/{service}",
        "RestartCount": restarts,
        "State": {**running, **(state or {})},
        "Config": {"Image": f"{service}:1", "Labels": own if labels is None else dict(labels)},
        "HostConfig": {"PortBindings": {**published, "29092/tcp": None}},
    }


def described_worker(connector: str, epoch: int = 1) -> dict[str, Any]:
    labels = {
        "frazil.connector": connector,
        "frazil.epoch": str(epoch),
        "frazil.instance": "frazil",
    }
    return described(f"{connector}-{epoch}", labels=labels)


@dataclass
class FakeDocker:
    """`failing` has beginnings of calls that fail; `calls` is what would have changed something."""

    services: Sequence[dict[str, Any]] = ()
    workers: Sequence[dict[str, Any]] = ()
    plan: Mapping[str, Any] = field(default_factory=dict)
    failing: Sequence[str] = ()
    images: Sequence[str] = ()
    log: str = ""
    volumes: Sequence[str] = ()
    networks: Sequence[str] = ()
    token: str = ""
    calls: list[str] = field(default_factory=list)

    def ask(self, *arguments: str) -> Said:
        words = " ".join(arguments)
        if words.startswith(tuple(self.failing)):
            return Said(1, err=f"{words} failed.")
        match arguments:
            case ("ps", *_):
                return Said(0, "\n".join(one["Id"] for one in self._labelled(words)))
            case ("container", "inspect", *ids):
                all_of_them = (*self.services, *self.workers)
                return Said(0, json.dumps([one for one in all_of_them if one["Id"] in ids]))
            case ("image", "inspect", image):
                return Said(0 if image in self.images else 1)
            case ("compose", *_, "config", "--format", "json"):
                return Said(0, json.dumps({"services": self.plan}))
            case (
                "volume" | "network" as kind,
                "ls",
                *_,
                "label=com.docker.compose.project=frazil",
            ):
                return Said(0, "\n".join(self.volumes if kind == "volume" else self.networks))
            case ("logs", *_):
                return Said(0, self.log)
            case ("exec", "kafka-connect", "cat", "/run/connect/token"):
                return Said(0, f"{self.token}\n")
            case ("version" | "info", *_) | ("compose", "version"):
                return Said(0, "28")
            case _:
                self.calls.append(words)
                return Said(0)

    def show(self, *arguments: str) -> int:
        words = " ".join(arguments)
        self.calls.append(words)
        return int(any(part in words for part in self.failing))

    def _labelled(self, words: str) -> Sequence[dict[str, Any]]:
        wanted = dict(label.split("=", 1) for label in re.findall(r"label=(\S+)", words))
        all_of_them = (*self.services, *self.workers)
        return [one for one in all_of_them if wanted.items() <= one["Config"]["Labels"].items()]

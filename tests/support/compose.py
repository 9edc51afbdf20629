"""The container stack's configuration as `docker compose` itself renders it; needs no engine."""

import json
import os
import re
import shutil
import subprocess
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.support.environment import environment

from frazil.provisioner.desired import DesiredState, load

FOLDER = Path(__file__).parents[2] / "deploy" / "compose"
# What compose needs to find itself; everything else would be a variable of the stack.
_KEPT = ("PATH", "HOME")


_VARIABLE = re.compile(r"\$\{([A-Z_]+)(?::-((?:[^{}]|\$\{[^}]*\})*))?\}")


def variables(text: str) -> Iterator[tuple[str, str]]:
    """Find the variables of a compose file, each with its default, those within defaults too."""
    for name, default in _VARIABLE.findall(text):
        yield name, with_defaults(default)
        yield from variables(default)


def with_defaults(text: str) -> str:
    """Fill every variable with its default."""
    filled = _VARIABLE.sub(lambda found: found[2] or "", text)
    return filled if filled == text else with_defaults(filled)


def is_here() -> bool:
    if shutil.which("docker") is None:
        return False
    asked = subprocess.run(["docker", "compose", "version"], check=False, capture_output=True)
    return asked.returncode == 0


@dataclass(frozen=True)
class Rendered:
    """What compose would start, and what the provisioner would make in it."""

    body: Mapping[str, Any]

    @property
    def services(self) -> dict[str, dict[str, Any]]:
        found: dict[str, dict[str, Any]] = self.body["services"]
        return found

    def environment(self, service: str) -> dict[str, str]:
        return dict(self.services[service].get("environment") or {})

    def secrets(self, service: str) -> dict[str, str]:
        """Return the content of each file that compose writes into a container, by its path."""
        return {
            one["target"]: self.body["configs"][one["source"]]["content"]
            for one in self.services[service].get("configs", ())
        }

    def desired(self) -> DesiredState:
        """Read the desired state as `kafka-iceberg-init` does."""
        files = self.secrets("kafka-iceberg-init")
        keys = {
            "ACCESS_KEY": files["/run/secrets/access-key"],
            "SECRET_KEY": files["/run/secrets/secret-key"],
        }
        return load(FOLDER / "desired-state.yaml", self.environment("kafka-iceberg-init") | keys)


def rendered(*names: str, **variables: str) -> Rendered:
    """Render `compose.yaml` and these files, with these variables and no others."""
    files = [part for name in ("compose", *names) for part in ("-f", str(FOLDER / f"{name}.yaml"))]
    done = subprocess.run(
        ["docker", "compose", "--env-file", os.devnull, *files, "config", "--format", "json"],
        env={name: text for name, text in environment().items() if name in _KEPT} | variables,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return Rendered(json.loads(done.stdout))

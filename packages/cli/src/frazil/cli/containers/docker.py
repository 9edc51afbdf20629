"""Docker through its command line: the one place that runs it."""

import shutil
import subprocess
from dataclasses import dataclass
from typing import Protocol

from frazil.runtime.errors import UserError

# Longer than it takes to stop all workers, each of which has 20 s.
_SECONDS = 180


class NoDockerError(UserError):
    def __init__(self) -> None:
        super().__init__(
            "There is no `docker` command here. Install Docker Engine or Docker Desktop; on a "
            "Debian without a registry deploy/airgap/engine.sh brings it."
        )


class DockerError(UserError):
    def __init__(self, arguments: tuple[str, ...], reason: str) -> None:
        super().__init__(f"`docker {' '.join(arguments)}` did not work: {reason.strip()}")


@dataclass(frozen=True)
class Said:
    code: int
    out: str = ""
    err: str = ""


class Docker(Protocol):
    """Each call raises NoDockerError if there is no such command."""

    def ask(self, *arguments: str) -> Said:
        """Run it and return what it said, whatever the exit code is."""

    def show(self, *arguments: str) -> int:
        """Run it with its output on the terminal; return the exit code."""


class DockerCommand:
    def ask(self, *arguments: str) -> Said:
        try:
            done = subprocess.run(
                [_program(), *arguments],
                capture_output=True,
                text=True,
                check=False,
                timeout=_SECONDS,
            )
        except subprocess.TimeoutExpired as error:
            raise DockerError(arguments, f"no answer within {_SECONDS} s.") from error
        return Said(done.returncode, done.stdout, done.stderr)

    def show(self, *arguments: str) -> int:
        return subprocess.run([_program(), *arguments], check=False).returncode


def _program() -> str:
    found = shutil.which("docker")
    if found is None:
        raise NoDockerError
    return found


def told(docker: Docker, *arguments: str) -> str:
    """Return its output. Raises DockerError with what it complained of."""
    said = docker.ask(*arguments)
    if said.code != 0:
        raise DockerError(arguments, said.err)
    return said.out


def shown(docker: Docker, *arguments: str) -> None:
    """Raise DockerError if it fails; why is on the terminal."""
    if docker.show(*arguments) != 0:
        raise DockerError(arguments, "its own words are above.")

"""A sink of the comparison, as its users see it: a server of Connect's API and its processes."""

import time
from collections.abc import Mapping
from dataclasses import dataclass

import httpx
from bench.iceberg_sink.processes import Processes

_QUIET_SECONDS = 60
_QUIET_CORES = 0.15
_QUIET_LOOKS = 2


class RunFailedError(Exception):
    """A sink refused its connector or did not write what it was given."""


@dataclass(frozen=True, eq=False)
class Sink:
    """`extra` are keys of its connectors alone."""

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
            raise RunFailedError(f"{self.label} refused {name}: {answer.text}")

    def delete(self, name: str, *, most: int | None = None) -> None:
        """Delete a connector and wait until no more than so many processes are left.

        What still runs would be measured with the next run.
        """
        httpx.delete(f"{self.url}/connectors/{name}", timeout=60).raise_for_status()
        self.wait_until_quiet(most=most)

    def wait_until_quiet(self, *, least: int = 1, most: int | None = None) -> None:
        """Wait until the sink is at rest, with so many processes."""
        deadline, quiet, before = time.monotonic() + _QUIET_SECONDS, 0, self.processes.cpu()
        while quiet < _QUIET_LOOKS and time.monotonic() < deadline:
            time.sleep(1)
            spent = self.processes.cpu()
            rests = abs(spent - before) < _QUIET_CORES
            count = self.processes.count()
            are_right = least <= count and (most is None or count <= most)
            quiet = quiet + 1 if rests and are_right else 0
            before = spent

    def status(self, name: str) -> str:
        return httpx.get(f"{self.url}/connectors/{name}/status", timeout=60).text

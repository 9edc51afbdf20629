"""A control API as a process of its own, with stand-in workers, to be killed and asked."""

import signal
import subprocess
import sys
from pathlib import Path

import httpx
from tests.support.environment import environment
from tests.support.ports import free_port

_REPOSITORY = Path(__file__).parents[2]


class ApiProcess:
    """Listens on a free port; what it logs goes to a file in its folder."""

    def __init__(self, folder: Path, **settings: str) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.port = free_port()
        self.log = folder / f"api-{self.port}.log"
        own = {"FRAZIL_PORT": str(self.port), "FRAZIL_BOOTSTRAP_SERVERS": "127.0.0.1:1"}
        with self.log.open("wb") as log:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "tests.support.stand_in_api"],
                cwd=_REPOSITORY,
                env=environment(**own | settings),
                stdout=log,
                stderr=log,
            )
        self.http = httpx.Client(base_url=f"http://127.0.0.1:{self.port}", trust_env=False)

    def role(self) -> str | None:
        """Return its role once it is healthy."""
        try:
            response = self.http.get("/health")
        except httpx.TransportError:
            return None
        return str(response.json()["frazil"]["role"]) if response.status_code == 200 else None

    def state(self, name: str) -> str | None:
        response = self.http.get(f"/connectors/{name}/status")
        return response.json()["connector"]["state"] if response.status_code == 200 else None

    def kill(self) -> None:
        self._process.send_signal(signal.SIGKILL)
        self._process.wait()

    def close(self) -> None:
        self.http.close()
        self.kill()

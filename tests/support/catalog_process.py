"""A table catalog as a process of its own, on loopback, with files in a folder."""

import subprocess
import sys
import time
from pathlib import Path

import httpx
from tests.support.environment import environment
from tests.support.ports import free_port

WAREHOUSE = "kafkawarehouse"


class CatalogProcess:
    """Serves those who have a key of the given file; what it logs is in its folder."""

    def __init__(self, folder: Path, keys: str, **settings: str) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.port = int(settings.get("FRAZIL_PORT", free_port()))
        self.url = f"http://{settings.get('FRAZIL_HOST', '127.0.0.1')}:{self.port}"
        self._folder = folder
        self.log = folder / "catalog.log"
        keys_file = folder / "keys.toml"
        keys_file.touch(mode=0o600)
        keys_file.write_text(keys, encoding="utf-8")
        own = {
            "FRAZIL_PORT": str(self.port),
            "FRAZIL_KEYS": str(keys_file),
            "FRAZIL_DATABASE_URL": f"sqlite:///{folder / 'catalog.db'}",
            "FRAZIL_WAREHOUSE_ROOT": (folder / "warehouses").as_uri(),
            "FRAZIL_WAREHOUSES": WAREHOUSE,
        }
        with self.log.open("wb") as log:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "frazil.table_catalog"],
                env=environment(**own | settings),
                stdout=log,
                stderr=log,
            )

    @property
    def uri(self) -> str:
        return f"{self.url}/_iceberg"

    def files(self, below: str) -> list[Path]:
        found = (self._folder / "warehouses" / WAREHOUSE / below).rglob("*")
        return [path for path in found if path.is_file()]

    def wait(self, seconds: float = 30) -> None:
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline and self._process.poll() is None:
            try:
                httpx.get(f"{self.url}/health", trust_env=False)
            except httpx.TransportError:
                time.sleep(0.05)
            else:
                return
        raise AssertionError(f"the catalog does not serve:\n{self.log.read_text()}")

    def kill(self) -> None:
        """End it at whatever instruction it is."""
        self._process.kill()
        self._process.wait()

    def stop(self) -> None:
        """Ask it to end, and do not wait for that."""
        self._process.terminate()

    def wait_for_end(self, seconds: float = 20) -> int:
        return self._process.wait(seconds)

    def close(self) -> None:
        self.stop()
        try:
            self.wait_for_end()
        except subprocess.TimeoutExpired:
            self.kill()

"""Several catalog processes on one database, under writers, killed at any instruction."""

import threading
import time
from pathlib import Path
from typing import Any

import httpx
from tests.support.catalog_process import WAREHOUSE, CatalogProcess
from tests.support.catalog_writers import Memory, Writer, write_side_by_side
from tests.support.iceberg_rest import SCHEMA

Json = dict[str, Any]

TABLE = f"/v1/{WAREHOUSE}/namespaces/n/tables/t"


class Fleet:
    """Catalogs that share database and files; each of them may be killed, and comes back."""

    def __init__(self, folder: Path, size: int, **settings: str) -> None:
        always = {"FRAZIL_OPEN": "true", "FRAZIL_KEYS": "", "FRAZIL_LOG_FORMAT": "text"}
        self._settings = always | settings
        self._folder = folder
        self._starts = 0
        self.members = [self._start() for _ in range(size)]

    def _start(self, **more: str) -> CatalogProcess:
        self._starts += 1
        folder = self._folder / f"start-{self._starts}"
        return CatalogProcess(folder, "", **self._settings, **more)

    def begin(self) -> None:
        """Wait until all serve, and make the table."""
        for member in self.members:
            member.wait()
        root = f"{self.urls[0]}/v1/{WAREHOUSE}/namespaces"
        _post(root, {"namespace": ["n"]})
        _post(f"{root}/n/tables", {"name": "t", "schema": SCHEMA})

    def metadata(self) -> Json:
        answer = httpx.get(self.urls[0] + TABLE, trust_env=False, timeout=30).raise_for_status()
        metadata: Json = answer.json()["metadata"]
        return metadata

    @property
    def urls(self) -> list[str]:
        return [member.uri for member in self.members]

    def kill_and_restart(self, index: int) -> None:
        dead = self.members[index]
        dead.kill()
        self.members[index] = self._start(FRAZIL_PORT=str(dead.port))
        self.members[index].wait()

    def close(self) -> None:
        for member in self.members:
            member.close()


def write_under_fire(fleet: Fleet, *, writers: int, seconds: float) -> list[Memory]:
    """Let writers commit while one process after the other is killed, and comes back."""
    over = threading.Event()

    def kill_often() -> None:
        turn = 0
        while not over.wait(2):
            fleet.kill_and_restart(turn % len(fleet.members))
            turn += 1

    killer = threading.Thread(target=kill_often)
    killer.start()
    deadline = time.monotonic() + seconds
    try:
        those = [Writer(fleet.urls, TABLE, seed) for seed in range(writers)]
        return write_side_by_side(those, lambda _memory: time.monotonic() > deadline)
    finally:
        over.set()
        killer.join()


def _post(url: str, body: dict[str, object]) -> None:
    httpx.post(url, json=body, trust_env=False, timeout=30).raise_for_status()

"""The catalogs of bench/catalog.py, ours and Iceberg's fixture: processes and connections."""

import http.client
import json
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from botocore.auth import SigV4Auth
from botocore.awsrequest import AWSRequest
from botocore.credentials import Credentials

from frazil.cli.ports import HOST, free_ports
from frazil.runtime.jars import JarStore
from frazil.runtime.java import find_java
from frazil.table_catalog.settings import Settings

Json = dict[str, Any]
Sign = Callable[[str, str, bytes], Mapping[str, str]]

PATIENCE_SECONDS = 60.0
FIXTURE = Path(__file__).parent / "iceberg_fixture"
KEY_ID, SECRET = "bench", "secret of a benchmark"


@dataclass(frozen=True, slots=True)
class Request:
    method: str
    path: str
    body: bytes = b""

    @classmethod
    def post(cls, path: str, document: Json) -> "Request":
        return cls("POST", path, json.dumps(document).encode())


@dataclass(frozen=True)
class Peer:
    """A catalog that serves; paths of requests are below its root."""

    label: str
    port: int
    root: str
    pid: int
    sign: Sign | None = None

    @property
    def peak_mb(self) -> float:
        for line in Path(f"/proc/{self.pid}/status").read_text().splitlines():
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) / 1024
        return 0.0


class Line:
    """One connection. Signing takes place before the clock runs: it is the client's work."""

    def __init__(self, peer: Peer) -> None:
        self.peer = peer
        self._connection = http.client.HTTPConnection(HOST, peer.port, timeout=60)

    def ask(self, request: Request) -> tuple[float, bytes]:
        """Return the seconds from the first byte sent to the last one read, and the body."""
        path = self.peer.root + request.path
        headers = {"Content-Type": "application/json"} if request.body else {}
        if self.peer.sign is not None:
            headers |= self.peer.sign(request.method, path, request.body)
        begin = time.perf_counter()
        self._connection.request(request.method, path, request.body or None, headers)
        response = self._connection.getresponse()
        content = response.read()
        took = time.perf_counter() - begin
        if response.status >= 400:
            sys.exit(f"{self.peer.label} answered {response.status}: {content[:500]!r}")
        return took, content

    def close(self) -> None:
        self._connection.close()


@contextmanager
def ours(folder: Path, label: str, *, signed: bool, database: str | None) -> Iterator[Peer]:
    folder.mkdir()
    port = free_ports().api
    keys = folder / "keys.toml"
    keys.touch(mode=0o600)
    keys.write_text(f'[{KEY_ID}]\nsecret = "{SECRET}"\nwrite = ["*"]\n')
    warehouse = folder.name
    told = {
        "FRAZIL_PORT": str(port),
        "FRAZIL_DATABASE_URL": database or f"sqlite:///{folder / 'catalog.db'}",
        "FRAZIL_WAREHOUSE_ROOT": (folder / "warehouses").as_uri(),
        "FRAZIL_WAREHOUSES": warehouse,
        **({"FRAZIL_KEYS": str(keys)} if signed else {"FRAZIL_OPEN": "true"}),
    }
    root = f"/_iceberg/v1/{warehouse}"
    command = [sys.executable, "-m", "frazil.table_catalog"]
    with _running(command, told, log=folder / "log", port=port) as pid:
        yield Peer(label, port, root, pid, _signer(port) if signed else None)


@contextmanager
def fixture(folder: Path, label: str, *, database: str | None) -> Iterator[Peer]:
    folder.mkdir()
    port, settings = free_ports().api, Settings(open=True)
    java = find_java(settings.java_home)
    jars = JarStore(settings.home, FIXTURE / "jars.sha256", FIXTURE / "ivy.xml")
    jars.resolve(java, lambda _done, _total: None)
    told = {
        "CATALOG_CATALOG__IMPL": "org.apache.iceberg.jdbc.JdbcCatalog",
        "CATALOG_URI": f"jdbc:{database or _as_alike(folder / 'catalog.db')}",
        "CATALOG_JDBC_SCHEMA__VERSION": "V1",
        "CATALOG_WAREHOUSE": (folder / "warehouse").as_uri(),
        "CATALOG_REST_PORT": str(port),
    }
    class_path = f"{jars.folder('fixture')}/*:{jars.folder('tests')}/*"
    # Without it each call is a line on the error stream.
    quiet = "-Dorg.slf4j.simpleLogger.defaultLogLevel=warn"
    command = [str(java), quiet, "-cp", class_path, "org.apache.iceberg.rest.RESTCatalogServer"]
    with _running(command, told, log=folder / "log", port=port) as pid:
        yield Peer(label, port, "/v1", pid)


def _as_alike(file: Path) -> str:
    """Name SQLite as ours opens it: by default each commit would wait 15 ms for its journal."""
    return f"sqlite:{file}?journal_mode=WAL&synchronous=FULL&busy_timeout=10000"


def _signer(port: int) -> Sign:
    credentials = Credentials(KEY_ID, SECRET)

    def sign(method: str, path: str, body: bytes) -> Mapping[str, str]:
        request = AWSRequest(method, f"http://{HOST}:{port}{path}", data=body)
        SigV4Auth(credentials, "s3tables", "us-east-1").add_auth(request)
        return dict(request.headers.items())

    return sign


@contextmanager
def _running(command: list[str], told: Mapping[str, str], *, log: Path, port: int) -> Iterator[int]:
    with log.open("wb") as output:
        environment = {**Settings(open=True).environment, **told}
        process = subprocess.Popen(command, env=environment, stdout=output, stderr=output)
    try:
        _wait_until_it_serves(port, process, log)
        yield process.pid
    finally:
        process.terminate()
        process.wait(30)


def _wait_until_it_serves(port: int, process: "subprocess.Popen[bytes]", log: Path) -> None:
    deadline = time.monotonic() + PATIENCE_SECONDS
    while time.monotonic() < deadline and process.poll() is None:
        probe = http.client.HTTPConnection(HOST, port, timeout=5)
        try:
            probe.request("GET", "/health")
            probe.getresponse()
        except OSError:
            time.sleep(0.1)
        else:
            return
        finally:
            probe.close()
    sys.exit(f"A catalog does not serve:\n{log.read_text()[-2000:]}")

"""A Trino of its own process, on loopback: statements in, rows out; catalogs come and go."""

import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest
from tests.support.catalog_process import WAREHOUSE
from tests.support.lab import wait_until
from tests.support.ports import free_port
from trino.dbapi import connect

from frazil.cli.ports import HOST
from frazil.runtime.child import Child
from frazil.runtime.java import find_java, major_version
from frazil.runtime.settings import FrazilSettings

_JAVA = 24
_FETCH = Path(__file__).parents[2] / "deploy" / "airgap" / "trino.py"
_FLAGS = (
    "-Xmx1g",
    "-XX:+UseSerialGC",
    # It starts in 9 s instead of 15: nothing lives long enough to gain from the other compiler.
    "-XX:TieredStopAtLevel=1",
    "-XX:+ExitOnOutOfMemoryError",
    "-Djdk.attach.allowAttachSelf=true",
    "--add-modules=jdk.incubator.vector",
    "--sun-misc-unsafe-memory-access=allow",
)
_CONFIG = """
node.environment=tests
node.bind-ip=127.0.0.1
node.internal-address=127.0.0.1
coordinator=true
node-scheduler.include-coordinator=true
discovery.uri=http://127.0.0.1:{port}
http-server.http.port={port}
http-server.log.enabled=false
plugin.dir={plugins}
catalog.management=dynamic
catalog.store=memory
query.max-memory-per-node=256MB
memory.heap-headroom-per-node=200MB
"""


def signed_by(key: str, uri: str) -> dict[str, str]:
    """Tell Trino where our catalog is, and who signs."""
    return {
        "iceberg.catalog.type": "rest",
        "iceberg.rest-catalog.uri": uri,
        "iceberg.rest-catalog.warehouse": WAREHOUSE,
        "iceberg.rest-catalog.sigv4-enabled": "true",
        "iceberg.rest-catalog.signing-name": "s3tables",
        "s3.aws-access-key": key,
        "s3.aws-secret-key": f"{key}-secret",
        "s3.region": "us-east-1",
        # Without it Trino does not know the settings above, which it signs with.
        "fs.native-s3.enabled": "true",
        "fs.native-local.enabled": "true",
        "local.location": "/",
        "iceberg.expire-snapshots.min-retention": "0s",
        "iceberg.remove-orphan-files.min-retention": "0s",
    }


class Trino:
    def __init__(self, port: int) -> None:
        self.port = port

    def run(self, statement: str) -> list[list[Any]]:
        """Run one statement; raises TrinoQueryError."""
        with connect(host=HOST, port=self.port, user="tests") as connection:  # type: ignore[no-untyped-call]
            rows: list[list[Any]] = connection.cursor().execute(statement).fetchall()
            return rows

    @contextmanager
    def catalog(self, name: str, properties: Mapping[str, str]) -> Iterator[None]:
        listed = ", ".join(f"\"{key}\" = '{value}'" for key, value in properties.items())
        self.run(f"CREATE CATALOG {name} USING iceberg WITH ({listed})")
        try:
            yield
        finally:
            self.run(f"DROP CATALOG {name}")

    def answers(self) -> bool:
        try:
            said = httpx.get(f"http://{HOST}:{self.port}/v1/info", trust_env=False)
        except httpx.TransportError:
            return False
        return said.is_success and not said.json()["starting"]


@contextmanager
def running(folder: Path) -> Iterator[Trino]:
    """Start one, which takes 10 s on two cores, and 60 more when it is loaded first; may skip."""
    java = _newer_java()
    server, plugins = _programs()
    trino = Trino(free_port())
    config = folder / "config.properties"
    config.write_text(_CONFIG.format(port=trino.port, plugins=plugins), encoding="utf-8")
    main = ("-cp", f"{server}/lib/*", "io.trino.server.TrinoServer")
    child = Child(folder / "process")
    child.start(
        [str(java), *_FLAGS, f"-Dconfig={config}", *main],
        environment={},
        log=folder / "trino.log",
    )
    try:
        wait_until("Trino answers", lambda: trino.answers() or not child.is_alive(), 240, every=0.2)
        assert child.is_alive(), (folder / "trino.log").read_text()[-3000:]
        yield trino
    finally:
        child.stop(20)


def _newer_java() -> Path:
    """Return a Java for Trino, which need not be the one that Spark takes; may skip."""
    usual = find_java(FrazilSettings().java_home)
    for java in (usual, *sorted(Path("/usr/lib/jvm").glob("*/bin/java"))):
        said = subprocess.run([java, "-version"], capture_output=True, text=True, check=False)
        if (major_version(said.stderr) or 0) >= _JAVA:
            return java
    pytest.skip(f"Trino needs Java {_JAVA}: neither {usual} nor one in /usr/lib/jvm is so new")


def _programs() -> tuple[Path, Path]:
    """Return the folders of the server and of its plugins; may skip."""
    fetched = subprocess.run(
        [sys.executable, str(_FETCH)], capture_output=True, text=True, check=False
    )
    if fetched.returncode != 0:
        pytest.skip(fetched.stderr)
    folder = Path(fetched.stdout.strip())
    return folder, folder / "plugin"

"""A throw-away PostgreSQL from whatever binaries this machine has."""

import os
import pwd
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import psycopg
from tests.support.ports import free_port

_START_SECONDS = 15
_STOP_SECONDS = 10
_SPEED = ["-c", "fsync=off", "-c", "synchronous_commit=off", "-c", "full_page_writes=off"]


@dataclass
class PostgreSQL:
    """A running server; each test asks it for a database of its own."""

    port: int
    databases: int = 0

    def url(self, database: str = "postgres") -> str:
        return f"postgresql://frazil:hunter2@127.0.0.1:{self.port}/{database}"

    def new_database(self) -> str:
        """Make an empty database and return its address."""
        self.databases += 1
        name = f"test_{self.databases}"
        self.execute(f"CREATE DATABASE {name}")
        return self.url(name)

    def end_leaders(self, url: str) -> int:
        """End the sessions that hold a leader's lock; return how many there were."""
        statement = (
            "SELECT pg_terminate_backend(pid) FROM pg_locks "
            "WHERE locktype = 'advisory' AND granted "
            "AND database = (SELECT oid FROM pg_database WHERE datname = current_database())"
        )
        with psycopg.connect(url, autocommit=True) as connection:
            return len(connection.execute(statement).fetchall())

    @contextmanager
    def away(self, url: str) -> Iterator[None]:
        """End all sessions of a database and let nobody in."""
        name = url.rpartition("/")[2]
        self.execute(f"ALTER DATABASE {name} ALLOW_CONNECTIONS false")
        of_it = f"FROM pg_stat_activity WHERE datname = '{name}'"
        self.execute(f"SELECT pg_terminate_backend(pid) {of_it}")
        yield
        self.execute(f"ALTER DATABASE {name} ALLOW_CONNECTIONS true")

    def execute(self, statement: str) -> None:
        with psycopg.connect(self.url(), autocommit=True) as connection:
            connection.execute(statement.encode())


def find_binaries() -> Path | None:
    """Return the folder with initdb and postgres, the newest of several."""
    versions = sorted(Path("/usr/lib/postgresql").glob("*/bin"), key=_version, reverse=True)
    on_path = shutil.which("initdb")
    folders = [Path(on_path).resolve().parent] if on_path else []
    found = [folder for folder in folders + versions if (folder / "postgres").exists()]
    return found[0] if found else None


@contextmanager
def running(binaries: Path) -> Iterator[PostgreSQL]:
    with _private_folder() as folder:
        data = str(folder / "data")
        initdb = [
            str(binaries / "initdb"),
            "-U",
            "frazil",
            "-A",
            "trust",
            "-E",
            "UTF8",
            "--locale=C",
        ]
        _run([*initdb, "--no-sync", "-D", data], folder)
        port = free_port()
        server = [str(binaries / "postgres"), "-D", data, "-k", str(folder), *_SPEED]
        with (folder / "log").open("wb") as log:
            process = subprocess.Popen(
                [*server, "-h", "127.0.0.1", "-p", str(port)],
                stdout=log,
                stderr=log,
                cwd=folder,
                user=_user(),
            )
        try:
            cluster = PostgreSQL(port)
            _wait_for(cluster, process, folder / "log")
            yield cluster
        finally:
            _stop(process)


@contextmanager
def _private_folder() -> Iterator[Path]:
    # Not pytest's: the server's user must be able to walk there, and socket paths must be short.
    folder = Path(tempfile.mkdtemp(prefix="frazil-pg-"))
    try:
        if (user := _user()) is not None:
            os.chown(folder, user, -1)
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _user() -> int | None:
    """PostgreSQL refuses to run as root; anybody else runs it as himself."""
    if os.geteuid() != 0:
        return None
    names = {entry.pw_name: entry.pw_uid for entry in pwd.getpwall()}
    return names.get("postgres", names["nobody"])


def _run(command: list[str], folder: Path) -> None:
    subprocess.run(command, cwd=folder, user=_user(), check=True, capture_output=True)


def _wait_for(cluster: PostgreSQL, process: "subprocess.Popen[bytes]", log: Path) -> None:
    deadline = time.monotonic() + _START_SECONDS
    while time.monotonic() < deadline and process.poll() is None:
        try:
            return cluster.execute("SELECT 1")
        except psycopg.OperationalError:
            time.sleep(0.1)
    raise AssertionError(f"PostgreSQL does not start:\n{log.read_text()}")


def _stop(process: "subprocess.Popen[bytes]") -> None:
    # At once, without a last checkpoint: the data are thrown away.
    process.send_signal(signal.SIGQUIT)
    try:
        process.wait(_STOP_SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def _version(folder: Path) -> int:
    name = folder.parent.name
    return int(name) if name.isdecimal() else 0

"""Measures the control plane under many connectors; the figures of docs/explanation/performance.md.

`make bench-api` starts the real application with a fake engine, asks it over HTTP on loopback,
and prints tables. With `--connect-url` a Kafka Connect is asked the same in the same run.
"""

import argparse
import asyncio
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from unittest.mock import patch

import httpx
from bench.times import Times

from frazil.cli.ports import free_ports
from frazil.cli.screen import Screen
from frazil.contracts.assignment import Assignment
from frazil.contracts.exit_code import ExitCode
from frazil.control_api.__main__ import main as control_api
from frazil.control_api.core.connector import Connector, Observed, Phase
from frazil.control_api.engine.fake import Behaviour, FakeEngine
from frazil.control_api.plant import Plant, SystemClock, build_plant
from frazil.control_api.settings import EngineKind, Settings

MANY, MIXED, FEW = 1000, 200, 30
LISTS, ROUNDS = 30, 100
PATIENCE_SECONDS = 120.0
BROKEN = "broken"

EXPAND = "/connectors?expand=status&expand=info"
SINK = {
    "connector.class": "io.tabular.iceberg.connect.IcebergSinkConnector",
    "topics": "apilogs",
    "iceberg.tables": "streaming.apilogs",
    "iceberg.catalog.type": "jdbc",
    "iceberg.catalog.uri": "jdbc:sqlite:/nowhere/catalog.db",
    "iceberg.catalog.warehouse": "file:///nowhere/warehouse",
    "value.converter": "org.apache.kafka.connect.json.JsonConverter",
    "value.converter.schemas.enable": "false",
}
LINES = {"connector.class": "FileStreamSink", "topics": "bench-lines", "file": "bench-lines.txt"}

Config = Mapping[str, str]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--connect-url", help="A Kafka Connect with FileStreamSink, to compare.")
    parser.add_argument("--serve", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.serve:
        serve()
        return
    screen = Screen()
    screen.say("Load average before: {:.1f}, {:.1f}, {:.1f}".format(*os.getloadavg()))
    with tempfile.TemporaryDirectory() as home:
        screen.table(("with 1,000 connectors", "value", "wanted"), measure_many(Path(home, "many")))
        columns = ("200 connectors, half of them fail", "p50", "p99", "longest")
        screen.table(columns, measure_mixed(Path(home, "mixed")))
        if options.connect_url:
            columns = ("30 connectors, p50", "frazil", "connect", "ratio")
            screen.table(columns, compare(Path(home, "few"), options.connect_url))


def measure_many(home: Path) -> list[tuple[str, str, str]]:
    with running(home) as server:
        created = Times([server.create(f"sink-{number}", SINK) for number in range(MANY)])
        server.wait_for("RUNNING", MANY)
        listed = Times([server.get(EXPAND) for _ in range(LISTS)])
        memory = server.resident_mb()
    return [
        ("create, p50", f"{created.p50:.1f} ms", ""),
        ("create, p99", f"{created.p99:.1f} ms", "50 ms"),
        ("list with status and info, p50", f"{listed.p50:.1f} ms", "150 ms"),
        ("list with status and info, p99", f"{listed.p99:.1f} ms", ""),
        ("memory", f"{memory:.0f} MB", "200 MB"),
        ("full resync", f"{asyncio.run(time_resync(home / 'resync')):.2f} s", "2 s"),
    ]


def measure_mixed(home: Path) -> list[tuple[str, str, str, str]]:
    """Ask each kind of call by turns while half of the workers die all the time."""
    with running(home) as server:
        for number in range(MIXED):
            server.create(f"{BROKEN if number % 2 else 'good'}-{number}", SINK)
        server.wait_for("RUNNING", MIXED // 2)
        times: dict[str, Times] = {}
        for number in range(ROUNDS):
            for label, seconds in server.every_call(f"good-{2 * number % MIXED}", f"new-{number}"):
                times.setdefault(label, Times()).add(seconds)
    return [
        (label, f"{one.p50:.1f} ms", f"{one.p99:.1f} ms", f"{one.longest:.1f} ms")
        for label, one in times.items()
    ]


def compare(home: Path, connect_url: str) -> list[tuple[str, str, str, str]]:
    with running(home) as server:
        ours = few_calls(server)
    theirs = few_calls(Server(connect_url))
    return [
        (
            label,
            f"{ours[label].p50:.1f} ms",
            f"{one.p50:.1f} ms",
            f"{ours[label].p50 / one.p50:.2f}",
        )
        for label, one in theirs.items()
    ]


def few_calls(server: "Server") -> dict[str, "Times"]:
    names = [f"bench-{number}" for number in range(FEW)]
    times = {"create": Times([server.create(name, LINES) for name in names])}
    try:
        server.wait_for("RUNNING", FEW)
        times["list with status and info"] = Times([server.get(EXPAND) for _ in range(LISTS)])
        times["status"] = Times([server.get(f"/connectors/{name}/status") for name in names])
    finally:
        times["delete"] = Times([server.ask("DELETE", f"/connectors/{name}") for name in names])
    return times


async def time_resync(home: Path) -> float:
    """Measure until each of many running connectors has been looked at, by all loops together."""
    engine = FakeEngine(SystemClock())
    settings = Settings(home=home, engine=EngineKind.FAKE)
    plant = build_plant(settings, engine)
    for number in range(MANY):
        await put_running(plant, engine, f"sink-{number}")

    async def work() -> None:
        while (name := plant.queue.take()) is not None:
            await plant.reconciler.reconcile(name)
            plant.queue.done(name)

    begin = time.perf_counter()
    await plant.resync.resync()
    await asyncio.gather(*(work() for _ in range(settings.reconcilers)))
    took = time.perf_counter() - begin
    plant.store.close()
    return took


async def put_running(plant: Plant, engine: FakeEngine, name: str) -> None:
    """Make a connector that already runs: to start many one after another takes long."""
    observed = Observed(Phase.RUNNING, epoch=1, generation=1, topics=("apilogs",))
    assignment = Assignment(
        connector=name, epoch=1, generation=1, worker_id="", config=SINK, kafka={}
    )
    plant.store.change(name, lambda _old: Connector(name, SINK))
    plant.store.record(name, observed)
    await engine.start(assignment, "spark-sink")


class Server:
    """A server of Connect's API; each method that asks returns the seconds that it took."""

    def __init__(self, url: str, pid: int | None = None) -> None:
        self._pid = pid
        self._client = httpx.Client(base_url=url, timeout=60.0, trust_env=False)

    def ask(self, method: str, path: str, body: object = None) -> float:
        begin = time.perf_counter()
        response = self._client.request(method, path, json=body)
        took = time.perf_counter() - begin
        response.raise_for_status()
        return took

    def get(self, path: str) -> float:
        return self.ask("GET", path)

    def create(self, name: str, config: Config) -> float:
        return self.ask("POST", "/connectors", {"name": name, "config": config})

    def every_call(self, name: str, new: str) -> Iterator[tuple[str, float]]:
        one = f"/connectors/{name}"
        for path in ("/", "/health", "/metrics", "/connectors", EXPAND, "/connector-plugins"):
            yield f"GET {path}", self.get(path)
        for path in ("", "/config", "/status", "/tasks", "/tasks/0/status", "/topics", "/history"):
            yield f"GET /connectors/{{c}}{path}", self.get(one + path)
        yield "GET /connectors/{c}/health", self.get(f"{one}/health")
        validate = f"/connector-plugins/{SINK['connector.class']}/config/validate"
        yield "PUT .../config/validate", self.ask("PUT", validate, {"name": name, **SINK})
        yield "POST /connectors", self.create(new, SINK)
        changed = SINK | {"topics": new}
        yield "PUT /connectors/{c}/config", self.ask("PUT", f"/connectors/{new}/config", changed)
        for verb in ("pause", "resume", "stop"):
            yield f"PUT /connectors/{{c}}/{verb}", self.ask("PUT", f"/connectors/{new}/{verb}")
        restart = self.ask("POST", f"{one}/restart?includeTasks=true")
        yield "POST /connectors/{c}/restart", restart
        yield "DELETE /connectors/{c}", self.ask("DELETE", f"/connectors/{new}")

    def wait_for(self, state: str, count: int) -> None:
        def found() -> int:
            shown = self._client.get("/connectors?expand=status").json().values()
            return sum(one["status"]["connector"]["state"] == state for one in shown)

        self._wait(lambda: found() >= count, f"{count} connectors are {state}")

    def wait_until_healthy(self) -> None:
        def is_healthy() -> bool:
            try:
                return self._client.get("/health").status_code == 200
            except httpx.TransportError:
                return False

        self._wait(is_healthy, "the server is healthy")

    def resident_mb(self) -> float:
        asked = ["ps", "-o", "rss=", "-p", str(self._pid)]
        found = subprocess.run(asked, capture_output=True, text=True, check=True)
        return int(found.stdout) / 1024

    def _wait(self, ready: Callable[[], bool], what: str) -> None:
        deadline = time.monotonic() + PATIENCE_SECONDS
        while not ready():
            if time.monotonic() > deadline:
                sys.exit(f"The benchmark waited in vain: {what}.")
            time.sleep(0.5)


@contextmanager
def running(home: Path) -> Iterator[Server]:
    port = free_ports().api
    told = {
        "FRAZIL_HOME": str(home),
        "FRAZIL_PORT": str(port),
        "FRAZIL_ENGINE": EngineKind.FAKE,
        "FRAZIL_FILES_FOLDER": str(home),
        "FRAZIL_MAX_FAILURES": "1000000",
        "FRAZIL_LOG_LEVEL": "ERROR",
    }
    process = subprocess.Popen(
        [sys.executable, "-m", "bench.control_plane", "--serve"],
        env=Settings().environment | told,
    )
    try:
        server = Server(f"http://127.0.0.1:{port}", process.pid)
        server.wait_until_healthy()
        yield server
    finally:
        process.terminate()
        process.wait(30)


class Behaviours(dict[str, Behaviour]):
    """Workers of connectors whose names say so die as soon as they start."""

    def get(self, name: str, default: Behaviour | None = None) -> Behaviour | None:  # type: ignore[override]
        return Behaviour(exits_with=ExitCode.CRASHED) if name.startswith(BROKEN) else default


def serve() -> None:
    """Be the program itself, but for the workers."""
    engine = FakeEngine(SystemClock(), Behaviours())
    with patch("frazil.control_api.plant.FakeEngine", lambda _clock: engine):
        control_api()


if __name__ == "__main__":
    main()

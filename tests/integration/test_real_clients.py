"""Clients that people use with Kafka Connect lead a connector through its life on our server."""

import json
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import httpx
import pytest
from tests.support.api_process import ApiProcess
from tests.support.clients import FOLDER, java_client, jdk, python_clients
from tests.support.lab import wait_until
from tests.support.ports import free_port

from frazil.runtime.child import Child

CONFIG = {"connector.class": "FileStreamSource", "file": "in.txt", "topic": "lines"}


@pytest.fixture
def api(tmp_path: Path) -> Iterator[ApiProcess]:
    process = ApiProcess(tmp_path, FRAZIL_HOME=str(tmp_path), FRAZIL_FILES_FOLDER=str(tmp_path))
    try:
        wait_until("the control API leads", lambda: process.role() == "leader", 30)
        yield process
    finally:
        process.close()
        for folder in tmp_path.glob("control-api/runs/*/*"):
            Child(folder).stop(grace=0)


@pytest.fixture(scope="session")
def programs() -> Path:
    return python_clients()


def run(*command: str | Path) -> str:
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_the_java_client_inside_akhq(api: ApiProcess) -> None:
    command = [*java_client(), str(FOLDER / "SourceLab.java"), f"http://127.0.0.1:{api.port}"]
    assert run(*command).endswith("done\n")


def test_javas_own_http_client_which_offers_http_2(api: ApiProcess) -> None:
    command = [str(jdk()), str(FOLDER / "JavaHttp.java"), f"http://127.0.0.1:{api.port}"]
    assert run(*command).endswith("done\n")


def test_the_package_kafka_connect_api(api: ApiProcess, programs: Path) -> None:
    run(programs / "python", FOLDER / "kafka_connect_api_life.py", str(api.port))


@pytest.fixture(params=["kc", "kafka-connect"])
def kc(request: pytest.FixtureRequest, api: ApiProcess, programs: Path) -> Callable[..., str]:
    """Run the command of kafka-connect-py, which tells by its output alone how it fared."""
    url = f"http://127.0.0.1:{api.port}"
    return lambda *arguments: run(programs / request.param, "--url", url, *arguments)


def test_the_command_of_kafka_connect_py(api: ApiProcess, kc: Callable[..., str]) -> None:
    def until(state: str) -> None:
        wait_until(f"it is {state}", lambda: api.state("pc") == state, 30)
        assert json.loads(kc("status", "pc"))["connector"]["state"] == state

    def epoch() -> int:
        found: int = api.http.get("/connectors/pc/health").json()["epoch"]
        return found

    assert "4.3.1" in kc("info")
    created = json.dumps({"name": "pc", "config": CONFIG})
    assert json.loads(kc("create", "-d", created))["name"] == "pc"
    assert "409" in kc("create", "-d", created)
    until("RUNNING")
    assert json.loads(kc("list")) == ["pc"]
    assert "RUNNING" in kc("list", "--expand", "status")
    assert json.loads(kc("config", "pc"))["file"] == "in.txt"
    assert json.loads(kc("get", "pc"))["type"] == "source"
    assert "FileStreamSource" in kc("list-plugins")
    assert json.loads(kc("list-tasks", "pc"))[0]["id"] == {"connector": "pc", "task": 0}
    assert json.loads(kc("task-status", "pc", "0"))["state"] == "RUNNING"
    assert "topics" in kc("list-topics", "pc")
    kc("reset-topics", "pc")
    assert json.loads(kc("list-topics", "pc"))["pc"]["topics"] == []
    changed = json.dumps(CONFIG | {"batch.size": "9"})
    assert json.loads(kc("update", "pc", "-d", changed))["config"]["batch.size"] == "9"
    until("RUNNING")
    kc("pause", "pc")
    until("PAUSED")
    kc("resume", "pc")
    until("RUNNING")
    for restart in (["restart", "pc", "--include-tasks"], ["restart-task", "pc", "0"]):
        before = epoch()
        kc(*restart)
        wait_until("it has another worker", lambda before=before: epoch() > before, 30)  # type: ignore[misc]
        until("RUNNING")
    kc("delete", "pc")
    assert "404" in kc("get", "pc")
    assert json.loads(kc("list")) == []


def test_kafka_connect_healthcheck(api: ApiProcess, programs: Path) -> None:
    port = free_port()
    command = [str(programs / "kafka-connect-healthcheck"), "--port", str(port)]
    worker = f"127.0.0.1:{api.port}"
    command += ["--connect-url", f"http://{worker}", "--connect-worker-id", worker]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as check:
        try:
            assert health(port) == (200, True)
            api.http.post("/connectors", json={"name": "good", "config": CONFIG})
            bad = CONFIG | {"exit": "10", "trace": "a.B: it cannot"}
            api.http.post("/connectors", json={"name": "bad", "config": bad})
            wait_until("one runs", lambda: api.state("good") == "RUNNING", 30)
            wait_until("one has failed", lambda: api.state("bad") == "FAILED", 30)
            assert health(port) == (503, False)
            api.http.delete("/connectors/bad")
            assert health(port) == (200, True)
        finally:
            check.terminate()


def health(port: int) -> tuple[int, bool]:
    deadline = time.monotonic() + 30
    while True:
        try:
            response = httpx.get(f"http://127.0.0.1:{port}/", trust_env=False)
        except httpx.TransportError:
            assert time.monotonic() < deadline, "the health check does not answer"
            time.sleep(0.1)
        else:
            return response.status_code, response.json()["healthy"]

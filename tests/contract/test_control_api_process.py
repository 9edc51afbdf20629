"""`python -m frazil.control_api` as a process: it starts, says what is wrong, and ends in peace."""

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest


def environment(home: Path, **settings: str) -> dict[str, str]:
    inherited = os.environ.items()  # noqa: TID251 (the environment of a child process)
    mine = {key: value for key, value in inherited if not key.startswith("FRAZIL_")}
    return mine | {"FRAZIL_HOME": str(home), "FRAZIL_BOOTSTRAP_SERVERS": "127.0.0.1:1"} | settings


def start(home: Path, **settings: str) -> "subprocess.Popen[str]":
    return subprocess.Popen(
        [sys.executable, "-m", "frazil.control_api"],
        env=environment(home, **settings),
        stderr=subprocess.PIPE,
        text=True,
    )


@pytest.fixture
def taken() -> Iterator[int]:
    """A port that somebody listens on."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        port: int = server.getsockname()[1]
        yield port


def until_healthy(port: int) -> None:
    deadline = time.monotonic() + 15
    while time.monotonic() < deadline:
        try:
            if httpx.get(f"http://127.0.0.1:{port}/health").status_code == 200:
                return
        except httpx.TransportError:
            time.sleep(0.05)
    raise AssertionError("it does not become healthy")


def test_it_serves_and_a_signal_ends_it_in_peace(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
    process = start(tmp_path, FRAZIL_PORT=str(port))
    try:
        until_healthy(port)
        process.send_signal(signal.SIGTERM)
        _, errors = process.communicate(timeout=15)
    finally:
        process.kill()
    assert process.returncode == 0, errors
    assert "Traceback" not in errors


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        ({"FRAZIL_HOST": "0.0.0.0"}, "FRAZIL_ALLOW_REMOTE=true allows it"),
        ({"FRAZIL_PORT": "no"}, "FRAZIL_PORT: Input should be a valid integer"),
        ({"FRAZIL_PORT": "0", "FRAZIL_DATABASE_URL": "nonsense"}, "cannot be opened"),
        ({"FRAZIL_PORT": "0", "FRAZIL_KAFKA_PROPERTIES": "/nowhere"}, "/nowhere"),
    ],
)
def test_what_is_wrong_at_the_start_is_a_sentence(
    tmp_path: Path, settings: dict[str, str], sentence: str
) -> None:
    process = start(tmp_path, **settings)
    _, errors = process.communicate(timeout=15)
    assert process.returncode == 1
    assert sentence in errors
    assert "Traceback" not in errors


def test_a_taken_port_is_a_sentence(tmp_path: Path, taken: int) -> None:
    process = start(tmp_path, FRAZIL_PORT=str(taken))
    _, errors = process.communicate(timeout=15)
    assert process.returncode == 1
    assert f"cannot listen on 127.0.0.1:{taken}: Address already in use" in errors
    assert "Traceback" not in errors

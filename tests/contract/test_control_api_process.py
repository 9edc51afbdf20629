"""`python -m frazil.control_api` as a process: it starts, says what is wrong, and ends in peace."""

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import httpx
import pytest

from frazil.control_api.__main__ import main
from frazil.runtime import logs


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


@pytest.fixture
def complaint(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., str]:
    """Call main in this process; it has to end with a sentence, which is returned."""
    monkeypatch.setattr(logs, "configure", lambda *_: None)

    def complaint(**settings: str) -> str:
        for name, value in {
            "FRAZIL_HOME": str(tmp_path),
            "FRAZIL_ENGINE": "fake",
            **settings,
        }.items():
            monkeypatch.setenv(name, value)
        with pytest.raises(SystemExit) as caught:
            main()
        # A text as exit status is printed to stderr, and the status is 1.
        assert isinstance(caught.value.code, str)
        return caught.value.code

    return complaint


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
    complaint: Callable[..., str], settings: dict[str, str], sentence: str
) -> None:
    assert sentence in complaint(**settings)


def test_a_taken_port_is_a_sentence(complaint: Callable[..., str]) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        sentence = complaint(FRAZIL_PORT=str(port))
    assert f"cannot listen on 127.0.0.1:{port}: Address already in use" in sentence

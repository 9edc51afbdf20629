"""`python -m frazil.control_api` as a process: it starts, says what is wrong, and ends in peace."""

import io
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median

import httpx
import pytest
from tests.support.access import basic
from tests.support.environment import environment
from tests.support.other_users import NEEDS_ROOT

from frazil.control_api.__main__ import main
from frazil.control_api.core.access import Caller, Credentials, Role
from frazil.runtime import logs


def start(home: Path, **settings: str) -> "subprocess.Popen[str]":
    own = {"FRAZIL_HOME": str(home), "FRAZIL_BOOTSTRAP_SERVERS": "127.0.0.1:1"}
    return subprocess.Popen(
        [sys.executable, "-m", "frazil.control_api"],
        env=environment(**own | settings),
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


def test_its_files_are_closed_to_other_users_of_the_machine(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
    process = start(tmp_path, FRAZIL_PORT=str(port))
    try:
        until_healthy(port)
        found = list((tmp_path / "control-api").rglob("*"))
        assert {"connectors.db", "connectors.db.leader", "runs"} <= {path.name for path in found}
        assert [path for path in found if path.stat().st_mode & 0o077] == []
    finally:
        process.kill()
        process.communicate()


@NEEDS_ROOT
def test_it_warns_of_workers_that_would_run_as_root(tmp_path: Path) -> None:
    process = start(tmp_path, FRAZIL_PORT="0")
    try:
        assert process.stderr is not None
        assert any("workers_run_as_root" in line for line in process.stderr)
    finally:
        process.kill()
        process.communicate()


def test_a_body_does_not_wait_until_its_headers_are_acknowledged(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
    process = start(tmp_path, FRAZIL_PORT=str(port), FRAZIL_ENGINE="fake")
    try:
        until_healthy(port)
        with httpx.Client(base_url=f"http://127.0.0.1:{port}") as client:
            times = [client.get("/").elapsed.total_seconds() for _ in range(40)]
    finally:
        process.kill()
        process.communicate()
    # With Nagle's algorithm most take more than 40 ms.
    assert median(times) < 0.035


def test_a_reader_that_never_leaves_does_not_hold_up_its_end(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
    process = start(tmp_path, FRAZIL_PORT=str(port), FRAZIL_ENGINE="fake")
    try:
        until_healthy(port)
        with httpx.stream("GET", f"http://127.0.0.1:{port}/events", timeout=15) as events:
            asked = time.monotonic()
            process.send_signal(signal.SIGTERM)
            assert list(events.iter_lines()) == []
        _, errors = process.communicate(timeout=15)
    finally:
        process.kill()
    assert time.monotonic() - asked < 5
    assert process.returncode == 0, errors
    assert "error" not in errors


@pytest.fixture
def complaint(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., str]:
    """Call main in this process; it has to end with a sentence, which is returned."""
    monkeypatch.setattr(logs, "configure", lambda *_, **__: None)

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


class TestEntriesForTheFileOfCallers:
    def test_a_password_is_read_from_standard_input_and_only_its_hash_is_printed(
        self, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
    ) -> None:
        monkeypatch.setattr(sys, "stdin", io.StringIO("tr0ub4dor&3\n"))
        main(["password", "alice", "write"])
        printed = capsys.readouterr().out
        assert "tr0ub4dor&3" not in printed
        known = Credentials.parse(printed)
        assert known.caller(basic("alice", "tr0ub4dor&3")["Authorization"]) == Caller(
            "alice", Role.WRITE
        )

    def test_a_token_is_shown_once_beside_the_entry(
        self, capsys: pytest.CaptureFixture[str]
    ) -> None:
        main(["token", "ci", "read"])
        printed, told = capsys.readouterr()
        token = told.rpartition(": ")[2].strip()
        assert token not in printed
        assert Credentials.parse(printed).caller(f"Bearer {token}") == Caller("ci", Role.READ)

    @pytest.mark.parametrize(
        "arguments",
        [["serve"], ["token", "ci"], ["token", "ci", "admin"], ["password", "a:b", "read"]],
    )
    def test_anything_else_is_answered_with_what_there_is(self, arguments: list[str]) -> None:
        with pytest.raises(SystemExit, match="token NAME"):
            main(arguments)

"""The probes of a worker answer also while somebody holds connections open."""

import socket
from collections.abc import Iterator
from contextlib import ExitStack

import httpx
import pytest

from frazil.worker import probes
from frazil.worker.probes import MOST_CONNECTIONS, Boards, Probes

SECONDS = 20


@pytest.fixture
def port() -> Iterator[int]:
    server = Probes(Boards(), "127.0.0.1", 0)
    yield server.start()
    server.shutdown()
    server.server_close()


def connect(port: int) -> socket.socket:
    connection = socket.create_connection(("127.0.0.1", port), timeout=SECONDS)
    connection.sendall(b"GET /hea")
    return connection


def test_connections_that_say_nothing_make_room_for_newer_ones(port: int) -> None:
    with ExitStack() as stack:
        held = [stack.enter_context(connect(port)) for _ in range(MOST_CONNECTIONS + 5)]
        # The server takes connections in their order: this one comes after all of them.
        assert httpx.get(f"http://127.0.0.1:{port}/health", trust_env=False).status_code == 200
        assert [one.recv(1) for one in held[:5]] == [b""] * 5


def test_a_connection_that_says_nothing_is_closed(
    port: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert probes._Handler.timeout == probes.IDLE_SECONDS
    monkeypatch.setattr(probes._Handler, "timeout", 0.01)
    with connect(port) as connection:
        assert connection.recv(1) == b""

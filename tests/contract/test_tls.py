"""The API over TLS, on the socket of a real process: certificates, callers, and its own address."""

import signal
import socket
import ssl
import subprocess
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import httpx
import pytest
import trustme
from tests.contract.test_control_api_process import start
from tests.support.access import CREDENTIALS, READER, WRITER
from tests.support.control_api import sink_config


@dataclass(frozen=True)
class Server:
    port: int
    trust: ssl.SSLContext
    authority: trustme.CA

    def client(self, trust: ssl.SSLContext | None = None) -> httpx.Client:
        url = f"https://localhost:{self.port}"
        return httpx.Client(base_url=url, verify=trust or self.trust, trust_env=False)

    def with_certificate(self, authority: trustme.CA) -> ssl.SSLContext:
        context = ssl.create_default_context()
        self.authority.configure_trust(context)
        authority.issue_cert("caller@example.com").configure_cert(context)
        return context


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port: int = server.getsockname()[1]
        return port


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """Asks for a certificate and for credentials, which are two questions."""
    folder = tmp_path_factory.mktemp("tls")
    authority = trustme.CA()
    certificate = authority.issue_cert("localhost")
    certificate.private_key_pem.write_to_path(folder / "key.pem")
    for blob in certificate.cert_chain_pems:
        blob.write_to_path(folder / "certificate.pem", append=True)
    authority.cert_pem.write_to_path(folder / "authority.pem")
    (folder / "credentials.toml").write_text(CREDENTIALS)
    trust = ssl.create_default_context()
    authority.configure_trust(trust)
    server = Server(free_port(), trust, authority)
    process = start(
        folder,
        FRAZIL_ENGINE="fake",
        FRAZIL_PORT=str(server.port),
        FRAZIL_ADVERTISED_HOST="connect.example.com",
        FRAZIL_ADVERTISED_PORT="443",
        FRAZIL_CREDENTIALS=str(folder / "credentials.toml"),
        FRAZIL_TLS_CERTIFICATE=str(folder / "certificate.pem"),
        FRAZIL_TLS_KEY=str(folder / "key.pem"),
        FRAZIL_TLS_CLIENT_CA=str(folder / "authority.pem"),
    )
    try:
        until_healthy(server)
        yield server
    finally:
        end(process)


def until_healthy(server: Server) -> None:
    deadline = time.monotonic() + 15
    with server.client(server.with_certificate(server.authority)) as client:
        while time.monotonic() < deadline:
            try:
                if client.get("/health").status_code == 200:
                    return
            except httpx.TransportError:
                time.sleep(0.05)
    raise AssertionError("it does not become healthy")


def end(process: "subprocess.Popen[str]") -> None:
    process.send_signal(signal.SIGTERM)
    try:
        process.communicate(timeout=15)
    finally:
        process.kill()


@pytest.fixture
def client(server: Server) -> Iterator[httpx.Client]:
    with server.client(server.with_certificate(server.authority)) as client:
        yield client


def test_location_and_worker_id_say_where_clients_find_us(
    client: httpx.Client, server: Server
) -> None:
    body = {"name": "logs", "config": sink_config()}
    created = client.post("/connectors", json=body, headers=WRITER)
    assert created.headers["location"] == f"https://localhost:{server.port}/connectors/logs"
    assert client.get(created.headers["location"], headers=READER).status_code == 200
    status = client.get("/connectors/logs/status", headers=READER).json()
    assert status["connector"]["worker_id"] == "connect.example.com:443"


def test_a_certificate_does_not_stand_for_credentials(client: httpx.Client) -> None:
    assert client.get("/connectors").status_code == 401
    assert set(client.get("/health").json()) == {"status", "message"}
    assert client.get("/connectors", headers=READER).status_code == 200
    assert client.delete("/connectors/x", headers=READER).status_code == 403


def test_callers_without_a_certificate_of_the_authority_get_no_answer(server: Server) -> None:
    for trust in (server.trust, server.with_certificate(trustme.CA())):
        with server.client(trust) as stranger, pytest.raises(httpx.TransportError):
            stranger.get("/health")


def test_a_client_that_does_not_trust_the_authority_is_not_fooled(server: Server) -> None:
    with (
        server.client(ssl.create_default_context()) as client,
        pytest.raises(httpx.ConnectError, match="CERTIFICATE_VERIFY_FAILED"),
    ):
        client.get("/health")


def test_without_tls_nobody_is_answered(server: Server) -> None:
    with pytest.raises(httpx.TransportError):
        httpx.get(f"http://localhost:{server.port}/health", trust_env=False)


def test_files_that_are_no_certificates_are_a_sentence(tmp_path: Path) -> None:
    (tmp_path / "x.pem").write_text("no certificate")
    process = start(
        tmp_path,
        FRAZIL_ENGINE="fake",
        FRAZIL_PORT="0",
        FRAZIL_TLS_CERTIFICATE=str(tmp_path / "x.pem"),
        FRAZIL_TLS_KEY=str(tmp_path / "x.pem"),
    )
    _, errors = process.communicate(timeout=15)
    assert process.returncode == 1
    assert "The files that FRAZIL_TLS_* name cannot be used" in errors
    assert "Traceback" not in errors

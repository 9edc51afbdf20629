"""The table catalog over TLS, as a process: who does not trust its certificate is not fooled."""

import ssl
import time
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
import trustme
from tests.support.catalog_process import CatalogProcess


@pytest.fixture
def authority() -> trustme.CA:
    return trustme.CA()


@pytest.fixture
def catalog(tmp_path: Path, authority: trustme.CA) -> Iterator[CatalogProcess]:
    certificate = authority.issue_cert("localhost")
    certificate.private_key_and_cert_chain_pem.write_to_path(tmp_path / "both.pem")
    both = str(tmp_path / "both.pem")
    process = CatalogProcess(
        tmp_path / "catalog", "", FRAZIL_TLS_CERTIFICATE=both, FRAZIL_TLS_KEY=both
    )
    try:
        yield process
    finally:
        process.close()


def health(catalog: CatalogProcess, trust: ssl.SSLContext) -> httpx.Response:
    deadline = time.monotonic() + 30
    while True:
        try:
            url = f"https://localhost:{catalog.port}/health"
            return httpx.get(url, verify=trust, trust_env=False)
        except httpx.ConnectError:
            if time.monotonic() > deadline:
                raise
            time.sleep(0.05)


def test_it_serves_by_tls_alone(catalog: CatalogProcess, authority: trustme.CA) -> None:
    trust = ssl.create_default_context()
    authority.configure_trust(trust)
    assert health(catalog, trust).json() == {"status": "UP"}
    with pytest.raises(httpx.TransportError):
        httpx.get(f"http://localhost:{catalog.port}/health", trust_env=False)
    with pytest.raises(httpx.ConnectError, match="CERTIFICATE_VERIFY_FAILED"):
        httpx.get(f"https://localhost:{catalog.port}/health", trust_env=False)

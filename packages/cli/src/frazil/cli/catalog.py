"""The table catalog of a stack: the key pair that signs, and what its process is told."""

import secrets
import sys
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

CATALOG_COMMAND = (sys.executable, "-m", "frazil.table_catalog")
WAREHOUSE = "kafkawarehouse"

_SECRET = "catalog.secret"  # noqa: S105 (the name of a file)


@dataclass(frozen=True)
class CatalogKey:
    """A key pair in a folder of its own: for the catalog, and for references of connectors."""

    folder: Path

    @property
    def file(self) -> Path:
        """The catalog's file of keys."""
        return self.folder / "catalog.toml"

    @property
    def secret_file(self) -> Path:
        return self.folder / _SECRET

    @property
    def access_key(self) -> str:
        (name,) = tomllib.loads(self.file.read_text())
        return name

    @property
    def secret(self) -> str:
        return self.secret_file.read_text()

    @property
    def reference(self) -> str:
        """What connectors write in place of the secret."""
        return f"${{dir:{self.folder}:{_SECRET}}}"

    def make(self) -> None:
        """Make it once, for nobody else on this machine to read."""
        if self.file.exists():
            return
        self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        _write(self.secret_file, secrets.token_hex(20))
        # The catalog says the access key in its log, so it is no word that logs have anyway.
        name = f"FZ{secrets.token_hex(9).upper()}"
        _write(self.file, f'["{name}"]\nsecret_file = "{_SECRET}"\nwrite = ["{WAREHOUSE}"]\n')


def _write(file: Path, text: str) -> None:
    file.touch(mode=0o600)
    file.write_text(text)


def catalog_environment(folder: Path, key: CatalogKey, *, host: str, port: int) -> dict[str, str]:
    """Return the settings of a catalog that keeps its things in the folder."""
    return {
        "FRAZIL_HOST": host,
        "FRAZIL_PORT": str(port),
        "FRAZIL_KEYS": str(key.file),
        "FRAZIL_DATABASE_URL": f"sqlite:///{folder / 'catalog.db'}",
        "FRAZIL_WAREHOUSE_ROOT": (folder / "warehouses").as_uri(),
        "FRAZIL_WAREHOUSES": WAREHOUSE,
    }


class KeyPair(Protocol):
    """What requests are signed with."""

    @property
    def access_key(self) -> str: ...

    @property
    def secret(self) -> str: ...


def client_properties(url: str, key: KeyPair) -> Mapping[str, str]:
    """Return what PyIceberg needs to know."""
    return {
        "uri": f"{url}/_iceberg",
        "warehouse": WAREHOUSE,
        "rest.sigv4-enabled": "true",
        "rest.signing-name": "s3tables",
        "rest.signing-region": "us-east-1",
        "client.access-key-id": key.access_key,
        "client.secret-access-key": key.secret,
    }

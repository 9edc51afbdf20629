"""Catalogs of this process whose warehouse is in MinIO, and callers with different rights."""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
from pyiceberg.catalog import Catalog, load_catalog
from tests.support.iceberg_rest import Rest
from tests.support.minio import REGION, MinIO
from tests.support.served import served

from frazil.table_catalog.app import create_app
from frazil.table_catalog.settings import Settings

# Each one's secret is `<key>-secret`.
_KEYS = """
[writer]
secret = "writer-secret"
write = ["lake"]
[reader]
secret = "reader-secret"
read = ["lake"]
[neighbour]
secret = "neighbour-secret"
write = ["lake/next_door"]
[nested]
secret = "nested-secret"
write = ["lake/house.kitchen"]
[house]
secret = "house-secret"
write = ["lake/house"]
"""


@dataclass(frozen=True)
class S3Catalog:
    uri: str
    bucket: str
    minio: MinIO
    stack: ExitStack

    @property
    def root(self) -> str:
        return f"s3://{self.bucket}/lake"

    def rest(self, key: str = "writer", **headers: str) -> Rest:
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        token = self.token(key)
        client = httpx.Client(
            base_url=self.uri,
            headers={"Authorization": f"Bearer {token}", **named},
            trust_env=False,
        )
        return Rest(self.stack.enter_context(client), "lake")

    def token(self, key: str) -> str:
        form = {
            "grant_type": "client_credentials",
            "client_id": key,
            "client_secret": f"{key}-secret",
        }
        url = f"{self.uri}/v1/oauth/tokens"
        token: str = httpx.post(url, data=form, trust_env=False).json()["access_token"]
        return token

    def pyiceberg(self, key: str = "writer", **more: str) -> Catalog:
        signing = {
            "rest.sigv4-enabled": "true",
            "rest.signing-name": "s3tables",
            "rest.signing-region": "anywhere",
            "client.access-key-id": key,
            "client.secret-access-key": f"{key}-secret",
        }
        return load_catalog("lake", type="rest", uri=self.uri, warehouse="lake", **signing, **more)


class S3Catalogs:
    """Opens one for each combination of settings, once."""

    def __init__(self, folder: Path, minio: MinIO, stack: ExitStack) -> None:
        self._folder = folder
        self._minio = minio
        self._stack = stack
        self._opened: dict[str, S3Catalog] = {}

    def opened(self, **more: Any) -> S3Catalog:
        name = repr(sorted(more.items()))
        if name not in self._opened:
            self._opened[name] = self._open(more)
        return self._opened[name]

    def _open(self, more: dict[str, Any]) -> S3Catalog:
        bucket = self._minio.new_bucket()
        keys = self._folder / f"{bucket}.toml"
        keys.touch(mode=0o600)
        keys.write_text(_KEYS)
        given: dict[str, Any] = {
            "keys": keys,
            "oauth": True,
            "database_url": f"sqlite:///{self._folder / bucket}.db",
            "warehouse_root": f"s3://{bucket}",
            "warehouses": ("lake",),
            "s3_endpoint": self._minio.endpoint,
            "s3_region": REGION,
            "s3_access_key": self._minio.access_key,
            "s3_secret_key": self._minio.secret_key,
        }
        settings = Settings(**given | more)
        url = self._stack.enter_context(served(create_app(settings)))
        return S3Catalog(f"{url}{settings.prefix}", bucket, self._minio, self._stack)


@contextmanager
def s3_catalogs(folder: Path, minio: MinIO) -> Iterator[S3Catalogs]:
    with ExitStack() as stack:
        yield S3Catalogs(folder, minio, stack)

"""Where the tables of both sinks are: a catalog, with its files on local disk or on S3."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import httpx
from bench.iceberg_sink.payloads import NAMESPACE, Payload
from pyiceberg.catalog.rest import RestCatalog
from pyiceberg.exceptions import NoSuchTableError
from pyiceberg.io import load_file_io
from pyiceberg.table import Table
from tests.support import minio

from frazil.cli.catalog import (
    CATALOG_COMMAND,
    WAREHOUSE,
    CatalogKey,
    catalog_environment,
    client_properties,
)
from frazil.cli.ports import HOST, free_ports
from frazil.cli.stack import Stack
from frazil.cli.waiting import wait_until_ready

_CATALOG_ON_S3 = "table-catalog-s3"
_START_SECONDS = 60
_STOP_SECONDS = 20


@dataclass(frozen=True, eq=False)
class Lake:
    """`store` are the properties with which a client reaches the files."""

    url: str
    key: CatalogKey
    database: Path
    store: Mapping[str, str] = field(default_factory=dict)

    @cached_property
    def catalog(self) -> RestCatalog:
        properties = {**client_properties(self.url, self.key), **self.store}
        catalog = RestCatalog("iceberg", **properties)
        catalog.create_namespace_if_not_exists(NAMESPACE)
        return catalog

    def create_table(self, name: str, payload: Payload) -> Table:
        """Create an empty table, in the place of one with this name."""
        with suppress(NoSuchTableError):
            self.catalog.drop_table((NAMESPACE, name))
        table: Table = self.catalog.create_table(
            (NAMESPACE, name),
            payload.schema,
            partition_spec=payload.spec,
            properties=payload.properties,
        )
        return table

    def load_table(self, name: str) -> Table:
        table: Table = self.catalog.load_table((NAMESPACE, name))
        return table

    def read(self, location: str) -> bytes:
        with self._io.new_input(location).open() as file:
            return bytes(file.read())

    @cached_property
    def _io(self) -> Any:
        return load_file_io({**self.store})

    @property
    def config(self) -> dict[str, str]:
        """Return the keys with which both sinks find the tables."""
        properties = {
            "type": "rest",
            "uri": f"{self.url}/_iceberg",
            "warehouse": WAREHOUSE,
            "client.region": "us-east-1",
            "rest.sigv4-enabled": "true",
            "rest.signing-name": "s3tables",
            "rest.signing-region": "us-east-1",
            "rest.access-key-id": self.key.access_key,
            "rest.secret-access-key": self.key.secret,
            **self.store,
        }
        return {f"iceberg.catalog.{key}": value for key, value in properties.items()}


def lake_on_disk(stack: Stack) -> Lake:
    """Return the lake of the stack's own catalog."""
    folder = stack.folder
    return Lake(stack.ports.catalog_url, folder.catalog_key, folder.catalog / "catalog.db")


@contextmanager
def lake_on_s3(stack: Stack, program: Path) -> Iterator[Lake]:
    """Run MinIO and a second catalog in front of it."""
    folder, port = stack.folder.root / "s3", free_ports().catalog
    folder.mkdir(parents=True)
    catalog, log = stack.folder.service(_CATALOG_ON_S3), stack.folder.log(_CATALOG_ON_S3)
    key = stack.folder.catalog_key
    with minio.running(program, folder) as server:
        environment = {
            **stack.tools.environment,
            **catalog_environment(folder, key, host=HOST, port=port),
            **server.settings,
            "FRAZIL_WAREHOUSE_ROOT": f"s3://{server.new_bucket()}",
        }
        url = f"http://{HOST}:{port}"
        catalog.start(CATALOG_COMMAND, environment=environment, log=log)
        try:
            wait_until_ready(
                "The catalog on S3",
                lambda: _is_up(url),
                child=catalog,
                log=log,
                seconds=_START_SECONDS,
            )
            yield Lake(url, key, folder / "catalog.db", server.properties)
        finally:
            catalog.stop(_STOP_SECONDS)


def _is_up(url: str) -> bool:
    try:
        return httpx.get(f"{url}/health", timeout=2).is_success
    except httpx.HTTPError:
        return False

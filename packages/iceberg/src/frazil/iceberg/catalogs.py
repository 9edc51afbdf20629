"""Catalogs that take no class, no FileIO, no address and no credential from a server.

PyIceberg 0.12 merges the answer of `/v1/config`, the `config` of a loaded table and the table's
own properties into what it was configured with, and loads classes that these name.
"""

from collections.abc import Mapping

from pyiceberg.catalog import Catalog
from pyiceberg.catalog.rest import RestCatalog
from pyiceberg.catalog.rest.auth import AuthManagerAdapter
from pyiceberg.catalog.sql import IcebergTables, SqlCatalog
from pyiceberg.io import FileIO
from pyiceberg.serializers import FromInputFile
from pyiceberg.table import Table
from pyiceberg.typedef import EMPTY_DICT, Properties
from pyiceberg.utils.properties import property_as_bool
from requests import Session

from frazil.iceberg.sessions import BoundedSession

# They shape the path of requests to the server that says so, and nothing else.
_TAKEN_FROM_SERVERS = ("prefix", "namespace-separator")


class UnsupportedCatalogError(ValueError):
    """A kind of catalog that nobody here has looked at."""


def open_catalog(name: str, properties: Mapping[str, str], files: FileIO) -> Catalog:
    """Open a catalog of `type` rest or sql; whatever it answers, files go through `files`."""
    kind = properties.get("type") or _kind_of(properties.get("uri", ""))
    match kind:
        case "rest":
            return SafeRestCatalog(name, properties, files)
        case "sql":
            return SafeSqlCatalog(name, properties, files)
    raise UnsupportedCatalogError(f"catalogs of type {kind} are not supported: rest and sql are")


def _kind_of(uri: str) -> str:
    return "rest" if uri.startswith(("http://", "https://")) else "sql"


class SafeRestCatalog(RestCatalog):
    def __init__(self, name: str, properties: Mapping[str, str], files: FileIO) -> None:
        self._files = files
        super().__init__(name, **properties)

    def _fetch_config(self) -> None:
        own, uri = dict(self.properties), self.uri
        super()._fetch_config()
        answered = self.properties
        taken = {name: answered[name] for name in _TAKEN_FROM_SERVERS if name in answered}
        self.properties = {name: str(value) for name, value in taken.items()} | own
        self.uri = uri

    def _create_session(self) -> Session:
        # Not the base's, which loads an authentication manager by the name of its class.
        session = BoundedSession()
        self._config_headers(session)
        # Keys that a catalog would lend have no use here, so none are asked for.
        session.headers.pop("X-Iceberg-Access-Delegation")
        self._auth_manager = self._create_legacy_oauth2_auth_manager(session)
        session.auth = AuthManagerAdapter(self._auth_manager)
        if property_as_bool(self.properties, "rest.sigv4-enabled", False):
            self._init_sigv4(session)
        return session

    def _load_file_io(
        self,
        properties: Properties = EMPTY_DICT,  # noqa: ARG002 (PyIceberg's)
        location: str | None = None,  # noqa: ARG002
    ) -> FileIO:
        return self._files


class SafeSqlCatalog(SqlCatalog):
    def __init__(self, name: str, properties: Mapping[str, str], files: FileIO) -> None:
        self._files = files
        super().__init__(name, **properties)

    def _convert_orm_to_iceberg(self, orm_table: IcebergTables) -> Table:
        # Not the base's, which reads through whatever FileIO suits the location in the row.
        location = orm_table.metadata_location or ""
        namespace = Catalog.identifier_to_tuple(orm_table.table_namespace)
        return Table(
            identifier=(*namespace, orm_table.table_name),
            metadata=FromInputFile.table_metadata(self._files.new_input(location)),
            metadata_location=location,
            io=self._files,
            catalog=self,
        )

    def _load_file_io(
        self,
        properties: Properties = EMPTY_DICT,  # noqa: ARG002 (PyIceberg's)
        location: str | None = None,  # noqa: ARG002
    ) -> FileIO:
        return self._files

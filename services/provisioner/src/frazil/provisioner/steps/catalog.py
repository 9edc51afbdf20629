"""The Iceberg catalog: namespaces and tables, through PyIceberg."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import TypeVar
from urllib.parse import urlsplit

import httpx
from pyiceberg.catalog import Catalog as IcebergCatalog
from pyiceberg.catalog.sql import SqlCatalog
from pyiceberg.exceptions import (
    NamespaceAlreadyExistsError,
    NoSuchNamespaceError,
    NoSuchTableError,
    RESTError,
    TableAlreadyExistsError,
)
from pyiceberg.io import load_file_io
from sqlalchemy.exc import SQLAlchemyError

from frazil.iceberg import catalogs as iceberg_catalogs
from frazil.provisioner.desired import Catalog, Table
from frazil.provisioner.errors import StepFailedError, UnavailableError
from frazil.provisioner.plan import (
    CatalogState,
    CreateCatalog,
    CreateNamespace,
    CreateTable,
    CreateWarehouse,
    Plan,
    Step,
    plan_catalog,
)
from frazil.provisioner.steps.answers import why
from frazil.provisioner.steps.warehouse import Warehouse
from frazil.provisioner.tables import TableState

_T = TypeVar("_T")
_OWN_TABLES = ("iceberg_tables", "iceberg_namespace_properties")
_FAILURES = (SQLAlchemyError, RESTError, httpx.HTTPError, OSError, ValueError)


@asynccontextmanager
async def open_catalog(wanted: Catalog, seconds: float) -> AsyncIterator["CatalogSystem"]:
    with httpx.Client(timeout=seconds) as client:
        is_made = wanted.create_warehouse
        warehouse = Warehouse(client, wanted.properties) if is_made else None
        system = CatalogSystem(wanted, warehouse)
        try:
            yield system
        finally:
            system.close()


class CatalogSystem:
    """PyIceberg blocks, so every call of it goes to a thread."""

    def __init__(self, wanted: Catalog, warehouse: Warehouse | None) -> None:
        """A warehouse that is given is made if it is not there."""
        self._wanted = wanted
        self._warehouse = warehouse
        self._where = wanted.properties.get("uri", wanted.name)
        self.title = f"The catalog at {self._where}"
        self._file = _sqlite_file(wanted)
        self._opened: IcebergCatalog | None = None

    async def plan(self) -> Plan:
        try:
            return plan_catalog(self._wanted, await asyncio.to_thread(self._read))
        except _FAILURES as error:
            raise UnavailableError("The catalog", self._where, why(error)) from error

    async def apply(self, step: Step) -> None:
        try:
            await asyncio.to_thread(self._apply, step)
        except (*_FAILURES, NoSuchNamespaceError) as error:
            raise StepFailedError(step.sentence, why(error)) from error

    def close(self) -> None:
        if isinstance(self._opened, SqlCatalog):
            self._opened.engine.dispose()

    @property
    def _catalog(self) -> IcebergCatalog:
        if self._opened is None:
            # To open a catalog must not change it: making its tables is a step like any other.
            properties = {**self._wanted.properties, "init_catalog_tables": "false"}
            # How files are written is said in the desired state alone.
            files = load_file_io(properties)
            self._opened = iceberg_catalogs.open_catalog(self._wanted.name, properties, files)
        return self._opened

    def _read(self) -> CatalogState:
        # Before anything opens the catalog: PyIceberg asks for the warehouse at once.
        if self._warehouse and not self._warehouse.exists():
            return CatalogState(is_ready=True, has_warehouse=False)
        if not self._is_ready():
            return CatalogState(is_ready=False)
        names = self._wanted.namespaces
        tables = {table.name: self._table(table) for table in self._wanted.tables}
        return CatalogState(
            is_ready=True,
            namespaces=frozenset(name for name in names if self._has_namespace(name)),
            tables={name: state for name, state in tables.items() if state is not None},
        )

    def _is_ready(self) -> bool:
        if self._file and not self._file.exists():  # to connect would create it
            return False
        if not isinstance(self._catalog, SqlCatalog):
            return True
        engine = self._catalog.engine
        with engine.connect() as connection:
            return all(engine.dialect.has_table(connection, name) for name in _OWN_TABLES)

    def _has_namespace(self, name: str) -> bool:
        return _found(lambda: self._catalog.load_namespace_properties(name)) is not None

    def _table(self, table: Table) -> TableState | None:
        loaded = _found(lambda: self._catalog.load_table(table.name))
        if loaded is None:
            return None
        version = str(loaded.metadata.format_version)
        return TableState(
            table_schema=loaded.schema(),
            partition_spec=loaded.spec(),
            properties={**loaded.properties, "format-version": version},
        )

    def _apply(self, step: Step) -> None:
        match step:
            case CreateCatalog():
                self._create_own_tables()
            case CreateWarehouse() if self._warehouse:
                self._warehouse.create()
            case CreateNamespace(name):
                with suppress(NamespaceAlreadyExistsError):  # by another: the next look tells
                    self._catalog.create_namespace(name)
            case CreateTable(table):
                definition = table.definition
                with suppress(TableAlreadyExistsError):  # by another: the next look tells
                    self._catalog.create_table(
                        table.name,
                        definition.table_schema,
                        partition_spec=definition.partition_spec,
                        properties=dict(definition.properties),
                    )

    def _create_own_tables(self) -> None:
        if self._file:
            self._file.parent.mkdir(parents=True, exist_ok=True)
        if not isinstance(self._catalog, SqlCatalog):
            return
        try:
            self._catalog.create_tables()
        except SQLAlchemyError:
            if not self._is_ready():  # if it is, another has made them at the same moment
                raise
        if self._file:
            # Kept in the file, for every engine that opens it: readers and one writer at once.
            with self._catalog.engine.connect() as connection:
                connection.exec_driver_sql("PRAGMA journal_mode=WAL")


def _sqlite_file(wanted: Catalog) -> Path | None:
    uri = urlsplit(wanted.properties.get("uri", ""))
    return Path(uri.path[1:]) if uri.scheme.startswith("sqlite") and uri.path else None


def _found(load: Callable[[], _T]) -> _T | None:
    try:
        return load()
    except (NoSuchNamespaceError, NoSuchTableError):
        return None

"""The whole catalog, opened: what the API works with."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Self

from frazil.table_catalog.catalog import answers
from frazil.table_catalog.catalog.catch_up import catch_up
from frazil.table_catalog.catalog.database import Database, open_database
from frazil.table_catalog.catalog.files import Files
from frazil.table_catalog.catalog.namespaces import Namespaces
from frazil.table_catalog.catalog.tables import Tables
from frazil.table_catalog.catalog.views import Views
from frazil.table_catalog.catalog.warehouses import Warehouses
from frazil.table_catalog.core.answers import Answer, Ticket
from frazil.table_catalog.core.errors import StoreError


@dataclass(frozen=True)
class Catalog:
    warehouses: Warehouses
    namespaces: Namespaces
    tables: Tables
    views: Views
    database: Database
    files: Files
    # Whether all that is read is on this machine's disk, or in memory.
    is_local: bool

    @classmethod
    def open(cls, database_url: str, root: str, files: Files) -> Self:
        """Open and make what is missing. Raises StoreError."""
        database = open_database(database_url)
        database.prepare()
        warehouses = Warehouses(database, files, root)
        return cls(
            warehouses=warehouses,
            namespaces=Namespaces(database, warehouses),
            tables=Tables(database, files, warehouses),
            views=Views(database, files, warehouses),
            database=database,
            files=files,
            is_local=database.is_file and root.startswith("file:"),
        )

    def begin(self, warehouses: Iterable[str]) -> None:
        for name in warehouses:
            self.warehouses.create(name, upgrade=True)
        for warehouse in self.warehouses.all():
            catch_up(self.database, self.files, warehouse)

    def once(self, ticket: Ticket | None, act: Callable[[], Answer]) -> Answer:
        """Do it, unless the same request was answered before: then that answer again."""
        return answers.once(self.database, ticket, act)

    def trouble(self) -> dict[str, str]:
        """Say which part cannot be used, and why; of files nothing is known without database."""
        try:
            self.warehouses.all()
        except StoreError as error:
            return {"database": error.message}
        try:
            self.warehouses.check()
        except StoreError as error:
            return {"files": error.message}
        return {}

    def close(self) -> None:
        self.database.close()

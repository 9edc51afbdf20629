"""What tables and views share: rows of one kind, each a pointer to a file below its warehouse."""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from frazil.table_catalog.catalog import answers, entries, namespaces
from frazil.table_catalog.catalog.commits import Commits, parse
from frazil.table_catalog.catalog.database import Database
from frazil.table_catalog.catalog.entries import Kind
from frazil.table_catalog.catalog.files import Files
from frazil.table_catalog.catalog.namespaces import Namespaces
from frazil.table_catalog.catalog.warehouses import Warehouses
from frazil.table_catalog.core.answers import Answer, Ticket
from frazil.table_catalog.core.errors import BadRequestError
from frazil.table_catalog.core.names import Identifier, Namespace
from frazil.table_catalog.core.pages import Page, Paging

_PLACES = ("write.metadata.path", "write.data.path", "write.object-storage.path")


@dataclass(frozen=True, slots=True)
class Revision:
    """What a client wants to become of one table or view."""

    identifier: Identifier
    requirements: Sequence[Mapping[str, Any]]
    updates: Sequence[Mapping[str, Any]]


class Shelf(ABC):
    kind: ClassVar[Kind]

    def __init__(self, database: Database, files: Files, warehouses: Warehouses) -> None:
        self._database = database
        self._files = files
        self._warehouses = warehouses
        self._namespaces = Namespaces(database, warehouses)
        self._commits = Commits(database, files)

    def names(self, warehouse: str, namespace: Namespace, paging: Paging) -> Page[str]:
        with self._database.read() as connection:
            page = entries.names(connection, warehouse, namespace, kind=self.kind, paging=paging)
        if not page.items:
            self._namespaces.get(warehouse, namespace)
        return page

    def locate(self, warehouse: str, identifier: Identifier) -> str:
        with self._database.read() as connection:
            location = entries.find(connection, warehouse, identifier, kind=self.kind)
        if location is None:
            raise entries.missing(identifier, self.kind)
        return location

    def register(
        self,
        warehouse: str,
        identifier: Identifier,
        location: str,
        *,
        overwrite: bool = False,
        ticket: Ticket | None,
    ) -> Answer:
        """Point at a metadata file that is there; with `overwrite` whatever was pointed at."""
        self._check_places(warehouse, [location])
        try:
            metadata = parse(self._files.read_metadata(location))
        except ValueError as error:
            raise BadRequestError(f"{location} is not JSON") from error
        self._check_readable(metadata)
        self._check_places(warehouse, places(metadata))
        with self._database.write() as connection:
            namespaces.hold(connection, warehouse, identifier.namespace, alone=overwrite)
            old = entries.find(connection, warehouse, identifier, kind=self.kind)
            if old is not None and overwrite:
                entries.remove(connection, warehouse, identifier, kind=self.kind)
            entries.add(connection, warehouse, identifier, kind=self.kind, location=location)
            return answers.note(connection, ticket, Answer(location=location))

    @abstractmethod
    def _check_readable(self, metadata: Mapping[str, Any]) -> None:
        """Raise BadRequestError if these are no metadata of this kind."""

    def rename(
        self, warehouse: str, source: Identifier, target: Identifier, *, ticket: Ticket | None
    ) -> Answer:
        with self._database.write() as connection:
            namespaces.hold(connection, warehouse, target.namespace)
            entries.rename(connection, warehouse, source, target, kind=self.kind)
            return answers.note(connection, ticket, Answer())

    def drop(self, warehouse: str, identifier: Identifier, *, ticket: Ticket | None) -> Answer:
        with self._database.write() as connection:
            entries.remove(connection, warehouse, identifier, kind=self.kind)
            return answers.note(connection, ticket, Answer())

    def _place(self, warehouse: str, identifier: Identifier, asked: str | None) -> str:
        """Say where one that is being made is to be: where the client asks, or in its namespace."""
        namespace = self._namespaces.get(warehouse, identifier.namespace)
        return (asked or f"{namespace['location'].rstrip('/')}/{identifier.name}").rstrip("/")

    def _check_places(self, warehouse: str, named: Sequence[str]) -> None:
        self._warehouses.get(warehouse).check_places(named)


def places(metadata: Mapping[str, Any]) -> list[str]:
    """List the folders that a table or view says are its own."""
    properties = metadata.get("properties", {})
    named = (metadata.get("location"), *(properties.get(name) for name in _PLACES))
    return [place for place in named if place]

"""What tables and views share: rows of one kind, each a pointer to a file below its warehouse."""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar
from uuid import uuid4

from frazil.table_catalog.catalog import answers, entries, folders, namespaces, warehouses
from frazil.table_catalog.catalog.commits import Commits, parse
from frazil.table_catalog.catalog.database import Database
from frazil.table_catalog.catalog.entries import Kind
from frazil.table_catalog.catalog.files import Files
from frazil.table_catalog.catalog.folders import Claim, Folders
from frazil.table_catalog.catalog.namespaces import Namespaces
from frazil.table_catalog.catalog.warehouses import Warehouses
from frazil.table_catalog.core.answers import Answer, Ticket
from frazil.table_catalog.core.errors import BadRequestError
from frazil.table_catalog.core.names import Identifier, Namespace
from frazil.table_catalog.core.pages import Page, Paging
from frazil.table_catalog.core.rights import Action, Principal


@dataclass(frozen=True, slots=True)
class Revision:
    """What a client wants to become of one table or view."""

    identifier: Identifier
    requirements: Sequence[Mapping[str, Any]]
    updates: Sequence[Mapping[str, Any]]


class Shelf(ABC):
    kind: ClassVar[Kind]

    def __init__(self, database: Database, files: Files, places: Warehouses) -> None:
        self._database = database
        self._files = files
        self._warehouses = places
        self._namespaces = Namespaces(database, places)
        self._folders = Folders(database, places)
        self._commits = Commits(database, files, self._folders)

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
        who: Principal,
        warehouse: str,
        identifier: Identifier,
        *,
        location: str,
        overwrite: bool = False,
        ticket: Ticket | None,
    ) -> Answer:
        """Point at a metadata file that is there; with `overwrite` whatever was pointed at."""
        # Before it is read: what is in a file is for those alone who may read it.
        self._folders.require(Claim(who, warehouse, identifier, (location,)), Action.READ)
        claim = self._folders.claim(
            who, warehouse, identifier, metadata=self._registrable(location), is_new=True
        )
        with self._database.write() as connection:
            warehouses.hold(connection, warehouse, alone=True)
            namespaces.hold(connection, warehouse, identifier.namespace, alone=overwrite)
            old = entries.find(connection, warehouse, identifier, kind=self.kind)
            if old is not None and overwrite:
                entries.remove(connection, warehouse, identifier, kind=self.kind)
            entries.add(connection, warehouse, identifier, kind=self.kind, location=location)
            folders.take(connection, claim)
            return answers.note(connection, ticket, Answer(location=location))

    def _registrable(self, location: str) -> Mapping[str, Any]:
        try:
            metadata = parse(self._files.read_metadata(location))
        except ValueError as error:
            raise BadRequestError(f"{location} is not JSON") from error
        self._check_readable(metadata)
        return metadata

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
        usual = self._usual_place(warehouse, identifier)
        if asked:
            return asked.rstrip("/")
        # A table that was renamed has left its name, and not its folder.
        taken = self._folders.near(warehouse, [usual])
        return f"{usual}-{uuid4().hex}" if taken else usual

    def _usual_place(self, warehouse: str, identifier: Identifier) -> str:
        namespace = self._namespaces.get(warehouse, identifier.namespace)
        return f"{namespace['location'].rstrip('/')}/{identifier.name}".rstrip("/")

"""Tables: made, staged, found, committed to, registered, renamed, dropped."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any
from uuid import uuid4

from pydantic_core import to_json

from frazil.runtime.logs import get_logger
from frazil.table_catalog.catalog import shapes
from frazil.table_catalog.catalog.commits import Change, State, now_ms, parse
from frazil.table_catalog.catalog.database import Database
from frazil.table_catalog.catalog.entries import Kind
from frazil.table_catalog.catalog.files import Files
from frazil.table_catalog.catalog.folders import Claim
from frazil.table_catalog.catalog.purge import Purge
from frazil.table_catalog.catalog.shelf import Revision, Shelf
from frazil.table_catalog.catalog.warehouses import Warehouses
from frazil.table_catalog.core.answers import NO_TERMS, Answer, Ticket, loaded
from frazil.table_catalog.core.delegation import Reach, reach_beside, reach_of
from frazil.table_catalog.core.errors import (
    AlreadyExistsError,
    BadRequestError,
    NoSuchTableError,
    NotFoundError,
)
from frazil.table_catalog.core.folders import folders_of
from frazil.table_catalog.core.names import Identifier, Namespace
from frazil.table_catalog.core.requirements import (
    OF_TABLES,
    check_known,
    check_requirements,
    creates,
)
from frazil.table_catalog.core.rights import Action, Principal
from frazil.table_catalog.core.snapshots import only_refs
from frazil.table_catalog.core.updates import ACTIONS, apply_updates, empty_table

log = get_logger(__name__)

Json = dict[str, Any]

# Given the folders of a table, what an answer has besides it.
Terms = Callable[[Sequence[str]], Mapping[str, Any]]


@dataclass(frozen=True, slots=True)
class NewTable:
    name: str
    schema: Mapping[str, Any]
    location: str | None = None
    spec: Mapping[str, Any] | None = None
    order: Mapping[str, Any] | None = None
    properties: Mapping[str, str] = field(default_factory=dict)


class Tables(Shelf):
    kind = Kind.TABLE

    def __init__(self, database: Database, files: Files, places: Warehouses) -> None:
        super().__init__(database, files, places)
        # Files never change, and a client may ask for a signature a hundred times a second.
        self.places_at = lru_cache(maxsize=1_000)(self._read_places)

    def answer(
        self, location: str, *, only_named: bool = False, terms: Terms | None = None
    ) -> bytes:
        """Answer with metadata as the file has them, or without snapshots that nothing names."""
        content = self._read_named(location) if only_named else self._files.read_metadata(location)
        return loaded(location, content, terms(self.places_at(location)) if terms else NO_TERMS)

    def _read_named(self, location: str) -> bytes:
        def shorten() -> bytes:
            return to_json(only_refs(parse(self._files.read_metadata(location))))

        # With thousands of snapshots, to take them apart takes most of a load.
        return self._files.recall(f"{location}?snapshots=refs", shorten)

    def _read_places(self, location: str) -> Sequence[str]:
        """List the folders of a table, by the location of its metadata."""
        return folders_of(parse(self._files.read_metadata(location)))

    def reach(
        self, principal: Principal, warehouse: str, identifier: Identifier, named: Sequence[str]
    ) -> Reach | None:
        root = self._warehouses.get(warehouse).location
        reach = reach_of(principal, warehouse, root=root, places=named)
        if reach is None:
            return None
        near = {one.identifier for one in self._folders.near(warehouse, reach.places)}
        spaces = {one.namespace for one in near - {identifier}}
        for action in (reach.action, Action.READ):
            if all(principal.may(action, warehouse, space) for space in spaces):
                return replace(reach, action=action)
        return None

    def signable(
        self, principal: Principal, warehouse: str, identifier: Identifier
    ) -> Reach | None:
        try:
            named = self.places_at(self.locate(warehouse, identifier))
        except NoSuchTableError:
            # Staged, and not there yet; or dropped by Spark, which deletes the files then itself.
            return self._reach_beside(principal, warehouse, identifier)
        return self.reach(principal, warehouse, identifier, named)

    def _reach_beside(
        self, principal: Principal, warehouse: str, identifier: Identifier
    ) -> Reach | None:
        root = self._warehouses.get(warehouse).location
        place = self._usual_place(warehouse, identifier)
        reach = reach_beside(principal, warehouse, root=root, place=place)
        if reach is None:
            return None
        # The folder of a namespace has tables in it that were renamed, or is below that of one.
        others = tuple(
            one.folder
            for one in self._folders.near(warehouse, reach.places)
            if not principal.may(reach.action, warehouse, one.identifier.namespace)
        )
        return replace(reach, others=others)

    def create(
        self,
        who: Principal,
        warehouse: str,
        namespace: Namespace,
        *,
        table: NewTable,
        ticket: Ticket | None,
    ) -> Answer:
        def make(state: State) -> Json:
            if state.location is not None:
                raise AlreadyExistsError(f"Table already exists: {identifier}")
            return metadata

        identifier = Identifier.of(namespace, table.name)
        metadata = self._begin(warehouse, identifier, table)
        change = Change(identifier, Kind.TABLE, make)
        return self._commits.commit(who, warehouse, [change], ticket=ticket)

    def stage(
        self,
        who: Principal,
        warehouse: str,
        namespace: Namespace,
        *,
        table: NewTable,
        terms: Terms | None,
    ) -> Json:
        """Make metadata that only the client knows until its first commit."""
        identifier = Identifier.of(namespace, table.name)
        if self._commits.state(warehouse, identifier, Kind.TABLE).location is not None:
            raise AlreadyExistsError(f"Table already exists: {identifier}")
        metadata = self._begin(warehouse, identifier, table)
        self._folders.claim(who, warehouse, identifier, metadata=metadata, is_new=True)
        return {"metadata": metadata, **(terms(folders_of(metadata)) if terms else NO_TERMS)}

    def _begin(self, warehouse: str, identifier: Identifier, table: NewTable) -> Json:
        return shapes.new_metadata(
            self._place(warehouse, identifier, table.location),
            schema=table.schema,
            spec=table.spec,
            order=table.order,
            properties=table.properties,
        )

    def commit(
        self, who: Principal, warehouse: str, changes: Sequence[Revision], *, ticket: Ticket | None
    ) -> Answer:
        twice = {str(one.identifier) for one in changes}
        if len(twice) < len(changes) or not changes:
            raise BadRequestError("a transaction names each of its tables once, and at least one")
        steps = [Change(one.identifier, Kind.TABLE, self._maker(one)) for one in changes]
        return self._commits.commit(who, warehouse, steps, ticket=ticket)

    def _maker(self, change: Revision) -> Callable[[State], Json]:
        check_known(OF_TABLES, change.requirements, "type")
        check_known(ACTIONS, change.updates, "action")

        def make(state: State) -> Json:
            if state.metadata is None and not creates(change.requirements):
                raise NoSuchTableError(change.identifier)
            check_requirements(change.requirements, state.metadata)
            now = now_ms()
            base = empty_table(now) if state.metadata is None else state.metadata
            metadata = apply_updates(base, change.updates, location=state.location, now=now)
            metadata.setdefault("table-uuid", str(uuid4()))
            if "location" not in metadata:
                raise BadRequestError("the first commit of a table sets its location")
            shapes.check_shape(metadata, change.updates)
            return metadata

        return make

    def _check_readable(self, metadata: Mapping[str, Any]) -> None:
        shapes.check_readable(metadata)

    def purge_of(
        self, who: Principal, warehouse: str, identifier: Identifier
    ) -> Callable[[], None] | None:
        """Prepare what deletes the files of a table after it was dropped, if they can be found."""
        location = self.locate(warehouse, identifier)
        try:
            metadata = parse(self._files.read_metadata(location))
        except NotFoundError:
            log.warning("table_not_purged", metadata=location, why="its metadata are not there")
            return None
        named = folders_of(metadata)
        self._folders.require(Claim(who, warehouse, identifier, tuple(named)), Action.WRITE)

        def purge() -> None:
            # Asked when it begins: by then somebody may have made a table there.
            others = [one.folder for one in self._folders.near(warehouse, named)]
            Purge(self._files, named, others).run(location, metadata)

        return purge

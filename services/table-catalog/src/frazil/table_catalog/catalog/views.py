"""Views: their metadata are files too, and commit as those of tables do."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any
from uuid import uuid4

from pydantic import ValidationError
from pyiceberg.view.metadata import ViewMetadata

from frazil.table_catalog.catalog.commits import Change, State, now_ms
from frazil.table_catalog.catalog.entries import Kind
from frazil.table_catalog.catalog.shelf import Revision, Shelf
from frazil.table_catalog.core.answers import Answer, Ticket, loaded
from frazil.table_catalog.core.errors import AlreadyExistsError, BadRequestError, NoSuchViewError
from frazil.table_catalog.core.names import Identifier, Namespace
from frazil.table_catalog.core.requirements import OF_VIEWS, check_known, check_requirements
from frazil.table_catalog.core.rights import Principal
from frazil.table_catalog.core.views import ACTIONS, apply_view_updates, empty_view

Json = dict[str, Any]


@dataclass(frozen=True, slots=True)
class NewView:
    name: str
    schema: Mapping[str, Any]
    version: Mapping[str, Any]
    location: str | None = None
    properties: Mapping[str, str] = field(default_factory=dict)


class Views(Shelf):
    kind = Kind.VIEW

    def answer(self, location: str) -> bytes:
        return loaded(location, self._files.read_metadata(location))

    def create(
        self,
        who: Principal,
        warehouse: str,
        namespace: Namespace,
        *,
        view: NewView,
        ticket: Ticket | None,
    ) -> Answer:
        def make(state: State) -> Json:
            if state.location is not None:
                raise AlreadyExistsError(f"View already exists: {identifier}")
            self._check_readable(metadata)
            return metadata

        identifier = Identifier.of(namespace, view.name)
        location = self._place(warehouse, identifier, view.location)
        begun = {**empty_view(str(uuid4()), location), "properties": dict(view.properties)}
        metadata = apply_view_updates(begun, _first_updates(view), now=now_ms())
        change = Change(identifier, Kind.VIEW, make)
        return self._commits.commit(who, warehouse, [change], ticket=ticket)

    def commit(
        self, who: Principal, warehouse: str, revision: Revision, *, ticket: Ticket | None
    ) -> Answer:
        change = Change(revision.identifier, Kind.VIEW, self._maker(revision))
        return self._commits.commit(who, warehouse, [change], ticket=ticket)

    def _maker(self, revision: Revision) -> Callable[[State], Json]:
        check_known(OF_VIEWS, revision.requirements, "type")
        check_known(ACTIONS, revision.updates, "action")

        def make(state: State) -> Json:
            if state.metadata is None:
                raise NoSuchViewError(revision.identifier)
            check_requirements(revision.requirements, state.metadata)
            metadata = apply_view_updates(state.metadata, revision.updates, now=now_ms())
            self._check_readable(metadata)
            return metadata

        return make

    def _check_readable(self, metadata: Mapping[str, Any]) -> None:
        try:
            ViewMetadata.model_validate(metadata)
        except ValidationError as error:
            raise BadRequestError(f"these are no good metadata of a view: {error}") from error


def _first_updates(view: NewView) -> list[Json]:
    # The schema that comes beside the version is the version's, whatever number it gave.
    version = {**view.version, "schema-id": -1}
    return [
        {"action": "add-schema", "schema": view.schema},
        {"action": "add-view-version", "view-version": version},
        {"action": "set-current-view-version", "view-version-id": -1},
    ]

"""Commits: a new metadata file each, then all pointers at once, or none.

Whatever kills us leaves at most files that nothing points at. A pointer never names a file that
is not completely written, for it moves after that; and it moves only if it is still what the
new metadata were made of.
"""

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import Any
from uuid import uuid4

from pydantic_core import from_json, to_json

from frazil.runtime.metrics import CATALOG_COMMIT_SECONDS, CATALOG_COMMITS, CATALOG_RACES
from frazil.table_catalog.catalog import answers, entries, folders, namespaces, warehouses
from frazil.table_catalog.catalog.database import Database
from frazil.table_catalog.catalog.entries import Kind
from frazil.table_catalog.catalog.files import Files
from frazil.table_catalog.catalog.folders import Claim, Folders
from frazil.table_catalog.core.answers import Answer, Ticket
from frazil.table_catalog.core.errors import (
    CatalogError,
    CommitFailedError,
    CommitUnknownError,
    StoreError,
)
from frazil.table_catalog.core.names import Identifier
from frazil.table_catalog.core.rights import Principal

Json = dict[str, Any]

# How often a commit whose requirements still hold is made anew on somebody else's.
_ATTEMPTS = 5


@dataclass(frozen=True, slots=True)
class State:
    """A table or view as it is, or nothing."""

    location: str | None = None
    metadata: Json | None = None


@dataclass(frozen=True, slots=True)
class Change:
    """What is to become of one table or view; `make` judges the state and derives the next."""

    identifier: Identifier
    kind: Kind
    make: Callable[[State], Json]


@dataclass(frozen=True, slots=True)
class _Step:
    """`new` is a file that was written for it, unless nothing was to be changed."""

    change: Change
    claim: Claim
    old: str | None
    new: str

    @property
    def moves(self) -> bool:
        return self.new != self.old


@contextmanager
def _counted() -> Iterator[None]:
    outcome = CatalogError.kind
    try:
        yield
        outcome = "done"
    except CatalogError as error:
        outcome = error.kind
        raise
    finally:
        CATALOG_COMMITS.labels(outcome).inc()


class LostRaceError(Exception):
    """Somebody moved a pointer between our look and our move."""


def now_ms() -> int:
    return time.time_ns() // 1_000_000


def parse(content: bytes) -> Json:
    metadata: Json = from_json(content)
    return metadata


def next_location(metadata: Mapping[str, Any], old: str | None) -> str:
    """Name the next file: numbers for people, a random part so that no two writers share it."""
    folder = metadata.get("properties", {}).get("write.metadata.path")
    folder = folder or f"{metadata['location']}/metadata"
    number = (old or "").rpartition("/")[2].partition("-")[0]
    version = int(number) + 1 if number.isdecimal() else int(old is not None)
    return f"{folder.rstrip('/')}/{version:05d}-{uuid4()}.metadata.json"


class Commits:
    def __init__(self, database: Database, files: Files, places: Folders) -> None:
        self._database = database
        self._files = files
        self._folders = places

    def state(self, warehouse: str, identifier: Identifier, kind: Kind) -> State:
        with self._database.read() as connection:
            location = entries.find(connection, warehouse, identifier, kind=kind)
        if location is None:
            return State()
        return State(location, parse(self._files.read_metadata(location)))

    def commit(
        self, who: Principal, warehouse: str, changes: Sequence[Change], *, ticket: Ticket | None
    ) -> Answer:
        """Do all changes or none. A single one answers with its metadata."""
        with CATALOG_COMMIT_SECONDS.time(), _counted():
            for _ in range(_ATTEMPTS):
                with suppress(LostRaceError):
                    return self._attempt(who, warehouse, changes, ticket=ticket)
                CATALOG_RACES.inc()
            names = ", ".join(str(change.identifier) for change in changes)
            raise CommitFailedError(f"Others were faster {_ATTEMPTS} times: {names}")

    def _attempt(
        self, who: Principal, warehouse: str, changes: Sequence[Change], *, ticket: Ticket | None
    ) -> Answer:
        steps: list[_Step] = []
        try:
            # In one order for all, so that no two transactions wait for each other.
            ordered = sorted(changes, key=lambda one: one.identifier)
            # One by one: of what was written before an error, the list has all.
            steps.extend(self._write_file(who, warehouse, change) for change in ordered)
            return self._move(warehouse, steps, ticket)
        except CommitUnknownError:
            # The pointers may have moved: the files may be all there is of the tables.
            raise
        except (CatalogError, LostRaceError):
            self._delete(step.new for step in steps if step.moves)
            raise

    def _write_file(self, who: Principal, warehouse: str, change: Change) -> _Step:
        state = self.state(warehouse, change.identifier, change.kind)
        metadata = change.make(state)
        is_new = state.location is None
        claim = self._folders.claim(
            who, warehouse, change.identifier, metadata=metadata, is_new=is_new
        )
        if state.location is not None and metadata == state.metadata:
            return _Step(change, claim, state.location, state.location)
        location = next_location(metadata, state.location)
        self._files.write_metadata(location, to_json(metadata))
        return _Step(change, claim, state.location, location)

    def _move(self, warehouse: str, steps: Sequence[_Step], ticket: Ticket | None) -> Answer:
        with self._database.write() as connection:
            if any(step.claim.folders for step in steps):
                warehouses.hold(connection, warehouse, alone=True)
            for step in filter(lambda one: one.moves, steps):
                name, kind = step.change.identifier, step.change.kind
                if step.old is None:
                    namespaces.hold(connection, warehouse, name.namespace)
                    entries.add(connection, warehouse, name, kind=kind, location=step.new)
                elif not entries.move_pointer(
                    connection, warehouse, name, old=step.old, new=step.new
                ):
                    raise LostRaceError
                folders.take(connection, step.claim)
            answer = Answer(location=steps[0].new) if len(steps) == 1 else Answer()
            return answers.note(connection, ticket, answer)

    def _delete(self, locations: Any) -> None:
        for location in locations:
            # An orphan harms nobody, and the error that is on its way matters more.
            with suppress(StoreError):
                self._files.delete(location)

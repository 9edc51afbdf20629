"""Whose folders are whose: rows beside those of tables and views, asked before files are written.

A table says itself where its folders are, and the catalog writes and deletes files there with its
own rights. So a new folder needs a right to the namespace that it is named like, and to those of
all tables and views whose folders are the same one, above it or below it. A folder once taken is
kept until its table is dropped: it may hold files of old snapshots.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import (
    Connection,
    and_,
    bindparam,
    delete,
    insert,
    or_,
    select,
    update,
)

from frazil.table_catalog.catalog import warehouses
from frazil.table_catalog.catalog.database import Database
from frazil.table_catalog.catalog.rows import ENTRIES, FOLDERS
from frazil.table_catalog.core.errors import ForbiddenError, Reason
from frazil.table_catalog.core.folders import (
    added_to,
    check_below,
    folders_of,
    require_folders,
)
from frazil.table_catalog.core.names import Identifier, dotted, levels_of, plain
from frazil.table_catalog.core.rights import Action, Principal

_ROW = FOLDERS.c
_OF_ENTRY = and_(
    _ROW.warehouse == ENTRIES.c.catalog_name,
    _ROW.namespace == ENTRIES.c.table_namespace,
    _ROW.name == ENTRIES.c.table_name,
)
_NAMED = and_(
    _ROW.warehouse == bindparam("in_warehouse"),
    _ROW.namespace == bindparam("in_namespace"),
    _ROW.name == bindparam("named"),
)
_HELD = select(_ROW.folder).where(_NAMED)
# Rows may be left of tables that another catalog on this database has dropped.
_NEAR = (
    select(_ROW.namespace, _ROW.name, _ROW.folder)
    .join(ENTRIES, _OF_ENTRY)
    .where(_ROW.warehouse == bindparam("in_warehouse"))
    .where(
        or_(
            _ROW.folder.in_(bindparam("above", expanding=True)),
            and_(_ROW.folder >= bindparam("first"), _ROW.folder < bindparam("behind")),
        )
    )
)
_UNKNOWN = (
    select(ENTRIES.c.table_namespace, ENTRIES.c.table_name, ENTRIES.c.metadata_location)
    .outerjoin(FOLDERS, _OF_ENTRY)
    .where(ENTRIES.c.catalog_name == bindparam("in_warehouse"), _ROW.folder.is_(None))
)
_RELEASE = delete(FOLDERS).where(_NAMED)
_HAND_OVER = (
    update(FOLDERS)
    .where(_NAMED)
    .values(namespace=bindparam("new_namespace"), name=bindparam("new_name"))
)


@dataclass(frozen=True, slots=True)
class Claim:
    """Folders that a table or view is to have besides those it has."""

    who: Principal
    warehouse: str
    identifier: Identifier
    folders: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Neighbour:
    """A table or view, and a folder of it that is the one asked about, or above it or below it."""

    identifier: Identifier
    folder: str


class Folders:
    def __init__(self, database: Database, places: warehouses.Warehouses) -> None:
        self._database = database
        self._places = places

    def claim(
        self,
        who: Principal,
        warehouse: str,
        identifier: Identifier,
        *,
        metadata: Mapping[str, Any],
        is_new: bool,
    ) -> Claim:
        """Find what metadata name that is not theirs yet; raise unless they may have it."""
        held = [] if is_new else self._held(warehouse, identifier)
        claim = Claim(who, warehouse, identifier, added_to(held, folders_of(metadata)))
        self.require(claim, Action.WRITE)
        return claim

    def require(self, claim: Claim, action: Action) -> None:
        """Raise BadRequestError or ForbiddenError unless all the folders may be used so."""
        if not claim.folders:
            return
        root = self._places.get(claim.warehouse).location
        check_below(claim.folders, root)
        require_folders(claim.who, action, claim.warehouse, root=root, folders=claim.folders)
        with self._database.read() as connection:
            _check_neighbours(connection, claim, action)

    def near(self, warehouse: str, folders: Sequence[str]) -> list[Neighbour]:
        """List whose folders are the same ones, above them or below them."""
        with self._database.read() as connection:
            return list(_near(connection, warehouse, folders))

    def _held(self, warehouse: str, identifier: Identifier) -> Sequence[str]:
        with self._database.read() as connection:
            return connection.execute(_HELD, _named(warehouse, identifier)).scalars().all()


def take(connection: Connection, claim: Claim) -> None:
    """Write down whose the folders are from now on, unless others were faster.

    The warehouse is held alone meanwhile: of two at once, the second sees the first.
    """
    if not claim.folders:
        return
    _check_neighbours(connection, claim, Action.WRITE)
    note(connection, claim.warehouse, claim.identifier, claim.folders)


def release(connection: Connection, warehouse: str, identifier: Identifier) -> None:
    connection.execute(_RELEASE, _named(warehouse, identifier))


def hand_over(
    connection: Connection, warehouse: str, source: Identifier, target: Identifier
) -> None:
    """A renamed table keeps its folders where they are."""
    release(connection, warehouse, target)
    new = {"new_namespace": dotted(target.namespace), "new_name": target.name}
    connection.execute(_HAND_OVER, {**_named(warehouse, source), **new})


def unknown(connection: Connection, warehouse: str) -> dict[Identifier, str]:
    """List tables and views whose folders are not written down, and where their metadata are."""
    rows = connection.execute(_UNKNOWN, {"in_warehouse": warehouse}).all()
    return {
        Identifier(levels_of(row.table_namespace), row.table_name): row.metadata_location
        for row in rows
    }


def note(
    connection: Connection, warehouse: str, identifier: Identifier, named: Sequence[str]
) -> None:
    """Write down whose folders they are."""
    row = {
        "warehouse": warehouse,
        "namespace": dotted(identifier.namespace),
        "name": identifier.name,
    }
    connection.execute(insert(FOLDERS), [{**row, "folder": one} for one in named])


def _check_neighbours(connection: Connection, claim: Claim, action: Action) -> None:
    if claim.who.admin:
        return
    for one in _near(connection, claim.warehouse, claim.folders):
        if one.identifier == claim.identifier:
            continue
        if not claim.who.may(action, claim.warehouse, one.identifier.namespace):
            raise ForbiddenError(
                f"{claim.who.name} has no right to {action} {', '.join(claim.folders)}: files of "
                "another table or view are there",
                Reason.RIGHT,
            )


def _near(connection: Connection, warehouse: str, folders: Sequence[str]) -> Iterator[Neighbour]:
    for folder in folders:
        for row in connection.execute(_NEAR, _around(warehouse, plain(folder))):
            yield Neighbour(Identifier(levels_of(row.namespace), row.name), row.folder)


def _around(warehouse: str, folder: str) -> dict[str, Any]:
    levels = folder.split("/")
    above = ["/".join(levels[:depth]) for depth in range(1, len(levels) + 1)]
    # 0 is the character after the slash.
    below = {"first": f"{folder}/", "behind": f"{folder}0"}
    return {"in_warehouse": warehouse, "above": above, **below}


def _named(warehouse: str, identifier: Identifier) -> dict[str, str]:
    namespace = dotted(identifier.namespace)
    return {"in_warehouse": warehouse, "in_namespace": namespace, "named": identifier.name}

"""Rows of tables and views: each is a pointer to a metadata file."""

from enum import StrEnum

from sqlalchemy import Connection, and_, bindparam, delete, func, insert, select, update
from sqlalchemy.exc import IntegrityError

from frazil.table_catalog.catalog import folders
from frazil.table_catalog.catalog.rows import ENTRIES
from frazil.table_catalog.core.errors import (
    AlreadyExistsError,
    NoSuchTableError,
    NoSuchViewError,
    NotFoundError,
)
from frazil.table_catalog.core.names import Identifier, Namespace, dotted
from frazil.table_catalog.core.pages import Page, Paging, page_of

_ROW = ENTRIES.c


class Kind(StrEnum):
    TABLE = "TABLE"
    VIEW = "VIEW"


# Statements are made once: to make one takes ten times as long as SQLite takes to answer it.
_HERE = and_(
    _ROW.catalog_name == bindparam("warehouse"),
    _ROW.table_namespace == bindparam("namespace"),
    _ROW.table_name == bindparam("name"),
)
# Rows of the time before views have no type.
_OF_KIND = func.coalesce(_ROW.iceberg_type, Kind.TABLE) == bindparam("kind")
_FIND = select(_ROW.metadata_location).where(_HERE, _OF_KIND)
_NAMES = (
    select(_ROW.table_name)
    .where(_ROW.catalog_name == bindparam("warehouse"))
    .where(_ROW.table_namespace == bindparam("namespace"), _OF_KIND)
    .where(_ROW.table_name > bindparam("after"))
    .order_by(_ROW.table_name)
)
_MOVE = (
    update(ENTRIES)
    .where(_HERE, _ROW.metadata_location == bindparam("old"))
    .values(metadata_location=bindparam("new"), previous_metadata_location=bindparam("old"))
)
_REMOVE = delete(ENTRIES).where(_HERE, _OF_KIND)
_RENAME = (
    update(ENTRIES)
    .where(_HERE, _OF_KIND)
    .values(table_namespace=bindparam("new_namespace"), table_name=bindparam("new_name"))
)


def missing(identifier: Identifier, kind: Kind) -> NotFoundError:
    return NoSuchTableError(identifier) if kind is Kind.TABLE else NoSuchViewError(identifier)


def _place(warehouse: str, identifier: Identifier) -> dict[str, str]:
    namespace = dotted(identifier.namespace)
    return {"warehouse": warehouse, "namespace": namespace, "name": identifier.name}


def find(
    connection: Connection, warehouse: str, identifier: Identifier, *, kind: Kind
) -> str | None:
    """Return where its metadata is."""
    place = _place(warehouse, identifier)
    return connection.execute(_FIND, {**place, "kind": kind}).scalar_one_or_none()


def names(
    connection: Connection, warehouse: str, namespace: Namespace, *, kind: Kind, paging: Paging
) -> Page[str]:
    query = _NAMES if paging.most is None else _NAMES.limit(paging.most + 1)
    asked = {
        "warehouse": warehouse,
        "namespace": dotted(namespace),
        "kind": kind,
        "after": paging.after,
    }
    return page_of(connection.execute(query, asked).scalars().all(), paging)


def add(
    connection: Connection, warehouse: str, identifier: Identifier, *, kind: Kind, location: str
) -> None:
    row = {
        "catalog_name": warehouse,
        "table_namespace": dotted(identifier.namespace),
        "table_name": identifier.name,
        "metadata_location": location,
        "iceberg_type": kind.value,
    }
    try:
        connection.execute(insert(ENTRIES).values(row))
    except IntegrityError as error:
        raise AlreadyExistsError(f"Table or view already exists: {identifier}") from error
    # Left of one that another catalog on this database has dropped.
    folders.release(connection, warehouse, identifier)


def move_pointer(
    connection: Connection, warehouse: str, identifier: Identifier, *, old: str, new: str
) -> bool:
    """Compare and swap; false if the pointer is no longer what it was, or is gone."""
    swap = {**_place(warehouse, identifier), "old": old, "new": new}
    return connection.execute(_MOVE, swap).rowcount == 1


def remove(connection: Connection, warehouse: str, identifier: Identifier, *, kind: Kind) -> None:
    place = _place(warehouse, identifier)
    if connection.execute(_REMOVE, {**place, "kind": kind}).rowcount == 0:
        raise missing(identifier, kind)
    folders.release(connection, warehouse, identifier)


def rename(
    connection: Connection, warehouse: str, source: Identifier, target: Identifier, *, kind: Kind
) -> None:
    move = {
        **_place(warehouse, source),
        "kind": kind,
        "new_namespace": dotted(target.namespace),
        "new_name": target.name,
    }
    try:
        moved = connection.execute(_RENAME, move).rowcount
    except IntegrityError as error:
        raise AlreadyExistsError(f"Table or view already exists: {target}") from error
    if moved == 0:
        raise missing(source, kind)
    folders.hand_over(connection, warehouse, source, target)

"""Namespaces and their properties. One is there if it has rows; its parents are made with it."""

from collections.abc import Iterable, Mapping, Sequence

from sqlalchemy import ColumnElement, Connection, and_, delete, insert, or_, select
from sqlalchemy.exc import IntegrityError

from frazil.table_catalog.catalog import answers, warehouses
from frazil.table_catalog.catalog.database import Database
from frazil.table_catalog.catalog.rows import ENTRIES, PROPERTIES
from frazil.table_catalog.core.answers import Answer, Ticket
from frazil.table_catalog.core.errors import (
    AlreadyExistsError,
    BadRequestError,
    NamespaceNotEmptyError,
    NoSuchNamespaceError,
    UnprocessableError,
)
from frazil.table_catalog.core.folders import check_below, require_folders
from frazil.table_catalog.core.names import Namespace, dotted, levels_of
from frazil.table_catalog.core.pages import Page, Paging, page_of
from frazil.table_catalog.core.rights import Action, Principal

_ROW = PROPERTIES.c
# The row that every namespace has, also in the databases of Iceberg's own catalogs.
_EXISTS = "exists"
_LONGEST_VALUE = 1000


def hold(
    connection: Connection, warehouse: str, namespace: Namespace, *, alone: bool = False
) -> None:
    """Keep a namespace from being dropped, or changed at all, until the transaction ends."""
    rows = select(_ROW.property_key).where(_at(warehouse, namespace))
    rows = rows.with_for_update(read=not alone)
    if connection.execute(rows).first() is None:
        raise NoSuchNamespaceError(dotted(namespace))


def _at(warehouse: str, namespace: Namespace) -> ColumnElement[bool]:
    return and_(_ROW.catalog_name == warehouse, _ROW.namespace == dotted(namespace))


class Namespaces:
    def __init__(self, database: Database, places: warehouses.Warehouses) -> None:
        self._database = database
        self._places = places

    def names(self, warehouse: str, parent: Namespace, paging: Paging) -> Page[str]:
        """List the level below the parent, in full names with dots."""
        query = select(_ROW.namespace).where(_ROW.catalog_name == warehouse).distinct()
        if parent:
            self.get(warehouse, parent)
            query = query.where(_ROW.namespace.startswith(f"{dotted(parent)}.", autoescape=True))
        with self._database.read() as connection:
            found = connection.execute(query).scalars().all()
        depth = len(parent) + 1
        level = {dotted(levels_of(name)[:depth]) for name in found}
        return page_of(sorted(name for name in level if name > paging.after), paging)

    def get(self, warehouse: str, namespace: Namespace) -> dict[str, str]:
        query = select(_ROW.property_key, _ROW.property_value).where(_at(warehouse, namespace))
        with self._database.read() as connection:
            rows = connection.execute(query).all()
        if not rows:
            raise NoSuchNamespaceError(dotted(namespace))
        stored = {row.property_key: row.property_value for row in rows}
        place = "/".join((self._places.get(warehouse).location, *namespace))
        # Trino makes its tables elsewhere than it says if a namespace has no location.
        return {"location": place} | {key: stored[key] for key in stored if key != _EXISTS}

    def create(
        self,
        who: Principal,
        warehouse: str,
        namespace: Namespace,
        *,
        properties: Mapping[str, str],
        ticket: Ticket | None,
    ) -> Answer:
        self._check(who, warehouse, properties)
        parents = [namespace[:depth] for depth in range(1, len(namespace))]
        try:
            with self._database.write() as connection:
                warehouses.hold(connection, warehouse)
                for parent in parents:
                    if not _is_there(connection, warehouse, parent):
                        _store(connection, warehouse, parent, {_EXISTS: "true"})
                if _is_there(connection, warehouse, namespace):
                    raise AlreadyExistsError(f"Namespace already exists: {dotted(namespace)}")
                _store(connection, warehouse, namespace, {_EXISTS: "true", **properties})
                place = "/".join((self._places.get(warehouse).location, *namespace))
                shown = {"location": place, **properties}
                body = {"namespace": list(namespace), "properties": shown}
                return answers.note(connection, ticket, Answer(body=body))
        except IntegrityError as error:
            raise AlreadyExistsError(f"Namespace already exists: {dotted(namespace)}") from error

    def change(
        self,
        who: Principal,
        warehouse: str,
        namespace: Namespace,
        *,
        removals: Sequence[str],
        updates: Mapping[str, str],
        ticket: Ticket | None,
    ) -> Answer:
        self._check(who, warehouse, updates)
        if both := sorted(set(removals) & set(updates)):
            raise UnprocessableError(f"Keys to be removed and updated at once: {', '.join(both)}")
        with self._database.write() as connection:
            hold(connection, warehouse, namespace, alone=True)
            keys = select(_ROW.property_key).where(_at(warehouse, namespace))
            known = set(connection.execute(keys).scalars()) - {_EXISTS}
            removed, missing = set(removals) & known, set(removals) - known
            touched = and_(_at(warehouse, namespace), _ROW.property_key.in_([*removed, *updates]))
            connection.execute(delete(PROPERTIES).where(touched))
            _store(connection, warehouse, namespace, updates)
            shown = {"updated": updates, "removed": removed, "missing": missing}
            body = {name: sorted(some) for name, some in shown.items()}
            return answers.note(connection, ticket, Answer(body=body))

    def drop(self, warehouse: str, namespace: Namespace, *, ticket: Ticket | None) -> Answer:
        with self._database.write() as connection:
            # Deleted first: whoever makes a table in it at this moment waits for the end.
            gone = connection.execute(delete(PROPERTIES).where(_at(warehouse, namespace)))
            if gone.rowcount == 0:
                raise NoSuchNamespaceError(dotted(namespace))
            if _has_inside(connection, warehouse, dotted(namespace)):
                raise NamespaceNotEmptyError(f"Namespace is not empty: {dotted(namespace)}")
            return answers.note(connection, ticket, Answer())

    def _check(self, who: Principal, warehouse: str, properties: Mapping[str, str]) -> None:
        _check_sizes(properties)
        if place := properties.get("location"):
            # The warehouse's own folder will do: what matters is what will be made in it.
            inside, root = [f"{place.rstrip('/')}/*"], self._places.get(warehouse).location
            check_below(inside, root)
            require_folders(who, Action.WRITE, warehouse, root=root, folders=inside)


def _check_sizes(properties: Mapping[str, str]) -> None:
    for key, value in properties.items():
        if key == _EXISTS or not 0 < len(key) <= 255 or len(value) > _LONGEST_VALUE:
            raise BadRequestError(
                f"a property of a namespace has a key of 1 to 255 characters, not `{_EXISTS}`, and "
                f"a value of at most {_LONGEST_VALUE}: {key[:80]!r}"
            )


def _is_there(connection: Connection, warehouse: str, namespace: Namespace) -> bool:
    query = select(_ROW.property_key).where(_at(warehouse, namespace)).limit(1)
    return connection.execute(query).first() is not None


def _store(
    connection: Connection, warehouse: str, namespace: Namespace, properties: Mapping[str, str]
) -> None:
    rows: Iterable[dict[str, str]] = [
        {
            "catalog_name": warehouse,
            "namespace": dotted(namespace),
            "property_key": key,
            "property_value": value,
        }
        for key, value in properties.items()
    ]
    if rows:
        connection.execute(insert(PROPERTIES), list(rows))


def _has_inside(connection: Connection, warehouse: str, name: str) -> bool:
    below = f"{name}."
    entry = ENTRIES.c.table_namespace
    tables = select(entry).where(
        ENTRIES.c.catalog_name == warehouse,
        or_(entry == name, entry.startswith(below, autoescape=True)),
    )
    namespaces = select(_ROW.namespace).where(
        _ROW.catalog_name == warehouse, _ROW.namespace.startswith(below, autoescape=True)
    )
    return any(
        connection.execute(query.limit(1)).first() is not None for query in (tables, namespaces)
    )

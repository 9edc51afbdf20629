"""Warehouses: each is a place for files, and a catalog of its own in the same database."""

import time
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, bindparam, delete, insert, select
from sqlalchemy.exc import IntegrityError

from frazil.table_catalog.catalog.database import Database
from frazil.table_catalog.catalog.files import Files
from frazil.table_catalog.catalog.rows import PROPERTIES, WAREHOUSES
from frazil.table_catalog.core.errors import (
    NoSuchWarehouseError,
    WarehouseExistsError,
    WarehouseNotEmptyError,
)

_ROW = WAREHOUSES.c
# Made once: each commit asks.
_GET = select(WAREHOUSES).where(_ROW.name == bindparam("name"))


@dataclass(frozen=True, slots=True)
class Warehouse:
    name: str
    location: str
    created_ms: int


def hold(connection: Connection, name: str, *, alone: bool = False) -> None:
    """Keep a warehouse from being deleted, or its folders from being taken, until the end.

    Who holds namespaces too takes the warehouse first.
    """
    row = select(_ROW.name).where(_ROW.name == name).with_for_update(read=not alone)
    if connection.execute(row).first() is None:
        raise NoSuchWarehouseError(name)


class Warehouses:
    def __init__(self, database: Database, files: Files, root: str) -> None:
        self._database = database
        self._files = files
        self._root = root.rstrip("/") if root != "s3://" else "s3:/"

    def all(self) -> list[Warehouse]:
        with self._database.read() as connection:
            rows = connection.execute(select(WAREHOUSES).order_by(_ROW.name)).all()
        return [_warehouse(row) for row in rows]

    def get(self, name: str) -> Warehouse:
        with self._database.read() as connection:
            row = connection.execute(_GET, {"name": name}).one_or_none()
        if row is None:
            raise NoSuchWarehouseError(name)
        return _warehouse(row)

    def check(self) -> None:
        """Raise StoreError unless the database answers, and the files of each warehouse do."""
        for one in self.all():
            self._files.check(one.location)

    def create(self, name: str, *, upgrade: bool = False) -> Warehouse:
        """With `upgrade` one that is there is taken as it is."""
        made = Warehouse(name, f"{self._root}/{name}", time.time_ns() // 1_000_000)
        self._files.prepare(made.location)
        try:
            with self._database.write() as connection:
                row = {"name": name, "location": made.location, "created_ms": made.created_ms}
                connection.execute(insert(WAREHOUSES).values(row))
        except IntegrityError:
            if not upgrade:
                raise WarehouseExistsError(f"Warehouse already exists: {name}") from None
            return self.get(name)
        return made

    def delete(self, name: str) -> None:
        with self._database.write() as connection:
            # Deleted first: whoever makes a namespace in it at this moment waits for the end.
            gone = connection.execute(delete(WAREHOUSES).where(_ROW.name == name))
            if gone.rowcount == 0:
                raise NoSuchWarehouseError(name)
            inside = select(PROPERTIES.c.namespace).where(PROPERTIES.c.catalog_name == name)
            if connection.execute(inside.limit(1)).first() is not None:
                raise WarehouseNotEmptyError(f"Warehouse is not empty: {name}")


def _warehouse(row: Any) -> Warehouse:
    return Warehouse(row.name, row.location, row.created_ms)

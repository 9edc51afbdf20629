"""Opening the database: two dialects, and what each needs so that a transaction is one."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sqlalchemy import Engine, event, make_url
from sqlalchemy.engine import URL
from sqlalchemy.engine.interfaces import DBAPIConnection
from sqlalchemy.exc import InterfaceError, OperationalError, SQLAlchemyError
from sqlalchemy.exc import TimeoutError as PoolTimeoutError
from sqlalchemy.pool import ConnectionPoolEntry
from sqlmodel import create_engine

from frazil.control_api.core.errors import StoreError
from frazil.runtime import sqlite

_PATIENCE_SECONDS = 10
"""How long a writer waits for the one before it."""


@dataclass(frozen=True)
class Database:
    """One pool of connections. Writers exclude each other, readers wait for nobody."""

    url: URL
    writer: Engine
    reader: Engine

    def close(self) -> None:
        self.writer.dispose()


def open_database(address: str) -> Database:
    """Open without connecting. Raises StoreError, which never shows a password."""
    try:
        return _open(make_url(address))
    except (SQLAlchemyError, OSError) as error:
        raise StoreError(f"the database cannot be opened: {error}") from error


def _open(url: URL) -> Database:
    match url.get_backend_name():
        case "sqlite":
            return _open_sqlite(url)
        case "postgresql":
            return _open_postgresql(url.set(drivername="postgresql+psycopg"))
        case other:
            raise StoreError(
                f"the database cannot be opened: {other} is neither sqlite nor postgresql"
            )


@contextmanager
def answering() -> Iterator[None]:
    """Raise StoreError, with a sentence that may be shown to anybody, when the database is away."""
    try:
        yield
    except (OperationalError, InterfaceError, PoolTimeoutError) as error:
        raise StoreError("The database does not answer") from error


def shown(url: URL) -> str:
    """Return the address without secrets, which may be in its query too."""
    return url.set(query={}).render_as_string(hide_password=True)


def _open_sqlite(url: URL) -> Database:
    if url.database:
        sqlite.make_room(Path(url.database))
    engine = create_engine(url, hide_parameters=True)
    event.listen(engine, "connect", _prepare_sqlite)
    event.listen(engine, "begin", _begin_sqlite)
    return Database(url, writer=engine, reader=engine.execution_options(reading=True))


def _prepare_sqlite(connection: DBAPIConnection, _entry: ConnectionPoolEntry) -> None:
    sqlite.prepare(connection, _PATIENCE_SECONDS, synchronous="NORMAL")


def _begin_sqlite(connection: Any) -> None:
    if not connection.get_execution_options().get("reading"):
        connection.exec_driver_sql("BEGIN IMMEDIATE")


def _open_postgresql(url: URL) -> Database:
    patience = f"{_PATIENCE_SECONDS}s"
    options = {
        # A process that is stopped in the middle of a transaction must not stop all others.
        "lock_timeout": patience,
        "idle_in_transaction_session_timeout": patience,
        # The server forgets a client that has vanished after 7 s, with all its locks ...
        "tcp_keepalives_idle": 3,
        "tcp_keepalives_interval": 2,
        "tcp_keepalives_count": 2,
    }
    engine = create_engine(
        url,
        hide_parameters=True,
        pool_pre_ping=True,
        connect_args={
            "options": " ".join(f"-c {name}={value}" for name, value in options.items()),
            # ... and a client gives up a vanished server after 4 s.
            "keepalives_idle": 1,
            "keepalives_interval": 1,
            "keepalives_count": 3,
            "tcp_user_timeout": 4000,
            "connect_timeout": 5,
        },
    )
    return Database(
        url, writer=engine, reader=engine.execution_options(isolation_level="AUTOCOMMIT")
    )

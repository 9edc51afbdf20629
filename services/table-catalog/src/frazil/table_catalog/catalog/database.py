"""The database: one transaction a change, and what is known of it when it fails."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from sqlalchemy import Connection, Engine, create_engine, event, inspect, make_url, text
from sqlalchemy.engine import URL
from sqlalchemy.engine.interfaces import DBAPIConnection
from sqlalchemy.exc import IntegrityError, SQLAlchemyError
from sqlalchemy.pool import ConnectionPoolEntry

from frazil.runtime import sqlite
from frazil.table_catalog.catalog.rows import ENTRIES, ICEBERG, OURS
from frazil.table_catalog.core.errors import CommitUnknownError, StoreError

_PATIENCE_SECONDS = 10
_CONNECTIONS = 20
# Any number will do, if all our processes take the same.
_SCHEMA_LOCK = 0x1CEBE46


@dataclass(frozen=True)
class Database:
    writer: Engine
    reader: Engine

    @property
    def is_file(self) -> bool:
        return self.writer.dialect.name == "sqlite"

    @contextmanager
    def read(self) -> Iterator[Connection]:
        try:
            with self.reader.connect() as connection:
                yield connection
        except SQLAlchemyError as error:
            raise StoreError("the database does not answer") from error

    @contextmanager
    def write(self) -> Iterator[Connection]:
        """Commit at the end. An IntegrityError goes through; StoreError: nothing was done."""
        try:
            with self.writer.connect() as connection:
                transaction = connection.begin()
                yield connection
                with _unknown_if_broken():
                    transaction.commit()
        except IntegrityError:
            raise
        except SQLAlchemyError as error:
            raise StoreError("the database does not answer") from error

    def prepare(self) -> None:
        """Make what is missing; several processes may start at once."""
        with self.write() as connection:
            if connection.dialect.name == "postgresql":
                connection.execute(text(f"SELECT pg_advisory_xact_lock({_SCHEMA_LOCK})"))
            ICEBERG.create_all(connection)
            OURS.create_all(connection)
            columns = {one["name"] for one in inspect(connection).get_columns(ENTRIES.name)}
            if "iceberg_type" not in columns:
                # A database of the time before views.
                connection.execute(
                    text(f"ALTER TABLE {ENTRIES.name} ADD COLUMN iceberg_type VARCHAR(5)")
                )

    def close(self) -> None:
        self.writer.dispose()


@contextmanager
def _unknown_if_broken() -> Iterator[None]:
    """A COMMIT without an answer may have been done."""
    try:
        yield
    except SQLAlchemyError as error:
        raise CommitUnknownError("the database did not answer to the commit") from error


def open_database(address: str) -> Database:
    """Open without connecting. Raises StoreError, which never shows a password."""
    try:
        url = make_url(address)
    except SQLAlchemyError:
        raise StoreError("the address of the database cannot be read") from None
    match url.get_backend_name():
        case "sqlite":
            return _open_sqlite(url)
        case "postgresql":
            return _open_postgresql(url.set(drivername="postgresql+psycopg"))
        case other:
            raise StoreError(f"{other} is neither sqlite nor postgresql")


def _open_sqlite(url: URL) -> Database:
    if url.database:
        sqlite.make_room(Path(url.database))
    writer = create_engine(url, hide_parameters=True, pool_size=_CONNECTIONS, max_overflow=-1)
    event.listen(writer, "connect", _prepare_sqlite)
    event.listen(writer, "begin", _begin_sqlite)
    # The same connections: an engine that has listeners asks them thrice as long as SQLite reads.
    return Database(writer, create_engine(url, hide_parameters=True, pool=writer.pool))


def _prepare_sqlite(connection: DBAPIConnection, _entry: ConnectionPoolEntry) -> None:
    # A commit that was acknowledged outlives the machine's death too.
    sqlite.prepare(connection, _PATIENCE_SECONDS, synchronous="FULL")


def _begin_sqlite(connection: Connection) -> None:
    connection.exec_driver_sql("BEGIN IMMEDIATE")


def _open_postgresql(url: URL) -> Database:
    patience = f"{_PATIENCE_SECONDS}s"
    engine = create_engine(
        url,
        hide_parameters=True,
        pool_pre_ping=True,
        pool_size=_CONNECTIONS,
        max_overflow=-1,
        connect_args={
            # A process that is stopped within a transaction must not stop all others.
            "options": f"-c lock_timeout={patience} "
            f"-c idle_in_transaction_session_timeout={patience}",
            "connect_timeout": 5,
            "tcp_user_timeout": 4000,
        },
    )
    return Database(engine, engine.execution_options(isolation_level="AUTOCOMMIT"))

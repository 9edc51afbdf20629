"""All queries. Sessions live here and nowhere else; what goes in and out are core's records."""

from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any

from sqlalchemy import Engine as Database
from sqlalchemy import event
from sqlalchemy.engine.interfaces import DBAPIConnection
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.pool import ConnectionPoolEntry
from sqlmodel import Session, SQLModel, col, create_engine, select

from frazil.contracts.states import Target
from frazil.control_api.core.connector import Connector, Observed, Phase
from frazil.control_api.core.errors import StoreError
from frazil.control_api.store.tables import ConnectorRow, ObservedRow


class Repository:
    """A ConnectorStore in a SQL database; may be used from many threads."""

    def __init__(self, url: str) -> None:
        try:
            self._database = _open(url)
            SQLModel.metadata.create_all(self._database)
        except (SQLAlchemyError, OSError) as error:
            raise StoreError(f"the database {url} cannot be opened: {error}") from error

    def all(self) -> list[Connector]:
        with Session(self._database) as session:
            seen = {row.name: row for row in session.exec(select(ObservedRow))}
            rows = session.exec(select(ConnectorRow).order_by(col(ConnectorRow.name)))
            return [_connector(row, seen.get(row.name)) for row in rows]

    def get(self, name: str) -> Connector | None:
        with Session(self._database) as session:
            return _read(session, name)

    def change(self, name: str, change: Callable[[Connector | None], Connector]) -> Connector:
        with Session(self._database) as session:
            connector = change(_read(session, name))
            session.merge(
                ConnectorRow(
                    name=name,
                    config=dict(connector.config),
                    target=connector.target,
                    generation=connector.generation,
                )
            )
            session.commit()
            return connector

    def starting(self) -> set[str]:
        with Session(self._database) as session:
            return set(
                session.exec(select(ObservedRow.name).where(ObservedRow.phase == Phase.STARTING))
            )

    def record(self, name: str, observed: Observed) -> None:
        with Session(self._database) as session:
            fields: dict[str, Any] = asdict(observed) | {"topics": list(observed.topics)}
            session.merge(ObservedRow(name=name, **fields))
            session.commit()

    def remove(self, name: str) -> bool:
        with Session(self._database) as session:
            wanted = session.get(ConnectorRow, name)
            if wanted is not None and wanted.target != Target.DELETED:
                return False
            for row in (wanted, session.get(ObservedRow, name)):
                if row is not None:
                    session.delete(row)
            session.commit()
            return True

    def close(self) -> None:
        self._database.dispose()


def _read(session: Session, name: str) -> Connector | None:
    row = session.get(ConnectorRow, name)
    return None if row is None else _connector(row, session.get(ObservedRow, name))


def _connector(row: ConnectorRow, seen: ObservedRow | None) -> Connector:
    observed = Observed() if seen is None else _observed(seen)
    return Connector(row.name, row.config, Target(row.target), row.generation, observed)


def _observed(row: ObservedRow) -> Observed:
    return Observed(
        phase=Phase(row.phase),
        epoch=row.epoch,
        generation=row.generation,
        since=row.since,
        failures=row.failures,
        retry_at=row.retry_at,
        trace=row.trace,
        topics=tuple(row.topics),
    )


def _open(url: str) -> Database:
    database = create_engine(url)
    if database.dialect.name == "sqlite":
        if database.url.database:
            Path(database.url.database).parent.mkdir(parents=True, exist_ok=True)
        _prepare_sqlite(database)
    return database


def _prepare_sqlite(database: Database) -> None:
    """Make transactions real: the driver's own begin too late to keep read and write together."""

    @event.listens_for(database, "connect")
    def _connect(connection: DBAPIConnection, _entry: ConnectionPoolEntry) -> None:
        connection.isolation_level = None
        connection.execute("PRAGMA journal_mode=WAL")
        # Survives the death of this process; only that of the machine may cost the last writes.
        connection.execute("PRAGMA synchronous=NORMAL")
        connection.execute("PRAGMA busy_timeout=10000")

    @event.listens_for(database, "begin")
    def _begin(connection: Any) -> None:
        connection.exec_driver_sql("BEGIN IMMEDIATE")

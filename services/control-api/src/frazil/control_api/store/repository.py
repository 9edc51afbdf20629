"""The store of connectors: one transaction a call; what goes in and out are core's records."""

import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, Row, Select
from sqlalchemy.exc import SQLAlchemyError

from frazil.contracts.states import Target
from frazil.control_api.core.connector import Connector, Observed
from frazil.control_api.core.errors import StoreError
from frazil.control_api.core.history import ConfigVersion, StateChange
from frazil.control_api.core.ports import LeaderLock
from frazil.control_api.store import history, queries
from frazil.control_api.store.database import answering, open_database, shown
from frazil.control_api.store.lock import FileLock, SessionLock
from frazil.control_api.store.records import (
    connector_of,
    observed_of,
    rewind_of,
    write_observed,
    write_wanted,
)
from frazil.control_api.store.schema import migrate


class Repository:
    """A ConnectorStore in a SQL database; may be used from many threads and processes."""

    def __init__(self, url: str, now: Callable[[], float] = time.time) -> None:
        self._now = now
        # Writers of this process wait here for their turn: SQLite lets them sleep and try again.
        self._turn = threading.Lock()
        self._database = open_database(url)
        try:
            migrate(self._database.writer)
        except SQLAlchemyError as error:
            self._database.close()
            where = shown(self._database.url)
            raise StoreError(f"the database {where} cannot be opened: {error}") from error

    def installation_key(self) -> str:
        """Return the secret that all processes on this database share."""
        found: str = self._rows(queries.INSTALLATION_KEY)[0][0]
        return found

    def all(self) -> list[Connector]:
        found = filter(None, map(connector_of, self._rows(queries.ALL)))
        # Not left to the database, which may be set to the order of some language.
        return sorted(found, key=lambda connector: connector.name)

    def count(self) -> int:
        found: int = self._rows(queries.COUNT)[0][0]
        return found

    def get(self, name: str) -> Connector | None:
        return connector_of(self._rows(queries.ONE, key=name)[0])

    def look(self, name: str) -> tuple[Connector, int]:
        row = self._rows(queries.ONE, key=name)[0]
        left_over = Connector(
            name, {}, Target.DELETED, rewind=rewind_of(row), observed=observed_of(row)
        )
        return connector_of(row) or left_over, row.others_starting

    def change(self, name: str, change: Callable[[Connector | None], Connector]) -> Connector:
        with self._writing() as (connection, revision):
            row = _one(connection, name)
            before = connector_of(row)
            wanted = change(before)
            write_wanted(connection, row, wanted, revision)
            rewind = wanted.rewind or rewind_of(row)
            after = replace(wanted, observed=observed_of(row), rewind=rewind)
            history.append(connection, before, after, revision=revision, now=self._now())
            return after

    def changed(self, after: int) -> tuple[list[str], int]:
        found = self._rows(queries.CHANGED, after=after)
        return [row.name for row in found], max((row.revision for row in found), default=after)

    def record(self, name: str, observed: Observed) -> None:
        with self._writing() as (connection, revision):
            row = _one(connection, name)
            write_observed(connection, row, name, observed)
            before = connector_of(row)
            if before is not None:
                after = replace(before, observed=observed)
                history.append(connection, before, after, revision=revision, now=self._now())

    def remove(self, name: str) -> bool:
        with self._writing() as (connection, _):
            row = _one(connection, name)
            if row.connector_name is not None and row.connector_target != Target.DELETED:
                return False
            connection.execute(queries.DELETE, {"key": name})
            if row.observed_name is not None:
                seen = observed_of(row)
                left = Observed(epoch=seen.epoch, rewind=seen.rewind)
                write_observed(connection, row, name, left)
            return True

    def configs(self, name: str) -> list[ConfigVersion]:
        return list(map(history.config_version, self._rows(queries.CONFIGS, key=name)))

    def state_changes(
        self, *, after: int = 0, name: str | None = None, limit: int = 100
    ) -> list[StateChange]:
        if name is None:
            rows = self._rows(queries.STATES, after=after, limit=limit)
        else:
            rows = self._rows(queries.STATES_OF_ONE, after=after, limit=limit, key=name)
        return list(map(history.state_change, rows))

    def newest_state_changes(self, name: str, limit: int) -> list[StateChange]:
        rows = self._rows(queries.NEWEST_STATES, key=name, limit=limit)
        return list(map(history.state_change, rows))

    def last_state_change(self) -> int:
        return self._rows(queries.LAST_STATE)[0][0] or 0

    def leader_lock(self) -> LeaderLock:
        """Return a lock that is shared by all processes on this database."""
        if self._database.writer.dialect.name == "postgresql":
            return SessionLock(self._database)
        return FileLock(Path(f"{self._database.url.database}.leader"))

    def close(self) -> None:
        self._database.close()

    def _rows(self, statement: Select[Any], **parameters: object) -> Sequence[Row[Any]]:
        with answering(), self._database.reader.connect() as connection:
            return connection.execute(statement, parameters).all()

    @contextmanager
    def _writing(self) -> Iterator[tuple[Connection, int]]:
        """Wait for the writer before, then write alone; what was written counts if nothing raises.

        One order of all writes means that whoever has seen one revision has seen all before it.
        """
        with self._turn, answering(), self._database.writer.begin() as connection:
            yield connection, connection.execute(queries.COUNT_UP).scalar_one()


def _one(connection: Connection, name: str) -> Row[Any]:
    return connection.execute(queries.ONE, {"key": name}).one()

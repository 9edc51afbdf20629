"""The leader's lock: of all processes on one database at most one has it."""

import asyncio
from pathlib import Path
from typing import cast

import psycopg
from sqlalchemy import Connection, text
from sqlalchemy.exc import SQLAlchemyError

from frazil.control_api.store.database import Database, answering
from frazil.control_api.store.schema import LOCK
from frazil.runtime.alone import HeldLock

_LEADER = LOCK + 1


class SessionLock:
    """An advisory lock of a PostgreSQL session, which ends with its connection.

    Each side notices a dead connection by itself, we in 4 s and the server in 7 s: whoever loses
    the lock knows before somebody else has it.
    """

    def __init__(self, database: Database) -> None:
        self._database = database
        self._session: Connection | None = None

    async def take(self) -> bool:
        with answering():
            return await asyncio.to_thread(self._take)

    async def lost(self) -> None:
        while await asyncio.to_thread(self._is_alive):
            await self._something_comes_in()

    async def release(self) -> None:
        session, self._session = self._session, None
        if session is not None:
            await asyncio.to_thread(session.close)

    def _take(self) -> bool:
        # Autocommit: the session must not sit in a transaction for as long as it leads.
        session = self._database.reader.connect()
        # Taken out of the pool, or closing it would keep the session, and the lock with it.
        session.detach()
        taken = session.execute(text("SELECT pg_try_advisory_lock(:key)"), {"key": _LEADER})
        if not taken.scalar_one():
            session.close()
            return False
        self._session = session
        return True

    def _is_alive(self) -> bool:
        if self._session is None:
            return False
        try:
            self._session.execute(text("SELECT 1"))
        except SQLAlchemyError:
            return False
        return True

    async def _something_comes_in(self) -> None:
        """Wait for a byte that nobody asked for: mostly the end of the connection."""
        if self._session is None:
            return
        loop = asyncio.get_running_loop()
        came = asyncio.Event()
        # Out of the pool, its `driver_connection` is None.
        socket = cast("psycopg.Connection", self._session.connection.dbapi_connection).fileno()
        loop.add_reader(socket, came.set)
        try:
            await came.wait()
        finally:
            loop.remove_reader(socket)


class FileLock:
    """A lock on a file beside a SQLite database; the kernel drops it with the process."""

    def __init__(self, path: Path) -> None:
        self._lock = HeldLock(path)

    async def take(self) -> bool:
        return await asyncio.to_thread(self._lock.take)

    async def lost(self) -> None:
        await asyncio.Event().wait()

    async def release(self) -> None:
        self._lock.release()

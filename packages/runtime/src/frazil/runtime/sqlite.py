"""What SQLite needs so that several processes may open one file at once, and trust it."""

import sqlite3
import time
from pathlib import Path
from typing import Any, Literal

from frazil.runtime.private import private_file

_PAUSE = 0.02


def make_room(database: Path) -> None:
    """Create the folder of a database; one that exists is closed to other users."""
    database.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    for suffix in ("", "-wal", "-shm"):
        private_file(database.with_name(database.name + suffix))


def prepare(connection: Any, patience: float, *, synchronous: Literal["NORMAL", "FULL"]) -> None:
    """Let writers wait for each other so many seconds, and readers for nobody.

    A commit outlives the death of this process; with FULL that of the machine too, where NORMAL
    may lose the last ones. The connection is one of `sqlite3`, by whatever name a library hands
    it over; a transaction begins where BEGIN is said.
    """
    # The driver's own transactions begin too late to keep read and write together.
    connection.isolation_level = None
    connection.execute(f"PRAGMA busy_timeout={int(patience * 1000)}")
    _turn_on_log(connection, patience)
    connection.execute(f"PRAGMA synchronous={synchronous}")


def _turn_on_log(connection: Any, patience: float) -> None:
    deadline = time.monotonic() + patience
    while True:
        try:
            connection.execute("PRAGMA journal_mode=WAL")
        except sqlite3.OperationalError as error:
            # Of several that turn on the log at once, SQLite itself lets none wait.
            if error.sqlite_errorcode != sqlite3.SQLITE_BUSY or time.monotonic() > deadline:
                raise
            time.sleep(_PAUSE)
        else:
            return

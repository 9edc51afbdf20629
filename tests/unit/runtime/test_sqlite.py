"""SQLite's file as several processes open it."""

import sqlite3
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from typing import Literal

import pytest

from frazil.runtime import sqlite


def test_many_may_turn_on_the_log_at_once(tmp_path: Path) -> None:
    def open_it(_number: int) -> str:
        with closing(sqlite3.connect(tmp_path / "shared.db")) as connection:
            sqlite.prepare(connection, 10, synchronous="NORMAL")
            connection.execute("CREATE TABLE IF NOT EXISTS t (n)")
            return str(connection.execute("PRAGMA journal_mode").fetchone()[0])

    with ThreadPoolExecutor(8) as pool:
        assert set(pool.map(open_it, range(40))) == {"wal"}


def test_patience_ends(tmp_path: Path) -> None:
    file = tmp_path / "held.db"
    with (
        closing(sqlite3.connect(file, isolation_level=None)) as holder,
        closing(sqlite3.connect(file)) as other,
    ):
        holder.execute("BEGIN EXCLUSIVE")
        with pytest.raises(sqlite3.OperationalError, match="locked"):
            sqlite.prepare(other, 0.05, synchronous="NORMAL")


def test_a_transaction_begins_where_it_is_said_and_not_with_the_first_write(
    tmp_path: Path,
) -> None:
    with closing(sqlite3.connect(tmp_path / "a.db")) as connection:
        sqlite.prepare(connection, 1, synchronous="NORMAL")
        connection.execute("CREATE TABLE t (n)")
        connection.execute("INSERT INTO t VALUES (1)")
        assert not connection.in_transaction


@pytest.mark.parametrize(("word", "level"), [("NORMAL", 1), ("FULL", 2)])
def test_what_a_commit_outlives_is_up_to_the_caller(
    tmp_path: Path, word: Literal["NORMAL", "FULL"], level: int
) -> None:
    with closing(sqlite3.connect(tmp_path / "a.db")) as connection:
        sqlite.prepare(connection, 1, synchronous=word)
        assert connection.execute("PRAGMA synchronous").fetchone() == (level,)

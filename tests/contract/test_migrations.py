"""The schema: what comes out of the migrations, what they start from, and who runs them."""

import sqlite3
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from sqlmodel import SQLModel

from frazil.contracts.states import Target
from frazil.control_api.core.connector import Connector, Observed, Phase
from frazil.control_api.store.database import Database, open_database
from frazil.control_api.store.repository import Repository
from frazil.control_api.store.schema import migrate

# The first one waits until there is a PostgreSQL.
pytestmark = pytest.mark.timeout(60)

# As SQLModel made them when there were no migrations, with what a connector left in them.
FORMER_FILE = """
CREATE TABLE connector (
    name VARCHAR NOT NULL, config JSON NOT NULL, target VARCHAR NOT NULL,
    generation INTEGER NOT NULL, PRIMARY KEY (name)
);
CREATE TABLE observed (
    name VARCHAR NOT NULL, phase VARCHAR NOT NULL, epoch INTEGER NOT NULL,
    generation INTEGER NOT NULL, since FLOAT NOT NULL, failures INTEGER NOT NULL,
    retry_at FLOAT NOT NULL, trace VARCHAR, topics JSON NOT NULL, PRIMARY KEY (name)
);
CREATE INDEX ix_observed_phase ON observed (phase);
INSERT INTO connector VALUES ('logs', '{"topics": "a"}', 'PAUSED', 3);
INSERT INTO connector VALUES ('gone', '{"topics": "b"}', 'DELETED', 1);
INSERT INTO observed VALUES ('logs', 'RUNNING', 1763000000, 2, 1.5, 1, 2.5, NULL, '["a"]');
"""


@pytest.fixture
def database(url: str) -> Iterator[Database]:
    database = open_database(url)
    yield database
    database.close()


@pytest.fixture
def former_file(tmp_path: Path) -> Path:
    path = tmp_path / "former.db"
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(FORMER_FILE)
    return path


def differences(database: Database) -> object:
    with database.writer.connect() as connection:
        return compare_metadata(MigrationContext.configure(connection), SQLModel.metadata)


def test_migrations_make_the_tables_that_the_code_believes_in(database: Database) -> None:
    migrate(database.writer)
    assert differences(database) == []


def test_what_is_up_to_date_is_left_alone(database: Database) -> None:
    migrate(database.writer)
    migrate(database.writer)
    assert differences(database) == []


def test_several_that_start_at_once_migrate_once(url: str) -> None:
    def start(_number: int) -> None:
        Repository(url).close()

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(start, range(4)))


def test_a_file_from_before_the_migrations_is_adopted_without_loss(former_file: Path) -> None:
    store = Repository(f"sqlite:///{former_file}")
    observed = Observed(Phase.RUNNING, 1763000000, 2, 1.5, 1, 2.5, None, ("a",))
    logs = Connector("logs", {"topics": "a"}, Target.PAUSED, 3, observed=observed)
    gone = Connector("gone", {"topics": "b"}, Target.DELETED)
    assert store.all() == [gone, logs]
    assert [(found.version, found.config) for found in store.configs("logs")] == [
        (1, {"topics": "a"})
    ]
    assert store.configs("gone") == []
    store.change("logs", lambda _old: logs)
    assert store.changed(0)[0] == ["logs"]
    store.close()


def test_a_file_from_before_the_migrations_comes_to_the_same_schema(former_file: Path) -> None:
    database = open_database(f"sqlite:///{former_file}")
    migrate(database.writer)
    assert differences(database) == []
    database.close()

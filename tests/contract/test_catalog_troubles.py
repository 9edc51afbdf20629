"""The table catalog and a database that fails, goes away and comes back: what clients hear."""

import json
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any
from uuid import uuid4

import httpx
import pytest
from sqlalchemy import create_engine, event
from sqlalchemy.exc import OperationalError
from tests.support.iceberg_rest import Rest, Space, expect_error, set_property
from tests.support.postgresql import PostgreSQL
from tests.support.served import served

from frazil.table_catalog.app import create_app
from frazil.table_catalog.catalog import database
from frazil.table_catalog.catalog.database import Database
from frazil.table_catalog.settings import Settings


class World:
    """A catalog with one table, and a hand on its database and on its files."""

    def __init__(self, client: httpx.Client, kept: Database, files: Path) -> None:
        self.client = client
        self.engine = kept.writer
        self._files = files
        self.space: Space = Rest(client, "lake").namespace()
        self.space.create()

    def files(self) -> set[Path]:
        return set(self._files.rglob("*.metadata.json"))

    def health(self) -> tuple[int, Any]:
        answer = self.client.get(str(self.client.base_url.copy_with(path="/health")))
        return answer.status_code, answer.json()


def opened(url: str, folder: Path) -> Iterator[World]:
    settings = Settings(
        home=folder,
        open=True,
        database_url=url,
        warehouse_root=(folder / "files").as_uri(),
        warehouses=("lake",),
    )
    app = create_app(settings)
    with served(app) as address:
        base = f"{address}{settings.prefix}"
        with httpx.Client(base_url=base, timeout=30, trust_env=False) as client:
            yield World(client, app.state.catalog.database, folder / "files")


@pytest.fixture
def world(url: str, tmp_path: Path) -> Iterator[World]:
    yield from opened(url, tmp_path)


def test_a_lost_answer_to_a_commit_is_unknown_and_its_file_stays(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    key = {"Idempotency-Key": str(uuid4())}
    dialect = world.engine.dialect

    def commit_and_die(connection: Any) -> None:
        connection.commit()
        raise dialect.loaded_dbapi.OperationalError("the connection is gone")

    before = world.files()
    with monkeypatch.context() as patch:
        patch.setattr(dialect, "do_commit", commit_and_die)
        answer = world.space.commit(set_property("a", "1"), headers=key)
    # Not 503: Java's client would send it again, and hear that it has failed.
    expect_error(answer, 500, "CommitStateUnknownException")
    assert "retry-after" not in answer.headers
    assert len(world.files() - before) == 1
    assert world.space.load()["metadata"]["properties"]["a"] == "1"
    again = world.space.commit(set_property("a", "1"), headers=key)
    assert again.json()["metadata-location"] == world.space.load()["metadata-location"]


def test_a_database_lost_before_the_pointer_moves_leaves_nothing_behind(world: World) -> None:
    def die(_connection: Any, _cursor: Any, statement: str, *_: Any) -> None:
        if statement.startswith("UPDATE"):
            raise OperationalError(statement, None, Exception("the connection is gone"))

    before = world.files()
    event.listen(world.engine, "before_cursor_execute", die)
    answer = world.space.commit(set_property("a", "1"))
    event.remove(world.engine, "before_cursor_execute", die)
    expect_error(answer, 503, "ServiceUnavailableException")
    assert answer.headers["retry-after"] == "1"
    assert world.files() == before
    assert world.space.commit(set_property("a", "1")).status_code == 200


def test_a_postgresql_that_comes_back_is_used_again(postgresql: PostgreSQL, tmp_path: Path) -> None:
    url = postgresql.new_database()
    for world in opened(url, tmp_path):
        with postgresql.away(url):
            expect_error(world.client.get(world.space.table()), 503, "ServiceUnavailableException")
            expect_error(world.space.commit(set_property("a", "1")), 503)
            status, body = world.health()
            assert (status, set(body)) == (503, {"status", "database"})
        assert world.health() == (200, {"status": "UP"})
        assert world.space.commit(set_property("a", "1")).status_code == 200


def test_a_sqlite_that_others_hold_too_long_is_used_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(database, "_PATIENCE_SECONDS", 0.05)
    url = f"sqlite:///{tmp_path / 'catalog.db'}"
    for world in opened(url, tmp_path):
        before = world.files()
        with closing(create_engine(url).raw_connection()) as other:
            other.execute("BEGIN IMMEDIATE")
            expect_error(world.space.commit(set_property("a", "1")), 503)
            # Readers wait for nobody.
            assert world.client.get(world.space.table()).status_code == 200
        assert world.files() == before
        assert world.space.commit(set_property("a", "1")).status_code == 200


def test_health_names_the_part_that_is_down(tmp_path: Path) -> None:
    for world in opened(f"sqlite:///{tmp_path / 'catalog.db'}", tmp_path):
        (tmp_path / "files" / "lake").rename(tmp_path / "elsewhere")
        status, body = world.health()
        (tmp_path / "elsewhere").rename(tmp_path / "files" / "lake")
        assert (status, body["status"], set(body)) == (503, "DOWN", {"status", "files"})
        assert "lake" in json.dumps(body["files"])
        assert world.health() == (200, {"status": "UP"})

"""The table catalog as a process: how it ends, and what it does not wait for."""

import sqlite3
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from pathlib import Path

import httpx
import pytest
from tests.support.catalog_process import WAREHOUSE, CatalogProcess
from tests.support.iceberg_rest import Rest, Space, expect_error, set_property

pytestmark = [pytest.mark.integration, pytest.mark.timeout(120)]


class World:
    """A catalog of its own process with one table, and its database to hold on to."""

    def __init__(self, catalog: CatalogProcess, database: Path, client: httpx.Client) -> None:
        self.catalog = catalog
        self.client = client
        self.space: Space = Rest(client, WAREHOUSE).namespace()
        self.space.create()
        self._database = database

    @contextmanager
    def held(self) -> Iterator[None]:
        """Let nobody else write to the database: commits wait."""
        holder = sqlite3.connect(self._database, isolation_level=None)
        holder.execute("BEGIN IMMEDIATE")
        try:
            yield
        finally:
            holder.close()

    def commit(self) -> httpx.Response:
        return self.space.commit(set_property("a", "1"))


@contextmanager
def running(folder: Path, **settings: str) -> Iterator[World]:
    with ExitStack() as stack:
        everybody = {"FRAZIL_OPEN": "true", "FRAZIL_KEYS": ""}
        catalog = CatalogProcess(folder, "", **everybody, **settings)
        stack.callback(catalog.close)
        catalog.wait()
        client = httpx.Client(base_url=catalog.uri, timeout=30, trust_env=False)
        yield World(catalog, folder / "catalog.db", stack.enter_context(client))


def wait_until(holds: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 20
    while not holds():
        assert time.monotonic() < deadline
        time.sleep(0.05)


def test_a_commit_under_way_is_answered_before_the_end(tmp_path: Path) -> None:
    with running(tmp_path) as world, ThreadPoolExecutor(1) as pool:
        files = len(world.catalog.files(""))
        with world.held():
            answer: Future[httpx.Response] = pool.submit(world.commit)
            # Its file is written: it waits for the database.
            wait_until(lambda: len(world.catalog.files("")) > files)
            world.catalog.stop()
            wait_until(lambda: not accepts(world.catalog.port))
        assert answer.result(20).status_code == 200
        assert world.catalog.wait_for_end() == 0


def accepts(port: int) -> bool:
    try:
        httpx.get(f"http://127.0.0.1:{port}/health", trust_env=False, timeout=2)
    except httpx.TransportError:
        return False
    return True


def test_without_work_it_ends_at_once(tmp_path: Path) -> None:
    with running(tmp_path) as world:
        world.catalog.stop()
        began = time.monotonic()
        assert world.catalog.wait_for_end() == 0
        assert time.monotonic() - began < 5


def test_who_waits_too_long_hears_that_nobody_knows(tmp_path: Path) -> None:
    with running(tmp_path, FRAZIL_REQUEST_TIMEOUT="0.5") as world:
        with world.held():
            expect_error(world.commit(), 500, "CommitStateUnknownException")
        # And so it was: it is done after all.
        wait_until(lambda: world.space.load()["metadata"]["properties"].get("a") == "1")


def test_a_body_that_is_too_large_is_refused_and_others_are_served(tmp_path: Path) -> None:
    with running(tmp_path, FRAZIL_MAX_BODY_BYTES="2000") as world:
        large = world.space.commit(set_property("a", "x" * 3000))
        assert large.status_code == 413
        assert world.commit().status_code == 200

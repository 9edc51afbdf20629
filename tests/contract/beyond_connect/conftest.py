"""A server with a fake engine that the tests have a hand on; each test has a name of its own.

Answers to `client` come whole. Streams need `live`, a client of the same server on a real socket.
"""

import asyncio
import socket
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from pathlib import Path
from uuid import uuid4

import httpx
import pyarrow as pa
import pytest
import pytest_asyncio
import uvicorn
from fastapi import FastAPI
from pyiceberg.catalog.sql import SqlCatalog
from pyiceberg.table import Table
from tests.support.connect_rest import until_healthy
from tests.support.control_api import sink_config
from tests.support.ledgers import ledger

from frazil.contracts.ledger import Ledger
from frazil.contracts.offsets import Offsets
from frazil.control_api.app import create_app
from frazil.control_api.engine.fake import FakeEngine
from frazil.control_api.plant import SystemClock
from frazil.control_api.settings import EngineKind, Settings
from frazil.control_api.tables.reader import TableReader
from frazil.control_api.tables.reading import answer
from frazil.control_api.tables.wire import Answer, Question

Create = Callable[..., Awaitable[str]]
ROWS = pa.table({"id": [1, 2, 3]})


@pytest.fixture(scope="session")
def engine() -> FakeEngine:
    return FakeEngine(SystemClock())


@pytest.fixture(scope="session")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("files")


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def app(
    engine: FakeEngine, files: Path, tmp_path_factory: pytest.TempPathFactory
) -> AsyncIterator[FastAPI]:
    settings = Settings(
        home=files / "home",
        engine=EngineKind.FAKE,
        bootstrap_servers="127.0.0.1:1",
        files_folder=files,
        catalog_hosts=("*", "127.0.0.1"),
        catalog_folders=(tmp_path_factory.getbasetemp(),),
    )
    app = create_app(settings, engine)
    async with app.router.lifespan_context(app):
        yield app


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def client(app: FastAPI) -> AsyncIterator[httpx.AsyncClient]:
    transport = httpx.ASGITransport(app)
    async with httpx.AsyncClient(transport=transport, base_url="http://test:8083") as client:
        await until_healthy(client)
        yield client


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def live(app: FastAPI) -> AsyncIterator[httpx.AsyncClient]:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        config = uvicorn.Config(
            app, lifespan="off", log_config=None, access_log=False, timeout_graceful_shutdown=1
        )
        server = uvicorn.Server(config)
        # No task of the house: it belongs to the test, which waits for its end.
        serving = asyncio.ensure_future(server.serve(sockets=[listener]))
        port = listener.getsockname()[1]
        async with httpx.AsyncClient(base_url=f"http://127.0.0.1:{port}", timeout=5) as client:
            await until_healthy(client)
            yield client
        server.should_exit = True
        await serving


@pytest.fixture
def name() -> str:
    return f"beyond-{uuid4().hex[:8]}"


@pytest_asyncio.fixture(loop_scope="session")
async def create(client: httpx.AsyncClient, name: str) -> AsyncIterator[Create]:
    """Creates connectors, and deletes them in the end; the first is called `name`."""
    made: list[str] = []

    async def create(suffix: str = "", **config: str) -> str:
        body = {"name": name + suffix, "config": sink_config(**config)}
        response = await client.post("/connectors", json=body)
        assert response.status_code == 201, response.text
        made.append(name + suffix)
        return name + suffix

    yield create
    for one in made:
        await client.delete(f"/connectors/{one}")


class Lake:
    """One table, committed to as a sink does: rows, and the ledger beside them."""

    def __init__(self, folder: Path, connector: str) -> None:
        self.database = folder / "catalog.db"
        self.warehouse = f"file://{folder}/warehouse"
        self.connector = connector
        self._catalog = SqlCatalog(
            "iceberg", uri=f"sqlite:///{self.database}", warehouse=self.warehouse
        )
        self._catalog.create_namespace("streaming")
        self.table: Table = self._catalog.create_table("streaming.rows", ROWS.schema)

    def close(self) -> None:
        self._catalog.engine.dispose()

    def commit(self, start: Offsets, end: Offsets, **changes: object) -> Ledger:
        counts = {"connector": self.connector, "consumed": 3, "written": 3}
        one = ledger(start=start, end=end).model_copy(update={**counts, **changes})
        summary = one.to_summary(control_topic="control-iceberg")
        self.table.append(ROWS, snapshot_properties=summary)
        return one

    def append_foreign(self) -> None:
        self.table.append(ROWS)

    @property
    def config(self) -> dict[str, str]:
        return {
            "iceberg.tables": "streaming.rows",
            "iceberg.catalog.type": "jdbc",
            "iceberg.catalog.uri": f"jdbc:sqlite:{self.database}?busy_timeout=10000",
            "iceberg.catalog.warehouse": self.warehouse,
        }


async def ask_in_process(question: Question) -> Answer:
    return await asyncio.to_thread(answer, question)


@pytest.fixture
def in_process(app: FastAPI, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    reader = TableReader(ask_in_process, hosts=["127.0.0.1"], folders=[tmp_path])
    monkeypatch.setattr(app.state.insight, "_tables", reader)


@pytest.fixture
def lake(tmp_path: Path, name: str) -> Iterator[Lake]:
    lake = Lake(tmp_path, name)
    yield lake
    lake.close()

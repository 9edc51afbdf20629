"""A client of Kafka Connect's API: of an application in this process, or of any URL that is given.

`pytest tests/contract/connect_rest --connect-url http://localhost:8083` makes the fifty checks of a
server that runs, ours or a genuine worker. It should be an empty one with CORS for every origin,
and with an `env` provider that may read SECRET, which is hunter2.
"""

from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any
from uuid import uuid4

import httpx
import pytest
import pytest_asyncio
from blockbuster import BlockBuster, blockbuster_ctx
from tests.support.connect_rest import (
    Kinds,
    PatientTransport,
    until_healthy,
    until_running,
    until_state,
)
from tests.support.control_api import ASYNCHRONOUS, sink_config

from frazil.control_api.app import create_app
from frazil.control_api.settings import EngineKind, Settings

# Nobody listens there: the API has to come up without its broker.
NO_BROKER = "127.0.0.1:1"
SECRET = "hunter2"  # noqa: S105 (nobody's)
# Jetty closes a connection after a refusal, and the next request may be on its way by then.
NO_KEEPALIVE = httpx.Limits(max_keepalive_connections=0)

Create = Callable[..., Awaitable[httpx.Response]]


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--connect-url", help="Ask this server instead of one in the test's process.")
    parser.addoption("--connect-source", default="FileStreamSource", help="Alias of a source.")
    parser.addoption(
        "--connect-source-key", default="topic", help="A key that it cannot do without."
    )
    parser.addoption("--connect-sink", default="FileStreamSink", help="Alias of a sink.")
    parser.addoption("--connect-topic", help="A topic that is there, for the offsets of a sink.")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """With a URL, leave out the tests that know connectors of ours or the inside of the server."""
    if config.getoption("connect_url", None) is None:
        return
    here = Path(__file__).parent
    for item in items:
        if here in item.path.parents and not item.path.name.startswith("test_checks_"):
            item.add_marker(pytest.mark.skip("knows more than Kafka Connect's API"))


@pytest.fixture(autouse=True)
def blockbuster() -> Iterator[BlockBuster]:
    """Fail a test in which the server's event loop waits for a disk, a socket or a lock."""
    with blockbuster_ctx(ASYNCHRONOUS) as blockbuster:
        yield blockbuster


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def client(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> AsyncIterator[httpx.AsyncClient]:
    """One server for all tests, as it is with a URL: each keeps to a connector of its own."""
    url: str | None = request.config.getoption("connect_url", None)
    async with AsyncExitStack() as stack:
        transport: httpx.AsyncBaseTransport = PatientTransport(limits=NO_KEEPALIVE)
        if url is None:
            environment = stack.enter_context(pytest.MonkeyPatch.context())
            environment.setenv("SECRET", SECRET)
            app = create_app(
                Settings(
                    home=tmp_path_factory.mktemp("home"),
                    engine=EngineKind.FAKE,
                    bootstrap_servers=NO_BROKER,
                    files_folder=tmp_path_factory.mktemp("files"),
                    secrets_env=("SECRET",),
                    access_control_allow_origin="*",
                )
            )
            await stack.enter_async_context(app.router.lifespan_context(app))
            transport = httpx.ASGITransport(app)
        client = httpx.AsyncClient(transport=transport, base_url=url or "http://test:8083")
        await stack.enter_async_context(client)
        await until_healthy(client)
        yield client


@pytest_asyncio.fixture(loop_scope="session")
async def name(client: httpx.AsyncClient) -> AsyncIterator[str]:
    """A name that is free, of a connector that is deleted afterwards."""
    name = f"test-{uuid4().hex[:8]}"
    yield name
    await client.delete(f"/connectors/{name}")


@pytest.fixture
def create(client: httpx.AsyncClient, name: str) -> Create:
    async def create(**config: str) -> httpx.Response:
        body = {"name": name, "config": sink_config(**config)}
        return await client.post("/connectors", json=body)

    return create


@pytest_asyncio.fixture(loop_scope="session")
async def made(create: Create, name: str) -> str:
    """The name of a connector that was just created."""
    response = await create()
    assert response.status_code == 201, response.text
    return name


@pytest_asyncio.fixture(loop_scope="session")
async def running(client: httpx.AsyncClient, made: str) -> str:
    """The name of a connector that runs."""
    await until_state(client, made, "RUNNING")
    return made


@pytest.fixture(scope="session")
def kinds(pytestconfig: pytest.Config) -> Kinds:
    return Kinds(
        source=pytestconfig.getoption("connect_source", "FileStreamSource"),
        source_key=pytestconfig.getoption("connect_source_key", "topic"),
        sink=pytestconfig.getoption("connect_sink", "FileStreamSink"),
    )


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def ours(client: httpx.AsyncClient) -> bool:
    return "frazil" in (await client.get("/health")).json()


@pytest_asyncio.fixture(loop_scope="session")
async def source(
    client: httpx.AsyncClient, name: str, kinds: Kinds
) -> AsyncIterator[dict[str, Any]]:
    """The answer to the creation of a source, which then runs."""
    response = await client.post(
        "/connectors", json={"name": name, "config": kinds.source_config()}
    )
    assert response.status_code == 201, response.text
    await until_running(client, name)
    yield response.json()


@pytest_asyncio.fixture(loop_scope="session")
async def stopped_sink(client: httpx.AsyncClient, name: str, kinds: Kinds) -> str:
    """The name of a sink that has never run."""
    body = {"name": name, "config": kinds.sink_config(), "initial_state": "STOPPED"}
    assert (await client.post("/connectors", json=body)).status_code == 201
    await until_state(client, name, "STOPPED")
    return name

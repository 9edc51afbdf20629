"""A client of Kafka Connect's API: of an application in this process, or of any URL that is given.

`pytest tests/contract/connect_rest --connect-url http://localhost:8083` asks a server that runs.
"""

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack
from uuid import uuid4

import httpx
import pytest
import pytest_asyncio
from tests.support.connect_rest import until_healthy, until_state
from tests.support.control_api import sink_config

from frazil.control_api.app import create_app
from frazil.control_api.settings import EngineKind, Settings

# Nobody listens there: the API has to come up without its broker.
NO_BROKER = "127.0.0.1:1"

Create = Callable[..., Awaitable[httpx.Response]]


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--connect-url", help="Ask this server instead of one in the test's process.")


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def client(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> AsyncIterator[httpx.AsyncClient]:
    """One server for all tests, as it is with a URL: each keeps to a connector of its own."""
    url: str | None = request.config.getoption("connect_url", None)
    async with AsyncExitStack() as stack:
        transport = None
        if url is None:
            app = create_app(
                Settings(
                    home=tmp_path_factory.mktemp("home"),
                    engine=EngineKind.FAKE,
                    bootstrap_servers=NO_BROKER,
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

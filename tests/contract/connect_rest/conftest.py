"""A client of Kafka Connect's API: of an application in this process, or of any URL that is given.

`pytest tests/contract/connect_rest --connect-url http://localhost:8083` asks a server that runs.
"""

from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from uuid import uuid4

import httpx
import pytest
from tests.support.connect_rest import until_healthy, until_state
from tests.support.control_api import sink_config

from frazil.control_api.app import create_app
from frazil.control_api.settings import EngineKind, Settings

# Nobody listens there: the API has to come up without its broker.
NO_BROKER = "127.0.0.1:1"

Create = Callable[..., Awaitable[httpx.Response]]


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--connect-url", help="Ask this server instead of one in the test's process.")


@pytest.fixture
def connect_url(request: pytest.FixtureRequest) -> str | None:
    url: str | None = request.config.getoption("connect_url", None)
    return url


@pytest.fixture
async def client(connect_url: str | None, tmp_path: Path) -> AsyncIterator[httpx.AsyncClient]:
    if connect_url is not None:
        async with httpx.AsyncClient(base_url=connect_url) as client:
            yield client
        return
    app = create_app(Settings(home=tmp_path, engine=EngineKind.FAKE, bootstrap_servers=NO_BROKER))
    transport = httpx.ASGITransport(app)
    async with (
        app.router.lifespan_context(app),
        httpx.AsyncClient(transport=transport, base_url="http://test:8083") as client,
    ):
        await until_healthy(client)
        yield client


@pytest.fixture
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


@pytest.fixture
async def made(create: Create, name: str) -> str:
    """The name of a connector that was just created."""
    response = await create()
    assert response.status_code == 201, response.text
    return name


@pytest.fixture
async def running(client: httpx.AsyncClient, made: str) -> str:
    """The name of a connector that runs."""
    await until_state(client, made, "RUNNING")
    return made

"""Connect's REST API: asked before, put only when it differs, its errors handed on."""

import json
from collections.abc import AsyncIterator, Callable

import httpx
import pytest
from tests.support.provisioner_world import unannounced

from frazil.provisioner.converge import apply_all
from frazil.provisioner.desired import Connect
from frazil.provisioner.errors import StepFailedError, UnavailableError
from frazil.provisioner.plan import Plan
from frazil.provisioner.steps.connect import ConnectSystem

NAME = "a b/c"
CONFIG = {"connector.class": "X", "tasks.max": "2"}


class FakeConnect:
    """Keeps connectors as Connect does; `broken` answers in its place."""

    def __init__(self) -> None:
        self.connectors: dict[str, dict[str, str]] = {}
        self.puts: list[str] = []
        self.broken: Callable[[httpx.Request], httpx.Response | None] = lambda _: None

    def __call__(self, request: httpx.Request) -> httpx.Response:
        if broken := self.broken(request):
            return broken
        name = request.url.path.removeprefix("/connectors/").removesuffix("/config")
        if request.method == "PUT":
            self.puts.append(request.url.raw_path.decode())
            known = name in self.connectors
            self.connectors[name] = {"name": name, **json.loads(request.content)}
            return httpx.Response(200 if known else 201, json={})
        if name not in self.connectors:
            body = {"error_code": 404, "message": f"Connector {name} not found"}
            return httpx.Response(404, json=body)
        return httpx.Response(200, json=self.connectors[name])


@pytest.fixture
def connect() -> FakeConnect:
    return FakeConnect()


@pytest.fixture
async def system(connect: FakeConnect) -> AsyncIterator[ConnectSystem]:
    wanted = Connect.model_validate(
        {"url": "http://connect:8083", "connectors": [{"name": NAME, "config": CONFIG}]}
    )
    transport = httpx.MockTransport(connect)
    async with httpx.AsyncClient(transport=transport, base_url=str(wanted.url)) as client:
        yield ConnectSystem(client, wanted)


async def apply(system: ConnectSystem) -> Plan:
    return await apply_all([system], unannounced, pause=0)


async def test_a_new_connector_is_put_once(connect: FakeConnect, system: ConnectSystem) -> None:
    await apply(system)
    await apply(system)
    assert connect.puts == ["/connectors/a%20b%2Fc/config"]
    assert connect.connectors[NAME] == {"name": NAME, **CONFIG}


async def test_an_equal_connector_is_left_alone(
    connect: FakeConnect, system: ConnectSystem
) -> None:
    connect.connectors[NAME] = {**CONFIG, "name": NAME}
    assert (await apply(system)) == Plan()
    assert connect.puts == []


async def test_a_connector_that_differs_is_replaced(
    connect: FakeConnect, system: ConnectSystem
) -> None:
    connect.connectors[NAME] = {"name": NAME, "connector.class": "X", "old": "1"}
    done = await apply(system)
    assert [s.sentence for s in done.steps] == [f"change connector {NAME}: old, tasks.max"]
    assert connect.connectors[NAME] == {"name": NAME, **CONFIG}


async def test_the_message_of_a_refused_config_is_handed_on(
    connect: FakeConnect, system: ConnectSystem
) -> None:
    body = {"error_code": 400, "message": "Connector configuration is invalid"}
    connect.broken = lambda r: httpx.Response(400, json=body) if r.method == "PUT" else None
    with pytest.raises(StepFailedError, match=f"create connector {NAME}: Connector conf"):
        await apply(system)


async def test_an_answer_that_is_not_from_connect_is_described(
    connect: FakeConnect, system: ConnectSystem
) -> None:
    connect.broken = lambda _: httpx.Response(502, text="<html>")
    with pytest.raises(UnavailableError, match="it answered 502 Bad Gateway"):
        await system.plan()


async def test_nobody_there_is_a_sentence_with_the_address(
    connect: FakeConnect, system: ConnectSystem
) -> None:
    def refuse(request: httpx.Request) -> httpx.Response:
        raise httpx.ConnectError("refused", request=request)

    connect.broken = refuse
    with pytest.raises(UnavailableError, match="Kafka Connect does not answer at http://connect"):
        await system.plan()

"""Connect's REST API: asked before, put only when it differs, its errors handed on."""

import json
from collections.abc import AsyncIterator, Callable
from typing import Any

import httpx
import pytest
from tests.support.provisioner_world import apply

from frazil.provisioner.desired import Connect
from frazil.provisioner.errors import NotReadyError, StepFailedError, UnavailableError
from frazil.provisioner.plan import Plan
from frazil.provisioner.steps.connect import ConnectSystem

NAME = "a b/c"
CONFIG = {"connector.class": "X", "tasks.max": "2"}
TRACE = "Error: no topic\n\tat somewhere"
FAILURE = f"Connector {NAME} has failed: Error: no topic"


def status(connector: str = "RUNNING", *tasks: str) -> dict[str, Any]:
    """Say a state for the connector and each task, as Connect does."""
    parts = [{"state": s, "trace": TRACE} if s == "FAILED" else {"state": s} for s in tasks]
    own = {"state": connector} | ({"trace": TRACE} if connector == "FAILED" else {})
    return {"connector": own, "tasks": parts}


class FakeConnect:
    """Keeps connectors as Connect does, and `status` of one; `broken` answers in its place."""

    def __init__(self) -> None:
        self.connectors: dict[str, dict[str, str]] = {}
        self.puts: list[str] = []
        self.status: dict[str, Any] = status("RUNNING", "RUNNING")
        self.broken: Callable[[httpx.Request], httpx.Response | None] = lambda _: None

    def __call__(self, request: httpx.Request) -> httpx.Response:
        if broken := self.broken(request):
            return broken
        if request.url.path == "/connectors":
            assert request.url.params["expand"] == "status"
            known = self.connectors if self.status else ()
            return httpx.Response(200, json={n: {"status": self.status} for n in known})
        name = request.url.path.removeprefix("/connectors/").removesuffix("/config")
        if request.method == "PUT":
            self.puts.append(request.url.raw_path.decode())
            is_known = name in self.connectors
            self.connectors[name] = {"name": name, **json.loads(request.content)}
            return httpx.Response(200 if is_known else 201, json={})
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


@pytest.mark.parametrize(
    ("said", "plan"),
    [
        (status("RUNNING", "RUNNING", "RUNNING"), Plan()),
        (status("PAUSED", "PAUSED"), Plan()),
        (status("STOPPED"), Plan()),
        (status("RUNNING"), Plan(pending=(f"Connector {NAME} is UNASSIGNED",))),
        (status("RUNNING", "UNASSIGNED"), Plan(pending=(f"Connector {NAME} is UNASSIGNED",))),
        (status("UNASSIGNED", "RUNNING"), Plan(pending=(f"Connector {NAME} is UNASSIGNED",))),
        ({}, Plan(pending=(f"Connector {NAME} is UNASSIGNED",))),
        (status("RUNNING", "RUNNING", "FAILED"), Plan(drifts=(FAILURE,), pending=(FAILURE,))),
        (status("PAUSED", "FAILED"), Plan(drifts=(FAILURE,), pending=(FAILURE,))),
        (status("FAILED"), Plan(drifts=(FAILURE,), pending=(FAILURE,))),
    ],
)
async def test_states_of_connector_and_tasks_become_one(
    connect: FakeConnect, system: ConnectSystem, said: dict[str, Any], plan: Plan
) -> None:
    connect.connectors[NAME] = {"name": NAME, **CONFIG}
    connect.status = said
    assert await system.plan() == plan


async def test_a_connector_that_stays_failed_ends_the_waiting_with_its_trace(
    connect: FakeConnect, system: ConnectSystem
) -> None:
    connect.status = status("FAILED", "FAILED")
    with pytest.raises(NotReadyError, match=f"{FAILURE}$"):
        await apply(system, seconds=0.01)
    assert NAME in connect.connectors


async def test_no_connectors_wanted_is_still_a_look_at_connect(connect: FakeConnect) -> None:
    connect.broken = lambda _: httpx.Response(404, text="<html>")
    wanted = Connect.model_validate({"url": "http://connect:8083", "connectors": []})
    transport = httpx.MockTransport(connect)
    async with httpx.AsyncClient(transport=transport, base_url=str(wanted.url)) as client:
        with pytest.raises(UnavailableError, match="it answered 404 Not Found"):
            await ConnectSystem(client, wanted).plan()

"""The proxy before a real engine: whatever is not the control API's need is answered 403."""

import json
from collections.abc import Iterator

import httpx
import pytest
from docker.models.containers import Container
from tests.support.docker_lab import (
    BASE_IMAGE,
    SOCKET,
    ConfinedSocket,
    daemon,
    missing,
)
from tests.support.docker_requests import FORBIDDEN, NAME, NOT_CREATED, OPTIONS, target

pytestmark = [pytest.mark.docker, pytest.mark.timeout(60)]
FILE = "/run/frazil"
_LONGEST = 60_000


@pytest.fixture(scope="module")
def engine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[httpx.Client]:
    if reason := missing(BASE_IMAGE):
        pytest.skip(reason)
    proxy = ConfinedSocket(tmp_path_factory.mktemp("confined") / "docker.sock", SOCKET, OPTIONS)
    proxy.open()
    transport = httpx.HTTPTransport(uds=str(proxy.path))
    with httpx.Client(transport=transport, base_url="http://docker", timeout=30) as client:
        yield client
    proxy.close()


@pytest.fixture
def other() -> Iterator[Container]:
    """A container of somebody else, with a label of another instance."""
    container = daemon().containers.create(
        BASE_IMAGE, ["sleep", "60"], labels={"frazil.instance": "green"}, init=True
    )
    container.start()
    yield container
    container.remove(force=True)


def test_every_forbidden_request_is_answered_403(engine: httpx.Client) -> None:
    for method, asked in FORBIDDEN:
        if asked.startswith("http:") or len(asked) > _LONGEST:
            continue  # this client does not send these
        answer = engine.send(httpx.Request(method, f"http://docker{asked}"))
        assert answer.status_code == 403, (method, asked[:200])


@pytest.mark.parametrize("body", NOT_CREATED.values(), ids=NOT_CREATED.keys())
def test_no_container_is_created_with(engine: httpx.Client, body: object) -> None:
    answer = engine.post(target("/containers/create", name=NAME), json=body)
    assert answer.status_code == 403


def test_a_container_of_another_is_neither_seen_nor_touched(
    engine: httpx.Client, other: Container
) -> None:
    for reference in (other.id, other.name):
        for method, asked in (
            ("GET", f"/containers/{reference}/json"),
            ("GET", f"/containers/{reference}/logs?stdout=1"),
            ("GET", f"/containers/{reference}/archive?path={FILE}"),
            ("PUT", f"/containers/{reference}/archive?path={FILE}"),
            ("POST", f"/containers/{reference}/start"),
            ("POST", f"/containers/{reference}/kill?signal=SIGKILL"),
            ("DELETE", f"/containers/{reference}"),
        ):
            assert engine.request(method, asked).status_code == 403, asked
    other.reload()
    assert other.status == "running"
    label = json.dumps({"label": [f"frazil.instance={OPTIONS.instance}"]})
    assert engine.get("/containers/json", params={"all": 1, "filters": label}).json() == []

from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta

import httpx
import pytest
from fastapi import APIRouter, Depends, FastAPI
from structlog.testing import capture_logs
from tests.support.signed_requests import HOST, sign

from frazil.table_catalog.api import oauth
from frazil.table_catalog.api.access import Access, Door
from frazil.table_catalog.api.deps import Retry
from frazil.table_catalog.api.errors import add_error_handlers
from frazil.table_catalog.api.rights import require_rights
from frazil.table_catalog.core.keys import Keyring
from frazil.table_catalog.core.oauth import Counter

KEYRING = Keyring.parse(
    """
    [reader]
    secret = "reader-secret"
    read = ["lake/logs"]
    [writer]
    secret = "writer-secret"
    write = ["lake/logs", "lake/raw"]
    """,
    lambda _kind, name: name,
)
TABLE = "/_iceberg/v1/lake/namespaces/logs/tables/t"
RENAME = b'{"source": {"namespace": ["raw"]}, "destination": {"namespace": ["%s"]}}'


class Clock:
    def __init__(self) -> None:
        self.ahead = timedelta()

    def __call__(self) -> datetime:
        return datetime.now(UTC) + self.ahead


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
async def client(clock: Clock) -> AsyncIterator[httpx.AsyncClient]:
    router = APIRouter(dependencies=[Depends(require_rights)])

    async def answer() -> dict[str, str]:
        return {"done": "yes"}

    for path in ("namespaces/{namespace}/tables/{table}", "tables/rename"):
        router.add_api_route(f"/v1/{{prefix}}/{path}", answer, methods=["GET", "POST"])

    async def remember(ticket: Retry) -> dict[str, bool]:
        return {"ticket": ticket is not None}

    router.add_api_route(
        "/v1/{prefix}/namespaces/{namespace}/remembered", remember, methods=["POST"]
    )
    router.add_api_route("/v1/{prefix}/namespaces/{namespace}/forgotten", answer, methods=["POST"])
    app = FastAPI()
    app.include_router(router, prefix="/_iceberg")
    app.include_router(oauth.router, prefix="/_iceberg")
    app.state.counter = lambda: Counter(KEYRING, 60)
    add_error_handlers(app)
    door = Door(
        keyring=lambda: KEYRING,
        now=clock,
        most_bytes=1024,
        most_bytes_at_once=4096,
        tokens=True,
        unlocked={"/_iceberg/v1/oauth/tokens": oauth.MOST_BYTES},
    )
    app.add_middleware(Access, door=door)
    transport = httpx.ASGITransport(app)
    async with httpx.AsyncClient(transport=transport, base_url=f"http://{HOST}") as client:
        yield client


async def call(
    client: httpx.AsyncClient, name: str, method: str, path: str, body: bytes = b""
) -> httpx.Response:
    sent = sign(method, path, body=body, key_id=name, secret=f"{name}-secret")
    return await client.request(method, path, headers=dict(sent.head.headers), content=body)


@pytest.mark.parametrize(
    ("name", "method", "path", "body", "status"),
    [
        ("reader", "GET", TABLE, b"", 200),
        ("reader", "POST", TABLE, b"{}", 403),
        ("writer", "POST", TABLE, b"{}", 200),
        ("writer", "GET", TABLE.replace("logs", "other"), b"", 403),
        ("writer", "GET", TABLE.replace("lake", "pond"), b"", 403),
        ("writer", "POST", "/_iceberg/v1/lake/tables/rename", RENAME % b"logs", 200),
        ("writer", "POST", "/_iceberg/v1/lake/tables/rename", RENAME % b"other", 403),
        ("writer", "POST", "/_iceberg/v1/lake/tables/rename", b"{", 400),
    ],
)
async def test_a_call_needs_the_right_to_all_it_names(
    client: httpx.AsyncClient, name: str, method: str, path: str, body: bytes, status: int
) -> None:
    assert (await call(client, name, method, path, body)).status_code == status


@pytest.mark.parametrize(("path", "status"), [("remembered", 200), ("forgotten", 403)])
async def test_a_late_copy_under_an_idempotency_key_is_let_in_where_answers_are_remembered(
    client: httpx.AsyncClient, clock: Clock, path: str, status: int
) -> None:
    path, key = f"/_iceberg/v1/lake/namespaces/logs/{path}", "9c12d441-03fe-4693-9a96-a0705ddf69c1"
    headers = {"Idempotency-Key": key}
    name = "writer"
    sent = sign("POST", path, headers=headers, key_id=name, secret=f"{name}-secret")
    first = await client.post(path, headers=dict(sent.head.headers))
    assert first.status_code == 200
    clock.ahead = timedelta(seconds=6)
    copy = await client.post(path, headers=dict(sent.head.headers))
    assert copy.status_code == status


async def test_a_lacking_right_is_named_and_logged(client: httpx.AsyncClient) -> None:
    with capture_logs() as records:
        answer = await call(client, "reader", "POST", TABLE, b"{}")
    assert answer.json()["error"] == {
        "message": "reader has no right to write lake/logs",
        "type": "ForbiddenException",
        "code": 403,
    }
    assert [one["key"] for one in records if one["event"] == "refused"] == ["reader"]


async def test_a_pair_is_exchanged_for_a_token_that_has_its_rights(
    client: httpx.AsyncClient,
) -> None:
    form = {"grant_type": "client_credentials", "client_id": "reader"}
    answer = await client.post(
        "/_iceberg/v1/oauth/tokens", data=form | {"client_secret": "reader-secret"}
    )
    token = answer.json()
    assert (token["token_type"], token["expires_in"]) == ("bearer", 60)
    assert answer.headers["cache-control"] == "no-store"
    headers = {"Authorization": f"Bearer {token['access_token']}"}
    assert (await client.get(TABLE, headers=headers)).status_code == 200
    assert (await client.post(TABLE, headers=headers, content=b"{}")).status_code == 403


async def test_a_wrong_pair_is_refused_in_the_words_of_oauth(client: httpx.AsyncClient) -> None:
    form = {"grant_type": "client_credentials", "client_id": "reader", "client_secret": "no"}
    with capture_logs() as records:
        answer = await client.post("/_iceberg/v1/oauth/tokens", data=form)
    assert [one["event"] for one in records] == ["refused"]
    assert (answer.status_code, answer.json()["error"]) == (401, "invalid_client")

import asyncio
import hashlib
from collections.abc import AsyncIterator, Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import httpx
import pytest
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.types import Message, Receive, Scope, Send
from structlog.testing import capture_logs
from tests.support.signed_requests import HOST, KEY_ID, SECRET, Sent, sign

from frazil.table_catalog.api.access import Access, Door
from frazil.table_catalog.core.keys import Key, Keyring
from frazil.table_catalog.core.rights import Principal
from frazil.table_catalog.core.sigv4 import Head
from frazil.table_catalog.core.tokens import issue

PATH = "/_iceberg/v1/lake/namespaces/gr%C3%BCn/tables/a%20b"
KEY = Key(SECRET, Principal(KEY_ID))


class Clock:
    def __init__(self) -> None:
        self.moment = datetime.now(UTC)

    def __call__(self) -> datetime:
        return self.moment


class Routes:
    """What stands behind the door: tells who came and what was brought."""

    def __init__(self) -> None:
        self.status = 200
        self.calls = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        self.calls += 1
        request = Request(scope, receive)
        answer = {
            "who": request.state.principal.name,
            "body": (await request.body()).decode(),
        }
        await JSONResponse(answer, self.status)(scope, receive, send)


class World:
    def __init__(self) -> None:
        self.clock = Clock()
        self.routes = Routes()
        self.keyring: Keyring | None = Keyring({KEY_ID: KEY})

    def door(self, **more: Any) -> Door:
        given: dict[str, Any] = {"keyring": self._keyring, "now": self.clock}
        return Door(**given | {"most_bytes": 1024, "most_bytes_at_once": 4096} | more)

    def client(self, *, is_open: bool = False, **more: Any) -> httpx.AsyncClient:
        door = self.door(**({"keyring": None} if is_open else {}), **more)
        transport = httpx.ASGITransport(Access(self.routes, door))
        return httpx.AsyncClient(transport=transport, base_url=f"http://{HOST}")

    def _keyring(self) -> Keyring:
        assert self.keyring is not None
        return self.keyring


@pytest.fixture
def world() -> World:
    return World()


@pytest.fixture
async def client(world: World) -> AsyncIterator[httpx.AsyncClient]:
    async with world.client() as client:
        yield client


async def send(client: httpx.AsyncClient, sent: Sent) -> httpx.Response:
    head = sent.head
    url = head.path + (f"?{head.query}" if head.query else "")
    return await client.request(head.method, url, headers=dict(head.headers), content=sent.body)


def reason(answer: httpx.Response) -> str:
    error = answer.json()["error"]
    assert error["code"] == answer.status_code
    message: str = error["message"]
    return message


async def test_who_signed_is_let_in_with_the_body(client: httpx.AsyncClient) -> None:
    answer = await send(client, sign("POST", PATH, query="a=b", body=b'{"a": 1}'))
    assert answer.json() == {"who": KEY_ID, "body": '{"a": 1}'}


async def test_the_health_is_for_everybody(client: httpx.AsyncClient) -> None:
    assert (await client.get("/health")).json()["who"] == "nobody"


# Signed when its test runs: a whole suite may take longer than a signature is good for.
@pytest.mark.parametrize(
    ("forge", "why"),
    [
        (lambda: sign("GET", PATH).with_headers(authorization=None), "is not signed"),
        (lambda: sign("GET", PATH, key_id="stranger"), "the access key is not known: stranger"),
        (lambda: sign("GET", PATH, secret=SECRET + "!"), "does not match"),
        (lambda: sign("GET", PATH, service="s3"), "another service: s3"),
        (lambda: sign("GET", PATH).with_head(path=PATH + "c"), "does not match"),
        (lambda: sign("GET", PATH, host="elsewhere").with_headers(host=HOST), "does not match"),
    ],
)
async def test_everybody_else_is_refused_with_a_reason(
    client: httpx.AsyncClient, world: World, forge: Callable[[], Sent], why: str
) -> None:
    answer = await send(client, forge())
    assert answer.status_code == 403
    assert answer.json()["error"]["type"] == "ForbiddenException"
    assert why in reason(answer)
    assert world.routes.calls == 0


async def test_an_old_request_is_refused(client: httpx.AsyncClient, world: World) -> None:
    sent = sign("GET", PATH)
    world.clock.moment += timedelta(minutes=16)
    assert "more than 15 minutes" in reason(await send(client, sent))


async def test_a_refusal_is_logged_with_its_reason_and_no_secret(
    client: httpx.AsyncClient,
) -> None:
    with capture_logs() as records:
        await send(client, sign("GET", PATH, secret=SECRET + "!"))
        await client.get(PATH)
    record, unsigned = records
    assert (record["event"], record["key"]) == ("refused", KEY_ID)
    assert (unsigned["event"], unsigned["key"]) == ("refused", None)
    assert "the signature does not match" in record["reason"]
    assert SECRET not in str(record)


async def test_a_late_copy_of_a_commit_is_refused_and_one_of_a_question_is_not(
    client: httpx.AsyncClient, world: World
) -> None:
    commit, question = sign("POST", PATH, body=b"{}"), sign("GET", PATH)
    for sent in (commit, question, commit, question):
        assert (await send(client, sent)).status_code == 200
    world.clock.moment += timedelta(seconds=6)
    assert "a copy of one that was answered" in reason(await send(client, commit))
    assert (await send(client, question)).status_code == 200


async def test_a_commit_that_was_put_off_may_be_sent_again_as_it_is(
    client: httpx.AsyncClient, world: World
) -> None:
    commit = sign("POST", PATH, body=b"{}")
    world.routes.status = 503
    await send(client, commit)
    world.routes.status = 200
    world.clock.moment += timedelta(minutes=1)
    assert (await send(client, commit)).status_code == 200


async def test_a_late_copy_under_an_idempotency_key_is_for_the_catalog_to_answer(
    client: httpx.AsyncClient, world: World
) -> None:
    commit = sign("POST", PATH, body=b"{}", headers={"Idempotency-Key": "a-uuid"})
    await send(client, commit)
    world.clock.moment += timedelta(minutes=1)
    assert (await send(client, commit)).status_code == 200


async def test_a_body_that_is_announced_too_large_is_not_read(client: httpx.AsyncClient) -> None:
    answer = await send(client, sign("POST", PATH, body=b"x" * 1025))
    assert answer.status_code == 413
    assert reason(answer) == "the body has 1025 bytes, and 1024 are taken"


async def test_a_body_that_becomes_too_large_is_not_read_further(world: World) -> None:
    async def endless() -> AsyncIterator[bytes]:
        while True:
            yield b"x" * 1000

    async with world.client() as client:
        sent = sign("POST", PATH)
        answer = await client.post(PATH, content=endless(), headers=dict(sent.head.headers))
    assert answer.status_code == 413


class Sending:
    """A body that comes in parts, and what of it was asked for."""

    def __init__(self, *parts: bytes, wait: asyncio.Event | None = None) -> None:
        self.parts = list(parts)
        self.read = 0
        self.waits = asyncio.Event()
        self._wait = wait

    async def __call__(self) -> Message:
        self.read += 1
        if not self.parts and self._wait is not None:
            self.waits.set()
            await self._wait.wait()
        body = self.parts.pop(0) if self.parts else b""
        return {"type": "http.request", "body": body, "more_body": bool(self.parts or self._wait)}


async def enter(access: Access, sent: Sent, sending: Sending) -> int:
    """Send a request whose body comes in parts; return the status."""
    head = sent.head
    scope = {
        "type": "http",
        "method": head.method,
        "path": head.path,
        "raw_path": head.path.encode(),
        "query_string": b"",
        "headers": [(name.encode(), value.encode()) for name, value in head.headers.items()],
    }
    statuses: list[int] = []

    async def send(message: Message) -> None:
        if message["type"] == "http.response.start":
            statuses.append(message["status"])

    await access(scope, sending, send)
    return statuses[0]


def digested(body: bytes = b"", **more: str) -> Sent:
    """Sign with the digest of the body in a header of its own, as Java's client does."""
    headers = {"x-amz-content-sha256": hashlib.sha256(body).hexdigest()}
    return sign("POST", PATH, body=body, headers=headers, **more)


async def test_no_byte_of_a_body_is_read_before_its_signature_was_good(world: World) -> None:
    access, sending = Access(world.routes, world.door()), Sending(b"{}")
    assert await enter(access, digested(b"{}", secret=SECRET + "!"), sending) == 403
    assert sending.read == 0
    unsigned = digested(b"{}").with_headers(x_amz_content_sha256="UNSIGNED-PAYLOAD")
    assert await enter(access, unsigned, sending) == 403
    assert sending.read == 0
    assert await enter(access, digested(b"{}"), sending) == 200
    assert await enter(access, digested(b"{}"), Sending(b"[]")) == 403


@pytest.mark.parametrize("path", ["/health", "/tokens"])
async def test_who_needs_no_key_has_no_large_body_read(world: World, path: str) -> None:
    access = Access(world.routes, world.door(unlocked={"/health": 0, "/tokens": 10}))
    sent, sending = Sent(Head("POST", path, "", {"host": HOST})), Sending(b"x" * 11, b"x" * 11)
    assert await enter(access, sent, sending) == (200 if path == "/health" else 413)
    assert sending.read == (0 if path == "/health" else 1)


async def test_all_bodies_in_flight_share_one_budget(world: World) -> None:
    access, over = Access(world.routes, world.door()), asyncio.Event()
    # Four that do not end take all there is for who has not shown yet that he has the key.
    slow = [Sending(b"x" * 512, wait=over) for _ in range(4)]
    tasks = [asyncio.ensure_future(enter(access, sign("POST", PATH), one)) for one in slow]
    for one in slow:
        await one.waits.wait()
    assert await enter(access, sign("POST", PATH, body=b"{}"), Sending(b"{}")) == 503
    assert await enter(access, sign("GET", PATH), Sending()) == 200
    assert await enter(access, digested(b"x" * 1024), Sending(b"x" * 1024)) == 200
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    assert await enter(access, sign("POST", PATH, body=b"{}"), Sending(b"{}")) == 200


async def test_who_finds_no_room_is_told_when_to_come_again(world: World) -> None:
    async with world.client(most_bytes_at_once=10) as client:
        answer = await send(client, sign("POST", PATH, body=b"{" + b" " * 10 + b"}"))
    assert (answer.status_code, answer.headers["retry-after"]) == (503, "1")
    assert "of other requests take all memory" in reason(answer)
    assert world.routes.calls == 0


async def test_a_changed_keyring_counts_from_the_next_request(
    client: httpx.AsyncClient, world: World
) -> None:
    world.keyring = Keyring({})
    assert "is not known" in reason(await send(client, sign("GET", PATH)))


async def test_tokens_are_taken_only_if_a_setting_says_so(world: World) -> None:
    token = issue(KEY_ID, KEY, expires=int(world.clock.moment.timestamp()) + 60)
    headers = {"Authorization": f"Bearer {token}"}
    async with world.client() as client:
        assert "is not one of AWS4" in reason(await client.get(PATH, headers=headers))
    async with world.client(tokens=True) as client:
        assert (await client.get(PATH, headers=headers)).json()["who"] == KEY_ID
        assert (await send(client, sign("GET", PATH))).status_code == 200
        world.clock.moment += timedelta(minutes=2)
        answer = await client.get(PATH, headers=headers)
    assert (answer.status_code, reason(answer)) == (401, "the token has expired")
    assert answer.json()["error"]["type"] == "NotAuthorizedException"


async def test_everybody_is_let_in_where_all_is_open(world: World) -> None:
    async with world.client(is_open=True) as client:
        assert (await client.post(PATH, content=b"{}")).json()["who"] == "everybody"

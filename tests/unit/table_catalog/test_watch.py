"""A call is bounded in time and measured, and its path is read as Java's clients write it."""

import asyncio
from pathlib import Path
from typing import Any

import httpx
import pytest
from starlette.responses import PlainTextResponse
from starlette.types import Receive, Scope, Send
from structlog.testing import capture_logs
from tests.support.asked import asked

from frazil.table_catalog.api.watch import Watch
from frazil.table_catalog.app import create_app
from frazil.table_catalog.settings import Settings


async def get(
    app: Any, path: str = "/a", seconds: float = 0.001, method: str = "GET"
) -> httpx.Response:
    transport = httpx.ASGITransport(Watch(app, seconds))
    async with httpx.AsyncClient(transport=transport, base_url="http://catalog") as client:
        return await client.request(method, path)


class Slow:
    """Goes on when it is told to, and then answers, or dies."""

    def __init__(self, error: Exception | None = None) -> None:
        self.go_on = asyncio.Event()
        self.over = asyncio.Event()
        self._error = error

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await self.go_on.wait()
        self.over.set()
        if self._error:
            raise self._error
        await PlainTextResponse("late")(scope, receive, send)

    async def end(self) -> None:
        self.go_on.set()
        await self.over.wait()
        # What it ends with is noted a turn of the loop later.
        await asyncio.sleep(0)
        await asyncio.sleep(0)


@pytest.mark.parametrize(
    ("sent", "read"),
    [("/a+b", "/a b"), ("/a%20b", "/a b"), ("/a%2Bb", "/a+b"), ("/gr%C3%BCn", "/grün")],
)
async def test_a_plus_in_a_path_is_a_space(sent: str, read: str) -> None:
    async def telling(scope: Scope, receive: Receive, send: Send) -> None:
        await PlainTextResponse(scope["path"])(scope, receive, send)

    assert (await get(telling, sent, seconds=10)).text == read


async def test_who_is_not_answered_in_time_has_to_look_and_hears_nothing_later() -> None:
    slow = Slow()
    with capture_logs() as lines:
        answer = await get(slow, method="POST")
        await slow.end()
    # Not 504: Java's client of 1.5 to 1.9.1 would send it again, and hear that it has failed.
    assert answer.status_code == 500
    assert answer.json()["error"]["type"] == "CommitStateUnknownException"
    assert "late" not in answer.text
    assert [line["event"] for line in lines] == ["too_slow"]


async def test_what_fails_after_it_was_given_up_is_in_the_log() -> None:
    slow = Slow(ValueError("died"))
    with capture_logs() as lines:
        assert (await get(slow)).status_code == 504
        await slow.end()
    assert [line["event"] for line in lines] == ["too_slow", "slow_request_failed"]


async def test_an_answer_that_has_begun_may_take_longer() -> None:
    begun, go_on = asyncio.Event(), asyncio.Event()

    async def long(_scope: Scope, _receive: Receive, send: Send) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": []})
        begun.set()
        await go_on.wait()
        await send({"type": "http.response.body", "body": b"all of it"})

    asking = asyncio.ensure_future(get(long))
    await begun.wait()
    asyncio.get_running_loop().call_later(0.01, go_on.set)
    assert (await asking).text == "all of it"


async def test_what_fails_in_time_fails() -> None:
    async def dying(*_: object) -> None:
        raise ValueError("died")

    with pytest.raises(ValueError, match="died"):
        await get(dying, seconds=10)


async def test_each_call_is_measured_by_the_template_of_its_route(tmp_path: Path) -> None:
    app = create_app(Settings(home=tmp_path, open=True))
    async with asked(app) as client:
        assert (await client.get("/_iceberg/v1/lake/namespaces/logs")).status_code == 404
        text = (await client.get("/metrics")).text
    call = 'method="GET",route="/v1/{prefix}/namespaces/{namespace}",status="404"'
    assert f"frazil_http_request_seconds_count{{{call}}}" in text

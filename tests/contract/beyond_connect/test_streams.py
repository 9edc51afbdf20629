"""Streams: events as they happen, logs as they are written, each over a real socket."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import ExitStack, asynccontextmanager

import httpx
import pytest
from fastapi import FastAPI, sse
from tests.contract.beyond_connect.conftest import Create
from tests.support.connect_rest import assert_error, until_state
from tests.support.control_api import eventually

from frazil.control_api.core.errors import TooManyStreamsError
from frazil.control_api.engine.fake import Behaviour, FakeEngine

pytestmark = pytest.mark.asyncio(loop_scope="session")


@asynccontextmanager
async def lines_of(
    live: httpx.AsyncClient, path: str, **headers: str
) -> AsyncIterator[AsyncIterator[str]]:
    async with live.stream("GET", path, headers=headers) as response:
        assert response.status_code == 200
        yield response.aiter_lines()


async def next_event(lines: AsyncIterator[str]) -> dict[str, str]:
    """Read the fields of one event; comments are no part of it."""
    fields: dict[str, str] = {}
    async with asyncio.timeout(5):
        async for line in lines:
            if not line and fields:
                break
            name, _, value = line.partition(": ")
            if name:
                fields[name] = value
    return fields


class TestEvents:
    async def test_changes_of_state_are_told_as_they_happen(
        self, client: httpx.AsyncClient, live: httpx.AsyncClient, create: Create
    ) -> None:
        name = await create()
        await until_state(client, name, "RUNNING")
        async with lines_of(live, f"/events?connector={name}") as lines:
            await asyncio.sleep(0.1)
            await client.put(f"/connectors/{name}/stop")
            event = await next_event(lines)
        body = json.loads(event["data"])
        assert event["event"] == "state"
        assert event["id"] == str(body["id"])
        assert body["connector"] == name
        assert list(body) == ["id", "connector", "at", "state", "task", "reason"]

    async def test_a_client_that_comes_back_misses_nothing(
        self, client: httpx.AsyncClient, live: httpx.AsyncClient, create: Create
    ) -> None:
        name = await create()
        await until_state(client, name, "RUNNING")
        history = (await client.get(f"/connectors/{name}/history")).json()["states"]
        first, *later = sorted(one["id"] for one in history)
        resumed = {"Last-Event-ID": str(first)}
        async with lines_of(live, f"/events?connector={name}", **resumed) as lines:
            told = [int((await next_event(lines))["id"]) for _ in later]
        assert told == later

    async def test_a_comment_keeps_the_line_open(
        self, live: httpx.AsyncClient, name: str, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        assert sse._PING_INTERVAL == 15.0
        monkeypatch.setattr("fastapi.routing._PING_INTERVAL", 0.05)
        async with lines_of(live, f"/events?connector={name}") as lines:
            assert await anext(lines) == ": ping"

    async def test_the_place_to_go_on_is_a_number(self, client: httpx.AsyncClient) -> None:
        response = await client.get("/events", headers={"Last-Event-ID": "x"})
        assert "last-event-id" in assert_error(response, 400).lower()

    async def test_a_head_ends(self, live: httpx.AsyncClient) -> None:
        response = await live.head("/events")
        assert response.status_code == 200
        assert response.headers["Content-Type"].startswith("text/event-stream")


class TestLogs:
    async def test_the_last_lines_are_text(
        self, client: httpx.AsyncClient, create: Create, engine: FakeEngine, name: str
    ) -> None:
        engine.behaviours[name] = Behaviour(says=("one", "zwei ü", "three"))
        await create()
        await until_state(client, name, "RUNNING")
        response = await client.get(f"/connectors/{name}/logs?tail=2", headers={"Accept": "*/*"})
        assert response.status_code == 200
        assert response.headers["Content-Type"] == "text/plain; charset=utf-8"
        assert response.text == "zwei ü\nthree\n"
        text = {"Accept": "text/plain"}
        assert len((await client.get(f"/connectors/{name}/logs", headers=text)).text) > 10

    async def test_a_connector_without_a_worker_has_no_lines(
        self, client: httpx.AsyncClient, create: Create, engine: FakeEngine, name: str
    ) -> None:
        engine.behaviours[name] = Behaviour(refuses_to_start="no room")
        await create()
        response = await client.get(f"/connectors/{name}/logs?follow=true")
        assert (response.status_code, response.text) == (200, "")

    async def test_lines_are_followed_until_the_worker_has_ended(
        self,
        client: httpx.AsyncClient,
        live: httpx.AsyncClient,
        create: Create,
        engine: FakeEngine,
    ) -> None:
        name = await create()
        await until_state(client, name, "RUNNING")
        async with lines_of(live, f"/connectors/{name}/logs?tail=0&follow=true") as lines:
            engine.write(name, "news")
            async with asyncio.timeout(5):
                assert await anext(lines) == "news"
                await client.put(f"/connectors/{name}/stop")
                last = [line async for line in lines]
        assert [line.endswith(" ends") for line in last] == [True]

    async def test_a_reader_that_leaves_ends_the_stream(
        self,
        client: httpx.AsyncClient,
        live: httpx.AsyncClient,
        create: Create,
        monkeypatch: pytest.MonkeyPatch,
    ) -> None:
        name = await create()
        await until_state(client, name, "RUNNING")
        open_readers = 0
        real = FakeEngine.logs

        async def counted(
            self: FakeEngine, connector: str, *, tail: int, follow: bool
        ) -> AsyncIterator[str]:
            nonlocal open_readers
            open_readers += 1
            try:
                async for line in real(self, connector, tail=tail, follow=follow):
                    yield line
            finally:
                open_readers -= 1

        monkeypatch.setattr(FakeEngine, "logs", counted)
        async with lines_of(live, f"/connectors/{name}/logs?follow=true") as lines:
            await anext(lines)
            assert open_readers == 1

        async def is_closed() -> bool:
            return open_readers == 0

        await eventually("the stream is closed", is_closed)

    @pytest.mark.parametrize("query", ["tail=-1", "tail=x", "follow=perhaps", "tail=1000000"])
    async def test_parameters_that_make_no_sense_are_refused(
        self, client: httpx.AsyncClient, create: Create, query: str
    ) -> None:
        name = await create()
        response = await client.get(f"/connectors/{name}/logs?{query}")
        assert query.partition("=")[0] in assert_error(response, 400)

    async def test_an_unknown_connector_has_no_logs(self, client: httpx.AsyncClient) -> None:
        assert_error(await client.get("/connectors/nope/logs"), 404, "Connector nope not found")


class TestPlaces:
    async def test_are_few_and_free_again_when_a_reader_has_left(
        self,
        app: FastAPI,
        client: httpx.AsyncClient,
        live: httpx.AsyncClient,
        create: Create,
        monkeypatch: pytest.MonkeyPatch,
    ) -> None:
        name = await create()
        await until_state(client, name, "RUNNING")
        monkeypatch.setattr(app.state.streams, "most", 2)
        logs = f"/connectors/{name}/logs"
        async with lines_of(live, "/events"), lines_of(live, f"{logs}?follow=true"):
            for path in ("/events", f"{logs}?follow=true"):
                refused = await live.get(path)
                message = assert_error(refused, 429)
                assert message.startswith("There are 2 readers of events and logs")
            # What ends by itself needs no place.
            assert (await live.get(logs)).status_code == 200

        async def are_free() -> bool:
            with ExitStack() as places:
                try:
                    for _ in range(2):
                        places.enter_context(app.state.streams.one_more())
                except TooManyStreamsError:
                    return False
            return True

        await eventually("both places are free", are_free)

    async def test_are_not_lost_by_readers_that_want_the_headers_alone(
        self, app: FastAPI, live: httpx.AsyncClient, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(app.state.streams, "most", 1)

        async def is_answered() -> bool:
            return (await live.head("/events")).status_code == 200

        for _ in range(3):
            await eventually("there is a place", is_answered)

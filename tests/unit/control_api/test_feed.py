"""The feed of state changes, and the ear for what was wanted at other processes."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import aclosing
from dataclasses import replace
from typing import cast

import pytest
from tests.support.control_api import connector, eventually

from frazil.contracts.states import Target
from frazil.control_api.core.connector import Connector, Observed, Phase
from frazil.control_api.core.history import StateChange
from frazil.control_api.loops.feed import Feed
from frazil.control_api.loops.queue import WorkQueue
from frazil.control_api.loops.timers import Wishes
from frazil.control_api.store.repository import Repository
from frazil.runtime.tasks import Guard

POLL_SECONDS = 0.001


@pytest.fixture
async def feed(store: Repository) -> AsyncIterator[Feed]:
    feed = Feed(store, POLL_SECONDS)
    guard = Guard()
    guard.start("feed", feed.loop)
    yield feed
    await guard.stop()


def create(store: Repository, name: str) -> None:
    store.change(name, lambda _old: connector(name))


def become(store: Repository, name: str, phase: Phase) -> None:
    store.record(name, Observed(phase))


async def next_of(changes: AsyncIterator[StateChange]) -> tuple[str, str | None]:
    async with asyncio.timeout(10):
        change = await anext(changes)
    return change.name, change.state


async def until_followed(feed: Feed, listeners: int) -> None:
    async def is_so() -> bool:
        return feed._listeners == listeners

    await eventually(f"{listeners} listen", is_so)


async def many_turns(store: Repository) -> None:
    """Let a listener or a loop do what it has at hand; there is no other sign of that."""
    for _ in range(50):
        await asyncio.to_thread(store.get, "nobody")


async def test_a_listener_gets_what_was_before_and_what_comes(
    feed: Feed, store: Repository
) -> None:
    create(store, "logs")
    async with aclosing(feed.follow(after=0, name=None)) as changes:
        assert await next_of(changes) == ("logs", "UNASSIGNED")
        coming = asyncio.ensure_future(next_of(changes))
        await asyncio.to_thread(become, store, "logs", Phase.RUNNING)
        assert await coming == ("logs", "RUNNING")


async def test_who_names_no_id_gets_what_comes(feed: Feed, store: Repository) -> None:
    create(store, "logs")
    async with aclosing(feed.follow(after=None, name=None)) as changes:
        coming = asyncio.ensure_future(next_of(changes))
        await many_turns(store)
        await asyncio.to_thread(become, store, "logs", Phase.RUNNING)
        assert await coming == ("logs", "RUNNING")


async def test_who_names_a_connector_gets_its_changes_alone(feed: Feed, store: Repository) -> None:
    for name in ("a", "b"):
        create(store, name)
    async with aclosing(feed.follow(after=0, name="b")) as changes:
        assert await next_of(changes) == ("b", "UNASSIGNED")
        coming = asyncio.ensure_future(next_of(changes))
        await asyncio.to_thread(become, store, "a", Phase.RUNNING)
        await asyncio.to_thread(become, store, "b", Phase.RUNNING)
        assert await coming == ("b", "RUNNING")


async def test_a_listener_who_is_far_behind_misses_nothing(feed: Feed, store: Repository) -> None:
    names = [f"c{number:03}" for number in range(150)]
    for name in names:
        create(store, name)
    async with aclosing(feed.follow(after=0, name=None)) as changes:
        assert [(await next_of(changes))[0] for _ in names] == names


async def test_every_listener_gets_all(feed: Feed, store: Repository) -> None:
    async with (
        aclosing(feed.follow(after=0, name=None)) as one,
        aclosing(feed.follow(after=0, name=None)) as other,
    ):
        coming = [asyncio.ensure_future(next_of(changes)) for changes in (one, other)]
        await until_followed(feed, 2)
        await asyncio.to_thread(create, store, "logs")
        assert await asyncio.gather(*coming) == [("logs", "UNASSIGNED")] * 2


async def test_nobody_is_asked_while_nobody_listens(
    feed: Feed, store: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[Repository] = []

    def last_state_change(store: Repository) -> int:
        asked.append(store)
        return 0

    monkeypatch.setattr(Repository, "last_state_change", last_state_change)
    create(store, "logs")
    async with aclosing(feed.follow(after=0, name=None)) as changes:
        await next_of(changes)
    await until_followed(feed, 0)
    so_far = len(asked)
    await many_turns(store)
    # One question may have been on its way.
    assert len(asked) <= so_far + 1


async def test_a_store_that_fails_once_is_asked_again(
    feed: Feed, store: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    answers = iter([OSError("the disk is away")])

    def fails_once(store: Repository) -> int:
        for error in answers:
            raise error
        return asked(store)

    asked = Repository.last_state_change
    monkeypatch.setattr(Repository, "last_state_change", fails_once)
    async with aclosing(feed.follow(after=0, name=None)) as changes:
        coming = asyncio.ensure_future(next_of(changes))
        await until_followed(feed, 1)
        await asyncio.to_thread(create, store, "logs")
        assert await coming == ("logs", "UNASSIGNED")


async def test_what_is_wanted_anywhere_is_put_on_the_queue(store: Repository) -> None:
    queue = WorkQueue(asyncio.get_running_loop().time)
    create(store, "before")
    guard = Guard()
    guard.start("wishes", Wishes(queue, store, POLL_SECONDS).loop)
    assert await queue.get() == "before"
    queue.done("before")

    def stop(old: Connector | None) -> Connector:
        return replace(cast("Connector", old), target=Target.STOPPED)

    await asyncio.to_thread(store.change, "before", stop)
    assert await queue.get() == "before"
    await guard.stop()

"""One suite for every lock by which a leader is chosen."""

import asyncio
from collections.abc import AsyncIterator, Callable
from unittest.mock import Mock

import pytest
from tests.support.postgresql import PostgreSQL

from frazil.control_api.core.ports import LeaderLock
from frazil.control_api.store.lock import SessionLock
from frazil.control_api.store.repository import Repository

# The first one waits until there is a PostgreSQL.
pytestmark = pytest.mark.timeout(60)


@pytest.fixture
async def lock_of(url: str) -> AsyncIterator[Callable[[], LeaderLock]]:
    """Make the lock of one more process."""
    processes: list[Repository] = []
    locks: list[LeaderLock] = []

    def lock_of() -> LeaderLock:
        processes.append(Repository(url))
        locks.append(processes[-1].leader_lock())
        return locks[-1]

    yield lock_of
    for lock in locks:
        await lock.release()
    for process in processes:
        process.close()


async def is_lost(lock: LeaderLock, seconds: float) -> bool:
    try:
        async with asyncio.timeout(seconds):
            await lock.lost()
    except TimeoutError:
        return False
    return True


async def test_one_has_it_and_the_next_gets_it_when_it_is_released(
    lock_of: Callable[[], LeaderLock],
) -> None:
    first, second = lock_of(), lock_of()
    assert await first.take()
    assert not await second.take()
    await first.release()
    assert await second.take()
    assert not await first.take()


async def test_it_is_not_lost_while_nothing_happens(lock_of: Callable[[], LeaderLock]) -> None:
    lock = lock_of()
    assert await lock.take()
    assert not await is_lost(lock, 0.2)


@pytest.mark.parametrize("url", ["postgresql"], indirect=True)
async def test_the_database_is_not_asked_while_nothing_happens(
    lock_of: Callable[[], LeaderLock], monkeypatch: pytest.MonkeyPatch
) -> None:
    is_alive = Mock(return_value=True)
    monkeypatch.setattr(SessionLock, "_is_alive", is_alive)
    lock = lock_of()
    assert await lock.take()
    assert not await is_lost(lock, 0.2)
    assert is_alive.call_count == 1


async def test_releasing_what_one_does_not_have_is_no_error(
    lock_of: Callable[[], LeaderLock],
) -> None:
    lock = lock_of()
    await lock.release()
    assert await lock.take()
    await lock.release()
    await lock.release()


async def test_another_database_has_another_leader(postgresql: PostgreSQL) -> None:
    processes = [Repository(postgresql.new_database()) for _ in range(2)]
    locks = [process.leader_lock() for process in processes]
    assert [await lock.take() for lock in locks] == [True, True]
    for lock, process in zip(locks, processes, strict=True):
        await lock.release()
        process.close()


@pytest.mark.parametrize("url", ["postgresql"], indirect=True)
async def test_it_is_lost_at_once_with_its_session_and_free_for_others(
    lock_of: Callable[[], LeaderLock], postgresql: PostgreSQL, url: str
) -> None:
    first, second = lock_of(), lock_of()
    assert await first.take()
    lost = asyncio.ensure_future(is_lost(first, 10))
    await asyncio.sleep(0)
    await asyncio.to_thread(postgresql.end_leaders, url)
    assert await lost
    assert await second.take()
    await first.release()

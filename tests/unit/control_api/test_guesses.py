"""Somebody who guesses at passwords delays no one but itself."""

import asyncio
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.support.access import CREDENTIALS, PASSWORD, READER, WRITER, basic, cheap_hash
from tests.support.control_api import FakeClock

from frazil.control_api.api.gatekeeper import Gatekeeper
from frazil.control_api.core.access import Caller, PasswordHash, Role, entry
from frazil.control_api.core.errors import TooManyGuessesError
from frazil.control_api.core.guesses import Guesses

RIGHT = WRITER["Authorization"]
KNOWN = Caller("writer", Role.WRITE)
HOME, AWAY = "192.0.2.1", "198.51.100.7"


def wrong(number: int) -> str:
    return basic("writer", f"guess {number}")["Authorization"]


@pytest.fixture
def file(tmp_path: Path) -> Path:
    file = tmp_path / "credentials.toml"
    file.write_text(CREDENTIALS)
    return file


@pytest.fixture
def gatekeeper(file: Path, clock: FakeClock) -> Gatekeeper:
    return Gatekeeper(file, clock.now)


class Checks:
    """Counts what is hashed, and holds it back until it may go on."""

    def __init__(self) -> None:
        self.passwords: list[str] = []
        self.begun = threading.Event()
        self.may_go_on = threading.Event()
        self.may_go_on.set()


@pytest.fixture
def checks(monkeypatch: pytest.MonkeyPatch) -> Iterator[Checks]:
    checks, fits = Checks(), PasswordHash.fits

    def counted(self: PasswordHash, password: str) -> bool:
        checks.passwords.append(password)
        checks.begun.set()
        assert checks.may_go_on.wait(30)
        return fits(self, password)

    monkeypatch.setattr(PasswordHash, "fits", counted)
    yield checks
    checks.may_go_on.set()


class TestTheLine:
    async def test_a_token_does_not_wait_for_passwords(
        self, gatekeeper: Gatekeeper, checks: Checks
    ) -> None:
        checks.may_go_on.clear()
        guess = asyncio.ensure_future(gatekeeper.caller(wrong(0), AWAY))
        await asyncio.to_thread(checks.begun.wait, 30)
        assert await gatekeeper.caller(READER["Authorization"], HOME) == Caller("reader", Role.READ)
        assert not guess.done()
        checks.may_go_on.set()
        assert await guess is None

    async def test_has_eight_places_and_those_who_come_after_are_told_when_to_come_back(
        self, gatekeeper: Gatekeeper, checks: Checks
    ) -> None:
        checks.may_go_on.clear()
        addresses = [f"192.0.2.{number}" for number in range(8)]
        line = [
            asyncio.ensure_future(gatekeeper.caller(wrong(number), address))
            for number, address in enumerate(addresses)
        ]
        await asyncio.sleep(0)
        with pytest.raises(TooManyGuessesError, match="Too many passwords wait") as caught:
            await gatekeeper.caller(wrong(9), AWAY)
        assert caught.value.retry_after == 1
        checks.may_go_on.set()
        assert await asyncio.gather(*line) == [None] * 8
        assert await gatekeeper.caller(RIGHT, AWAY) == KNOWN

    async def test_has_one_place_for_all_requests_that_show_the_same(
        self, gatekeeper: Gatekeeper, checks: Checks
    ) -> None:
        many = [gatekeeper.caller(RIGHT, HOME) for _ in range(50)]
        assert await asyncio.gather(*many) == [KNOWN] * 50
        assert checks.passwords == [PASSWORD]

    async def test_goes_on_when_the_first_who_asked_has_gone(
        self, gatekeeper: Gatekeeper, checks: Checks
    ) -> None:
        checks.may_go_on.clear()
        first = asyncio.ensure_future(gatekeeper.caller(RIGHT, HOME))
        second = asyncio.ensure_future(gatekeeper.caller(RIGHT, HOME))
        await asyncio.sleep(0)
        first.cancel()
        checks.may_go_on.set()
        assert await second == KNOWN
        assert checks.passwords == [PASSWORD]


class TestDelays:
    async def test_begin_after_a_few_failures_double_and_end(
        self, gatekeeper: Gatekeeper, clock: FakeClock
    ) -> None:
        delays = []
        for number in range(4):
            assert await gatekeeper.caller(wrong(number), AWAY) is None
        for number in range(4, 12):
            with pytest.raises(TooManyGuessesError) as caught:
                await gatekeeper.caller(wrong(number), AWAY)
            delays.append(caught.value.retry_after or 0)
            clock.move(delays[-1])
            assert await gatekeeper.caller(wrong(number), AWAY) is None
        assert delays == [1, 2, 4, 8, 16, 30, 30, 30]
        clock.move(15 * 60)
        for number in range(4):
            assert await gatekeeper.caller(wrong(100 + number), AWAY) is None

    async def test_are_of_one_address_alone(self, gatekeeper: Gatekeeper) -> None:
        for number in range(4):
            await gatekeeper.caller(wrong(number), AWAY)
        with pytest.raises(TooManyGuessesError, match=f"wrong passwords from {AWAY}"):
            await gatekeeper.caller(RIGHT, AWAY)
        assert await gatekeeper.caller(RIGHT, HOME) == KNOWN
        # Known by now, and so for the other address too.
        assert await gatekeeper.caller(RIGHT, AWAY) == KNOWN

    async def test_do_not_come_from_a_client_that_repeats_an_old_password(
        self, gatekeeper: Gatekeeper, checks: Checks
    ) -> None:
        for _ in range(20):
            assert await gatekeeper.caller(wrong(0), HOME) is None
        assert len(checks.passwords) == 1
        assert await gatekeeper.caller(RIGHT, HOME) == KNOWN


class TestAChangedFile:
    async def test_keeps_those_who_are_still_right(
        self, gatekeeper: Gatekeeper, file: Path, checks: Checks
    ) -> None:
        await gatekeeper.caller(RIGHT, HOME)
        await rewrite(gatekeeper, file, entry(Caller("new", Role.READ), password=cheap_hash("x")))
        assert await gatekeeper.caller(RIGHT, HOME) == KNOWN
        assert checks.passwords == [PASSWORD]

    async def test_counts_at_once_for_a_role(self, gatekeeper: Gatekeeper, file: Path) -> None:
        await gatekeeper.caller(RIGHT, HOME)
        text = (await asyncio.to_thread(file.read_text)).replace('"write"', '"read"')
        await asyncio.to_thread(file.write_text, text)
        await gatekeeper.file.reread()
        assert await gatekeeper.caller(RIGHT, HOME) == Caller("writer", Role.READ)

    async def test_lets_in_who_was_wrong_before(self, gatekeeper: Gatekeeper, file: Path) -> None:
        new = basic("new", "secret")["Authorization"]
        assert await gatekeeper.caller(new, HOME) is None
        more = entry(Caller("new", Role.READ), password=cheap_hash("secret"))
        await rewrite(gatekeeper, file, more)
        assert await gatekeeper.caller(new, HOME) == Caller("new", Role.READ)

    async def test_locks_out_who_has_another_password_in_it(
        self, gatekeeper: Gatekeeper, file: Path
    ) -> None:
        await gatekeeper.caller(RIGHT, HOME)
        other = entry(KNOWN, password=cheap_hash("other"))
        await asyncio.to_thread(file.write_text, other)
        await gatekeeper.file.reread()
        assert await gatekeeper.caller(RIGHT, HOME) is None


async def rewrite(gatekeeper: Gatekeeper, file: Path, more: str) -> None:
    await asyncio.to_thread(file.write_text, CREDENTIALS + more)
    await gatekeeper.file.reread()


class TestAddresses:
    def test_of_one_network_of_the_sixth_version_are_one(self) -> None:
        guesses = Guesses()
        for host in range(4):
            guesses.failed(f"2001:db8:1:2::{host:x}", 0.0)
        assert guesses.delay("2001:db8:1:2:ffff::1", 0.0) == 1.0
        assert guesses.delay("2001:db8:1:3::1", 0.0) == 0.0

    @pytest.mark.parametrize("address", ["::ffff:192.0.2.1", "192.0.2.1"])
    def test_of_the_fourth_version_are_the_same_in_both_spellings(self, address: str) -> None:
        guesses = Guesses()
        for _ in range(4):
            guesses.failed("192.0.2.1", 0.0)
        assert guesses.delay(address, 0.0) == 1.0

    def test_are_forgotten_when_there_are_too_many(self) -> None:
        guesses = Guesses(most=2)
        for address in ("a", "b", "c"):
            for _ in range(4):
                guesses.failed(address, 0.0)
        assert [guesses.delay(address, 0.0) for address in "abc"] == [0.0, 1.0, 1.0]

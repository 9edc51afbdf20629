"""Who shows the right thing: tokens at once, passwords one at a time, guesses later and later."""

import asyncio
import hashlib
import math
import time
from collections.abc import Callable
from pathlib import Path

from frazil.control_api.core.access import Caller, Credentials, PasswordHash, is_password
from frazil.control_api.core.errors import BadCredentialsFileError, TooManyGuessesError
from frazil.control_api.core.guesses import Guesses
from frazil.runtime.private import write_fault
from frazil.runtime.watched_file import WatchedFile

_MOST_REMEMBERED = 1000
_MOST_CHECKS = 8


class Gatekeeper:
    """Knows callers by a file, which it reads again when it has changed.

    A password takes a tenth of a second and a core, so only so many wait for that; each is checked
    once, however many requests show it, and remembered, right or wrong.
    """

    def __init__(self, file: Path, now: Callable[[], float] = time.monotonic) -> None:
        """Raise BadCredentialsFileError if the file cannot be used."""

        def parse(text: str) -> Credentials:
            fault = write_fault(file)
            if fault is not None:
                raise BadCredentialsFileError(fault)
            return Credentials.parse(text)

        self.file = WatchedFile(file, parse, called="credentials", error=BadCredentialsFileError)
        self._now = now
        self._guesses = Guesses()
        self._turn = asyncio.Lock()
        self._checks: dict[bytes, asyncio.Future[Caller | None]] = {}
        # By digests of what was shown. Right ones stay right while the file has the same hash.
        self._right: dict[bytes, tuple[str, PasswordHash]] = {}
        self._wrong: set[bytes] = set()
        self._wrong_by = self.file.content

    async def caller(self, authorization: str | None, address: str = "") -> Caller | None:
        """Find who sends this header. Raises TooManyGuessesError, for passwords alone."""
        if authorization is None:
            return None
        if not is_password(authorization):
            return self.file.content.caller(authorization)
        shown = hashlib.sha256(authorization.encode()).digest()
        known = self._remembered(shown)
        if known is not None or self._is_wrong(shown):
            return known
        if shown not in self._checks:
            self._refuse_guesses(address)
            check = asyncio.ensure_future(self._check(authorization, shown, address))
            self._checks[shown] = check
            check.add_done_callback(lambda _check: self._checks.pop(shown))
        # Others may wait for the same check when this caller has gone.
        return await asyncio.shield(self._checks[shown])

    def _refuse_guesses(self, address: str) -> None:
        delay = self._guesses.delay(address, self._now())
        if delay > 0:
            raise TooManyGuessesError(
                f"There were too many wrong passwords from {address or 'here'}", math.ceil(delay)
            )
        if len(self._checks) >= _MOST_CHECKS:
            raise TooManyGuessesError("Too many passwords wait to be checked", 1)

    async def _check(self, authorization: str, shown: bytes, address: str) -> Caller | None:
        async with self._turn:
            credentials = self.file.content
            caller = await asyncio.to_thread(credentials.caller, authorization)
        if caller is None:
            self._guesses.failed(address, self._now())
            self._remember_wrong(shown, credentials)
        else:
            self._remember_right(shown, caller, credentials)
        return caller

    def _remembered(self, shown: bytes) -> Caller | None:
        name, password = self._right.get(shown, ("", None))
        caller, expected = self.file.content.passwords.get(name, (None, None))
        return caller if expected == password else None

    def _remember_right(self, shown: bytes, caller: Caller, credentials: Credentials) -> None:
        if len(self._right) >= _MOST_REMEMBERED:
            self._right.clear()
        self._right[shown] = (caller.name, credentials.passwords[caller.name][1])

    def _is_wrong(self, shown: bytes) -> bool:
        """Tell whether this was wrong before: a client that repeats itself guesses nothing."""
        return self._wrong_by is self.file.content and shown in self._wrong

    def _remember_wrong(self, shown: bytes, credentials: Credentials) -> None:
        if self._wrong_by is not credentials or len(self._wrong) >= _MOST_REMEMBERED:
            self._wrong.clear()
        self._wrong_by = credentials
        self._wrong.add(shown)

"""Waiting: bounded, told from time to time, and for nothing but what may still come."""

from collections.abc import Awaitable, Callable

import pytest

from frazil.provisioner.errors import NotReadyError, StepFailedError
from frazil.provisioner.patience import Patience


class Ticks:
    """A clock that goes on by a second each time somebody looks at it."""

    def __init__(self) -> None:
        self.now = -1

    def __call__(self) -> float:
        self.now += 1
        return self.now


def patience(seconds: float) -> Patience:
    return Patience(seconds, pause=0, clock=Ticks())


def attempts(failures: int) -> tuple[Callable[[], Awaitable[str]], list[int]]:
    made: list[int] = []

    async def attempt() -> str:
        made.append(len(made) + 1)
        if len(made) <= failures:
            raise NotReadyError(f"attempt {len(made)}")
        return "here"

    return attempt, made


async def wait(seconds: float, failures: int) -> tuple[str, list[str]]:
    attempt, _ = attempts(failures)
    said: list[str] = []
    found = await patience(seconds).until(attempt, said.append)
    return found, said


async def test_what_is_there_at_once_is_not_worth_a_word() -> None:
    assert await wait(0, 0) == ("here", [])


async def test_it_is_told_at_once_and_then_every_ten_seconds() -> None:
    found, said = await wait(300, 25)
    assert found == "here"
    assert said == [
        "  waiting, 1 s of at most 300 s: attempt 1",
        "  waiting, 11 s of at most 300 s: attempt 11",
        "  waiting, 21 s of at most 300 s: attempt 21",
    ]


async def test_in_the_end_the_last_reason_is_the_error() -> None:
    with pytest.raises(NotReadyError, match="attempt 5"):
        await wait(5, 100)


async def test_without_seconds_there_is_one_attempt() -> None:
    attempt, made = attempts(1)
    with pytest.raises(NotReadyError):
        await patience(0).until(attempt, pytest.fail)
    assert made == [1]


async def test_what_cannot_mend_itself_is_not_waited_for() -> None:
    async def attempt() -> None:
        raise StepFailedError("create x", "no")

    with pytest.raises(StepFailedError):
        await patience(300).until(attempt, pytest.fail)

from datetime import UTC, datetime, timedelta

import pytest

from frazil.table_catalog.core.errors import ForbiddenError
from frazil.table_catalog.core.replays import GRACE, Replays
from frazil.table_catalog.core.sigv4 import SKEW

NOW = datetime(2026, 1, 31, tzinfo=UTC)
KEY = "writer"
LATER = NOW + GRACE + timedelta(seconds=1)


def is_refused(replays: Replays, signature: str, now: datetime, key: str = KEY) -> bool:
    try:
        replays.refuse_late_copy(key, signature, now)
    except ForbiddenError:
        return True
    return False


def test_a_late_copy_of_what_was_answered_is_refused() -> None:
    replays = Replays()
    replays.answered(KEY, "a", 200, now=NOW)
    assert is_refused(replays, "a", LATER)
    assert not is_refused(replays, "b", LATER)


def test_what_was_signed_twice_within_a_second_is_no_copy() -> None:
    replays = Replays()
    replays.answered(KEY, "a", 204, now=NOW)
    assert not is_refused(replays, "a", NOW + timedelta(seconds=1))


@pytest.mark.parametrize("status", [429, 500, 503, 504])
def test_who_is_told_to_try_again_may_send_the_same_again(status: int) -> None:
    replays = Replays()
    replays.answered(KEY, "a", status, now=NOW)
    assert not is_refused(replays, "a", LATER)


def test_copies_that_are_let_in_do_not_make_the_time_longer() -> None:
    replays = Replays()
    replays.answered(KEY, "a", 200, now=NOW)
    replays.answered(KEY, "a", 404, now=NOW + GRACE)
    assert is_refused(replays, "a", LATER)


@pytest.mark.parametrize("ahead", [-SKEW, timedelta(0), SKEW])
def test_a_signature_is_remembered_for_as_long_as_its_date_is_good(ahead: timedelta) -> None:
    replays = Replays()
    replays.answered(KEY, "a", 200, now=NOW)
    last = NOW + ahead + SKEW
    replays.answered(KEY, "b", 200, now=last)
    assert is_refused(replays, "a", last) == (last > NOW + GRACE)


def test_memory_is_bounded_by_time_and_by_number() -> None:
    replays = Replays(most=3)
    for number in range(10):
        replays.answered(KEY, str(number), 200, now=NOW)
    assert [n for n in range(10) if is_refused(replays, str(n), LATER)] == [7, 8, 9]
    replays.answered(KEY, "last", 200, now=NOW + 3 * SKEW)
    assert not is_refused(replays, "9", NOW + 3 * SKEW)


def test_nobody_pushes_out_the_signatures_of_others() -> None:
    replays = Replays(most=10)
    for number in range(3):
        replays.answered("careful", str(number), 200, now=NOW)
    for number in range(100):
        replays.answered("busy", str(number), 200, now=NOW)
    assert [n for n in range(3) if is_refused(replays, str(n), LATER, "careful")] == [0, 1, 2]
    assert [n for n in range(100) if is_refused(replays, str(n), LATER, "busy")] == [
        *range(93, 100)
    ]


def test_a_signature_of_one_key_is_none_of_another() -> None:
    replays = Replays()
    replays.answered("one", "a", 200, now=NOW)
    assert not is_refused(replays, "a", LATER, "other")

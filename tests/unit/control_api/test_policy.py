"""Back-off arithmetic."""

from hypothesis import given
from hypothesis import strategies as st

from frazil.control_api.core.policy import Policy


def test_the_first_retry_comes_at_once_and_the_fifth_failure_gives_up() -> None:
    policy = Policy()
    assert [policy.retry_delay(failures) for failures in range(1, 6)] == [0, 5, 10, 20, None]


def test_delays_stop_growing_at_a_minute() -> None:
    policy = Policy(max_failures=100)
    assert [policy.retry_delay(failures) for failures in (5, 6, 7, 99)] == [40, 60, 60, 60]


@given(st.integers(1, 10**9), st.integers(1, 10**9))
def test_a_longer_row_of_failures_never_waits_less(first: int, second: int) -> None:
    policy = Policy(max_failures=10**9 + 1)
    shorter, longer = sorted((first, second))
    delay, longer_delay = policy.retry_delay(shorter), policy.retry_delay(longer)
    assert delay is not None
    assert longer_delay is not None
    assert delay <= longer_delay <= policy.max_delay

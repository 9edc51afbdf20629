"""Back-off arithmetic, and the keys by which a connector changes it."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from frazil.control_api.core.policy import Policy

STEADY = Policy(jitter=0.0)
CLASS = {"connector.class": "IcebergSink"}
KEPT_TRYING = CLASS | {"errors.retry.timeout": "-1"}

names = st.text(max_size=20)
failures = st.integers(1, 10**9)


def delays(policy: Policy, *counts: int, failing_for: float = 0.0) -> list[float | None]:
    return [policy.retry_delay("logs", count, failing_for=failing_for) for count in counts]


def test_the_first_retry_comes_at_once_and_the_fifth_failure_gives_up() -> None:
    assert delays(STEADY, 1, 2, 3, 4, 5) == [0, 5, 10, 20, None]


def test_delays_stop_growing_at_a_minute() -> None:
    assert delays(Policy(jitter=0.0, max_failures=100), 5, 6, 7, 99) == [40, 60, 60, 60]


@given(names, failures)
def test_jitter_makes_a_delay_shorter_by_a_quarter_at_most(name: str, count: int) -> None:
    steady, policy = STEADY.of(KEPT_TRYING), Policy().of(KEPT_TRYING)
    longest = steady.retry_delay(name, count, failing_for=0.0)
    delay = policy.retry_delay(name, count, failing_for=0.0)
    assert longest is not None
    assert delay is not None
    assert 0.75 * longest <= delay <= longest <= policy.max_delay


def test_connectors_that_fail_together_do_not_start_together() -> None:
    found = {Policy().retry_delay(f"logs-{n}", 2, failing_for=0.0) for n in range(100)}
    assert len(found) == 100


@given(names)
def test_up_to_the_longest_delay_each_is_longer_than_the_one_before(name: str) -> None:
    policy = Policy().of(KEPT_TRYING)
    found = [policy.retry_delay(name, count, failing_for=0.0) or 0.0 for count in range(1, 6)]
    assert all(one < other for one, other in pairwise(found))


class TestTheKeysOfAConnector:
    def test_without_them_nothing_changes(self) -> None:
        assert Policy().of({"topics": "a"}) == Policy()

    def test_minus_one_never_gives_up(self) -> None:
        assert delays(STEADY.of(KEPT_TRYING), 5, 10**6, failing_for=1e9) == [40, 60]

    def test_a_timeout_is_a_time_from_the_first_failure_and_no_number_of_them(self) -> None:
        policy = STEADY.of(CLASS | {"errors.retry.timeout": "120000"})
        assert delays(policy, 20, failing_for=59.0) == [60]
        assert delays(policy, 20, 2, failing_for=60.0) == [None, 5]

    def test_a_timeout_of_zero_is_the_number_that_holds_for_all(self) -> None:
        assert Policy().of(CLASS | {"errors.retry.timeout": "0"}) == Policy()

    @pytest.mark.parametrize(("longest", "found"), [("7000", [0, 5, 7, 7]), ("0", [0, 0, 0, 0])])
    def test_the_longest_delay_is_theirs_to_say(self, longest: str, found: list[float]) -> None:
        policy = STEADY.of(CLASS | {"errors.retry.delay.max.ms": longest})
        assert delays(policy, 1, 2, 3, 4) == found

    @pytest.mark.parametrize("text", ["", "abc", "${env:PATIENCE}", " "])
    def test_what_cannot_be_read_has_no_effect(self, text: str) -> None:
        keys = CLASS | {"errors.retry.timeout": text, "errors.retry.delay.max.ms": text}
        assert Policy().of(keys) == Policy()

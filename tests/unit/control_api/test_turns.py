"""Turns to start: a line, and who may leave it."""

from frazil.control_api.core.connector import Observed, Phase
from frazil.control_api.core.policy import Policy
from frazil.control_api.loops.turns import Turns

POLICY = Policy(max_starting=1, start_turn=30.0)
FRESH = Observed()
FAILED_ONCE = Observed(phase=Phase.WAITING, failures=1)


def starting(since: float) -> Observed:
    return Observed(phase=Phase.STARTING, since=since)


def test_those_that_have_failed_stand_behind_those_that_have_not() -> None:
    turns = Turns(POLICY)
    for name, observed in (("a", FAILED_ONCE), ("b", FRESH), ("c", FRESH), ("d", FAILED_ONCE)):
        turns.note(name, observed, waits=True)
    assert [turns.call(0.0) for _ in range(5)] == ["b", "c", "a", "d", None]


def test_nobody_is_called_while_another_starts_and_has_not_taken_too_long() -> None:
    turns = Turns(POLICY)
    turns.note("slow", starting(since=100.0), waits=False)
    turns.note("next", FRESH, waits=True)
    assert turns.call(130.0) is None
    assert turns.taken("next", 1, 130.0) == 1
    assert turns.taken("next", 1, 131.0) == 0
    assert turns.call(131.0) == "next"


def test_a_slow_start_does_not_count_itself_out() -> None:
    turns = Turns(POLICY)
    turns.note("slow", starting(since=0.0), waits=False)
    assert turns.taken("slow", 0, 1000.0) == 0


def test_a_start_that_has_come_to_an_end_frees_its_turn() -> None:
    turns = Turns(POLICY)
    turns.note("quick", starting(since=0.0), waits=False)
    turns.note("next", FRESH, waits=True)
    turns.note("quick", Observed(phase=Phase.RUNNING), waits=False)
    assert turns.call(1.0) == "next"


def test_whoever_is_not_waiting_any_more_is_not_called() -> None:
    turns = Turns(POLICY)
    turns.note("paused", FRESH, waits=True)
    turns.note("paused", FRESH, waits=False)
    assert turns.call(0.0) is None


def test_two_starts_that_were_cut_off_do_not_wait_for_each_other() -> None:
    turns = Turns(POLICY)
    turns.note("a", starting(since=100.0), waits=True)
    assert turns.taken("b", 1, 101.0) == 0
    turns.note("b", starting(since=100.0), waits=False)
    assert turns.taken("a", 1, 101.0) == 1
    assert turns.call(101.0) is None
    turns.note("b", Observed(phase=Phase.RUNNING), waits=False)
    assert turns.call(102.0) == "a"

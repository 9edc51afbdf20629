"""Stores that were left are come back to, and until then nobody says that all is everywhere."""

from datetime import UTC, datetime

from frazil.contracts.states import TableState
from frazil.spark_sink.roster import Roster

NOON = datetime(2026, 11, 19, 12, tzinfo=UTC)


def test_what_is_paused_is_left_from_the_start() -> None:
    roster = Roster(["a", "b"], ["b", "of another time"])
    assert {name: table.state for name, table in roster.tables.items()} == {
        "a": TableState.RUNNING,
        "b": TableState.PAUSED,
    }
    assert roster.running(["a", "b"]) == ["a"]


def test_where_records_name_stores_any_may_be_paused() -> None:
    assert Roster([], ["x"]).state("x") is TableState.PAUSED
    assert Roster([], []).state("x") is TableState.RUNNING


def test_the_place_where_the_first_was_left_is_held() -> None:
    roster = Roster(["a", "b", "c"], [])
    roster.hold({"t": {0: 5}})
    assert roster.everywhere({"t": {0: 9}}) == {"t": {0: 9}}
    roster.enter("b", TableState.FAILED, ValueError("broken"))
    roster.hold({"t": {0: 10}})
    roster.enter("c", TableState.FAILED)
    roster.hold({"t": {0: 20}})
    assert roster.everywhere({"t": {0: 30}}) == {"t": {0: 10}}
    roster.tell_behind({"t": {0: 30}})
    assert [roster.tables[name].behind for name in "abc"] == [0, 20, 10]
    assert roster.tables["b"].trace == "broken"


def test_only_what_runs_is_complete() -> None:
    roster = Roster(["a", "b"], ["b"])
    roster.tell_through(NOON)
    roster.tell_through(None)
    assert roster.tables["a"].valid_through == NOON
    assert roster.tables["b"].valid_through is None


def test_records_for_stores_that_are_not_there_are_counted() -> None:
    roster = Roster([], [])
    roster.enter("x", TableState.MISSING)
    assert roster.missed({"x": 3, "y": 4}) == 3

"""Stores that were left are come back to, and until then nobody says that all is everywhere."""

from datetime import UTC, datetime

from frazil.contracts.schema_change import ChangeKind, SchemaChange
from frazil.contracts.states import TableState
from frazil.spark_sink.roster import Roster, lag
from frazil.spark_sink.store import SchemaWaitsError

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


def test_the_lag_is_that_of_the_store_that_lacks_most() -> None:
    roster = Roster(["a", "b", "c"], ["b"])
    assert lag({"t": {0: 5}}, roster.tables, {"t": {0: 9, 1: 3}}) == 7
    roster.hold({"t": {0: 5}})
    roster.leave("c", SchemaWaitsError("c", (SchemaChange(kind=ChangeKind.CREATE),)))
    roster.hold({"t": {0: 7}})
    assert lag({"t": {0: 9}}, roster.tables, {"t": {0: 9}}) == 4
    assert lag({"t": {0: 9}}, roster.tables, {"t": {0: 4}}) == 0


def test_only_what_runs_is_complete() -> None:
    roster = Roster(["a", "b"], ["b"])
    assert roster.tell_through(NOON) == NOON
    assert roster.tell_through(None) is None
    assert roster.tables["a"].valid_through == NOON
    assert roster.tables["b"].valid_through is None


def test_records_for_stores_that_are_not_there_are_counted() -> None:
    roster = Roster([], [])
    roster.enter("x", TableState.MISSING)
    assert roster.missed({"x": 3, "y": 4}) == 3


def test_what_waits_for_a_person_says_what_for_and_is_not_given_up() -> None:
    added = SchemaChange(kind=ChangeKind.ADD, path="x", type="string")
    roster = Roster(["a", "b"], ["b"])
    roster.leave("a", SchemaWaitsError("a", (added,)))
    assert (roster.state("a"), roster.tables["a"].changes) == (TableState.WAITING, (added,))
    roster.hold({"t": {0: 5}})
    assert roster.everywhere({"t": {0: 9}}) == {"t": {0: 5}}
    assert not roster.has_given_up(["a", "b"])
    assert roster.tell_through(NOON) is None
    roster.leave("a", ValueError("broken"))
    assert roster.has_given_up(["a", "b"])
